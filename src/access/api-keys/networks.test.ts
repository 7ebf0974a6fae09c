import fc from 'fast-check';
import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { covers, isInside, type Network, plainAddress, readNetwork, storedNetworks } from './networks.ts';

const network = (text: string): Network => {
  const read = readNetwork(text);
  if ('fault' in read) throw new Error(read.fault);
  return read;
};

describe('a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    [' 203.0.113.0/24 ', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:0db8::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:cb00:7100/120', '203.0.113.0/24'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['64:ff9b::203.0.113.0/120', '64:ff9b::cb00:7100/120'],
  ])('%s has the canonical form %s, also after parsing it again', (text, canonical) => {
    expect(network(text).text).toBe(canonical);
    expect(storedNetworks([canonical])![0]!.text).toBe(canonical);
  });

  it.each([
    '',
    'here',
    '203.0.113',
    '203.0.113.0/33',
    '2001:db8::/129',
    '203.0.113.0/24/8',
    '203.0.113.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    'fe80::%eth0/64',
    '203.0.113.7:80',
    '[::1]',
    'localhost',
  ])('the network %j is refused with an example', (text) => {
    expect(readNetwork(text)).toEqual({ fault: expect.stringContaining('203.0.113.0/24') as string });
  });

  it('if a network has host bits, the error suggests both possible networks', () => {
    expect(readNetwork('203.0.113.7/24')).toEqual({
      fault: 'Write 203.0.113.0/24 for the network, or 203.0.113.7/32 for the one address.',
    });
    expect(readNetwork('::ffff:0:0/90')).toEqual({ fault: expect.stringContaining('0.0.0.0/0') as string });
  });
});

describe('a caller', () => {
  it('an IPv4 caller counts as IPv4, even if the socket reports it as IPv6', () => {
    const office = storedNetworks(['203.0.113.0/24', '2001:db8::/32']);
    for (const address of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::FFFF:cb00:7109',
      '2001:db8:1::7',
      '2001:db8::1%eth0',
    ])
      expect(isInside(office!, address)).toBe(true);
    for (const address of [
      '203.0.114.9',
      '::203.0.113.9',
      '2001:db9::',
      '::1',
      null,
      '',
      'unknown',
      '203.0.113.9:443',
      '203.0.113.9, 10.0.0.1',
    ])
      expect(isInside(office!, address)).toBe(false);
    // An IPv6 network never contains an IPv4 address, and vice versa.
    expect(isInside([network('::/0')], '203.0.113.9')).toBe(false);
    expect(isInside([network('0.0.0.0/0')], '2001:db8::1')).toBe(false);
  });

  it('every address has one canonical spelling', () => {
    expect(plainAddress('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(plainAddress('2001:DB8::0:1%lo')).toBe('2001:db8::1');
    expect(plainAddress('unknown')).toBeNull();
    expect(plainAddress(undefined)).toBeNull();
  });

  it('membership in a network follows the rules of Node', () => {
    const pair = (address: fc.Arbitrary<string>, most: number) =>
      fc.record({ address, base: address, bits: fc.nat({ max: most }), isNear: fc.boolean() });
    fc.assert(
      fc.property(fc.oneof(pair(fc.ipV4(), 32), pair(fc.ipV6(), 128)), ({ address, base, bits, isNear }) => {
        const read = readNetwork(`${isNear ? address : base}/${bits}`);
        const text = 'fault' in read ? /Write (\S+) for/.exec(read.fault)?.[1] : read.text;
        // Larger than all of IPv4, and written as IPv6.
        fc.pre(text !== undefined);
        const wide = network(text);
        const from = plainAddress(address)!;
        const node = new BlockList();
        node.addSubnet(text.split('/')[0]!, wide.bits, wide.family === 4 ? 'ipv4' : 'ipv6');
        const isSameFamily = wide.family === (from.includes(':') ? 6 : 4);
        const expected = isSameFamily && node.check(from, wide.family === 4 ? 'ipv4' : 'ipv6');
        expect({ from, text, isInside: isInside([wide], address) }).toEqual({ from, text, isInside: expected });
        return !isNear || !isSameFamily || expected;
      }),
    );
  });
});

describe('a narrower network', () => {
  it('a network is narrower only if the old one contains it', () => {
    expect(covers(network('10.0.0.0/8'), network('10.4.0.0/16'))).toBe(true);
    expect(covers(network('10.0.0.0/8'), network('10.0.0.0/8'))).toBe(true);
    expect(covers(network('10.0.0.0/8'), network('10.0.0.0/7'))).toBe(false);
    expect(covers(network('10.0.0.0/8'), network('11.0.0.0/16'))).toBe(false);
    expect(covers(network('::/0'), network('10.0.0.0/8'))).toBe(false);
  });
});
