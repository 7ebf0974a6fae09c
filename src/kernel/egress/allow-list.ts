import { BlockList, isIP } from 'node:net';

/** The hosts that the operator allows for outgoing calls even if they are private or plain http. */
export type AllowList = {
  /** True if the name itself is trusted, no matter which addresses it resolves to. */
  host(hostname: string, port: number): boolean;
  address(address: string, port: number): boolean;
  /**
   * True if an entry has this host or literal address and exactly this port, even if the port belongs to another
   * protocol.
   */
  names(hostname: string, port: number): boolean;
};

type Entry = { name: string; port: number | null } | { network: BlockList; port: number | null };

/**
 * Parses a list of hosts, addresses and CIDRs, each with an optional port, such as `ollama.internal:11434`,
 * `10.2.0.0/16`, `127.0.0.1` or `[::1]:8080`. A fault quotes the entry, so that the operator can find it.
 */
export function parseAllow(list: string | readonly string[]): { ok: AllowList } | { fault: string } {
  const entries: Entry[] = [];
  for (const text of (typeof list === 'string' ? list.split(',') : list).map((entry) => entry.trim())) {
    if (text === '') continue;
    const entry = text.includes('/') ? parseNetwork(text) : parseHost(text);
    if (entry === null) {
      return {
        fault: `"${text}" is neither a host nor a CIDR. Write for example models.internal, 127.0.0.1 or 10.2.0.0/16, separated by commas.`,
      };
    }
    entries.push(entry);
  }
  const matches = (port: number, test: (entry: Entry) => boolean) =>
    entries.some((entry) => (entry.port === null || entry.port === port) && test(entry));
  return {
    ok: {
      host: (hostname, port) => matches(port, (entry) => 'name' in entry && entry.name === plainName(hostname)),
      address: (address, port) =>
        matches(port, (entry) => 'network' in entry && isIP(address) !== 0 && holds(entry.network, address)),
      names: (hostname, port) => {
        const name = plainName(hostname);
        return entries.some(
          (entry) =>
            entry.port === port &&
            ('name' in entry ? entry.name === name : isIP(name) !== 0 && holds(entry.network, name)),
        );
      },
    },
  };
}

function parseNetwork(text: string): Entry | null {
  const [network, bits, ...rest] = text.split('/') as [string, string, ...string[]];
  const family = isIP(network);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return null;
  }
  return { network: blockOf(network, Number(bits)), port: null };
}

function parseHost(text: string): Entry | null {
  if (isIP(text) !== 0) return { network: blockOf(text), port: null };
  if (!/^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\*]+)(:\d{1,5})?$/i.test(text)) return null;
  // The URL parser normalizes names exactly as in the URLs that are compared later (case, IDN, unusual IPv4 spellings).
  // The scheme is "ftp" because the parser would drop the default port of http.
  const parsed = URL.parse(`ftp://${text}/`);
  if (parsed === null || parsed.port === '0') return null;
  const port = /:\d+$/.test(text) ? Number(parsed.port || 21) : null;
  const name = plainName(parsed.hostname);
  return isIP(name) === 0 ? { name, port } : { network: blockOf(name), port };
}

/** A hostname in the form for comparing and resolving: without brackets and without the root's dot. */
export const plainName = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

function blockOf(network: string, bits?: number): BlockList {
  const block = new BlockList();
  if (bits === undefined) block.addAddress(network, familyOf(network));
  else block.addSubnet(network, bits, familyOf(network));
  return block;
}

const holds = (network: BlockList, address: string): boolean => network.check(address, familyOf(address));

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
