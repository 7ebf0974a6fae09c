import { BlockList, isIP } from 'node:net';

/**
 * True if this address is on the public internet. The lists come from the IANA special-purpose registries. The list
 * also contains addresses from which clouds serve secrets, although the registries do not list these addresses. For
 * IPv6 the rule is reversed: only 2000::/3 is allocated, so every other address is refused without a list (loopback,
 * link-local, unique local, multicast, the forms that contain an IPv4 address such as ::127.0.0.1, ::ffff:127.0.0.1 and
 * 64:ff9b::7f00:1, and future ranges).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_4.check(address, 'ipv4');
    case 6:
      // A zone ("fe80::1%eth0") names an interface of this machine. No public address has a zone.
      return !address.includes('%') && GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6');
    default:
      return false;
  }
}

const SPECIAL_4 = subnets('ipv4', [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches the machine itself
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier NAT; the metadata service of one cloud
  '127.0.0.0/8',
  '168.63.129.16/32', // a cloud's host agent, inside public space
  '169.254.0.0/16', // link-local; the metadata service of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast included
]);

const GLOBAL_6 = subnets('ipv6', ['2000::/3']);

const SPECIAL_6 = subnets('ipv6', [
  '2001::/23', // protocol assignments, Teredo included (carries an IPv4 address)
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 (carries an IPv4 address)
  '3fff::/20', // documentation
]);

function subnets(family: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const block = new BlockList();
  for (const subnet of list) {
    const [network, bits] = subnet.split('/') as [string, string];
    block.addSubnet(network, Number(bits), family);
  }
  return block;
}
