import { isIP, isIPv4 } from 'node:net';

/**
 * Networks in CIDR notation, for a key's list of allowed networks. An IPv4 address in IPv6 notation
 * (`::ffff:203.0.113.7`) counts as the IPv4 address, because sockets that listen on both families report callers in
 * that form.
 */
export type Network = { readonly text: string; readonly family: 4 | 6; readonly bits: number; readonly base: bigint };

type Address = { readonly family: 4 | 6; readonly value: bigint };

const WIDTH = { 4: 32, 6: 128 } as const;
/** `::ffff:0:0/96` contains the IPv4 addresses. */
const MAPPED = 0xffffn;

/** `fault`: the error, and the text to write instead. */
export function readNetwork(text: string): Network | { fault: string } {
  const [written = '', length, ...rest] = text.trim().split('/');
  const address = readAddress(written);
  if (address === null || written.includes('%') || rest.length > 0) return { fault: EXAMPLES };
  // For a mapped IPv4 address, the prefix length counts bits of the IPv6 notation.
  const extra = isIP(written) === 6 ? WIDTH[6] - WIDTH[address.family] : 0;
  const bits = length === undefined ? WIDTH[address.family] : lengthOf(length, WIDTH[address.family] + extra) - extra;
  if (Number.isNaN(bits)) return { fault: EXAMPLES };
  if (bits < 0) return { fault: 'Write IPv4 networks as IPv4, for example 0.0.0.0/0.' };
  const network = networkOf(address, bits);
  if (network.base === address.value) return network;
  const alone = networkOf(address, WIDTH[address.family]).text;
  return { fault: `Write ${network.text} for the network, or ${alone} for the one address.` };
}

const EXAMPLES =
  'Write an address or a network in CIDR notation, for example 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.';

const lengthOf = (text: string, most: number): number =>
  /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : Number.NaN;

function networkOf({ family, value }: Address, bits: number): Network {
  const rest = BigInt(WIDTH[family] - bits);
  const base = (value >> rest) << rest;
  return { text: `${textOf({ family, value: base })}/${bits}`, family, bits, base };
}

/** Converts networks from the database. `readNetwork` checked the networks before they were stored. */
export function storedNetworks(texts: readonly string[] | null): readonly Network[] | null {
  if (texts === null) return null;
  return texts.map((text) => {
    const network = readNetwork(text);
    if ('fault' in network) throw new Error('a stored network cannot be read');
    return network;
  });
}

/**
 * The address in its canonical form. Null for text that is not an address, which a proxy may send in X-Forwarded-For.
 */
export function plainAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  // Almost all callers have an IPv4 address. Node accepts only the canonical form of IPv4. Parsing the address into a
  // BigInt would take 4 % of the time of a call.
  const v4 = text.startsWith(MAPPED_PREFIX) ? text.slice(MAPPED_PREFIX.length) : text;
  if (isIPv4(v4)) return v4;
  const address = readAddress(text);
  return address && textOf(address);
}

const MAPPED_PREFIX = '::ffff:';

/**
 * The unit that rate limits by network address count: an IPv4 address, or the /64 network of an IPv6 address. One
 * household or machine gets a /64 network and can use a different address of this network for each call.
 */
export function countedPlace(text: string): string {
  const address = readAddress(text);
  if (address === null) return text;
  return address.family === 4 ? textOf(address) : networkOf(address, PLACE_BITS).text;
}

const PLACE_BITS = 64;

/** True if one of the networks contains the caller. No network contains an invalid address. */
export function isInside(networks: readonly Network[], from: string | null): boolean {
  const address = from === null ? null : readAddress(from);
  return address !== null && networks.some((network) => covers(network, networkOf(address, WIDTH[address.family])));
}

export const covers = (outer: Network, inner: Network): boolean =>
  outer.family === inner.family &&
  outer.bits <= inner.bits &&
  networkOf({ family: inner.family, value: inner.base }, outer.bits).base === outer.base;

function readAddress(text: string): Address | null {
  // The text after % is the network interface of a link-local caller.
  const plain = text.split('%', 1)[0]!;
  const family = isIP(plain);
  if (family === 0) return null;
  if (family === 4) return { family, value: numberOf(plain.split('.').map(Number), 8n) };
  const value = ipv6Of(plain);
  return value >> 32n === MAPPED ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

function ipv6Of(text: string): bigint {
  const [head, tail] = text.split('::').map(groupsOf) as [number[], number[]?];
  const zeros = Array<number>(8 - head.length - (tail?.length ?? 0)).fill(0);
  return numberOf(tail === undefined ? head : [...head, ...zeros, ...tail], 16n);
}

/** The last 32 bits may be written as an IPv4 address. */
const groupsOf = (text: string): number[] =>
  text.split(':').flatMap((group) => {
    if (group === '') return [];
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
    return [a * 256 + b, c * 256 + d];
  });

const numberOf = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((number, part) => (number << width) | BigInt(part), 0n);

function textOf({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  // The URL standard writes IPv6 in the form of RFC 5952.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
