import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { readScannerKeys, type ScannerKeys } from '../kernel/scanner-signature.ts';

/**
 * The result of reading one variable, which is its value, or the fault and the value to set instead. A fault never
 * repeats the text, which may contain a password.
 */
export type Reading<T> = { value: T } | { fault: string; fix: string };

const HOSTNAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})?(\.[a-z0-9]([a-z0-9-]{0,62})?)*$/i;

export function portNumber(text: string): Reading<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= 65_535
    ? { value: port }
    : { fault: 'is not a port number', fix: 'Write a whole number from 1 to 65535, for example 4000.' };
}

/** The store has the limit `MAX_CELLS` too. */
export function cellCount(text: string): Reading<number> {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= 64
    ? { value: count }
    : { fault: 'is not a number of cells', fix: 'Write a whole number from 1 to 64, for example 4.' };
}

export function hostName(text: string): Reading<string> {
  const plain = text.replace(/^\[(.*)\]$/, '$1');
  return isIP(plain) > 0 || HOSTNAME.test(plain)
    ? { value: plain }
    : {
        fault: 'is not an address to listen on',
        fix: 'Write 127.0.0.1 for this machine only, 0.0.0.0 for all networks, or a host name. Set the port in PORT.',
      };
}

export const choice =
  <T extends string>(values: readonly T[]) =>
  (text: string): Reading<T> => {
    const value = values.find((known) => known === text.toLowerCase());
    return value ? { value } : { fault: 'is none of the known values', fix: `Write one of: ${values.join(', ')}.` };
  };

export function flag(text: string): Reading<boolean> {
  if (/^(1|true|yes|on)$/i.test(text)) return { value: true };
  if (/^(0|false|no|off)$/i.test(text)) return { value: false };
  return { fault: 'is neither yes nor no', fix: 'Write 1 or 0.' };
}

export function databaseUrl(text: string): Reading<string> {
  const url = URL.parse(text);
  const names = url !== null && url.pathname.length > 1;
  return names && /^postgres(ql)?:$/.test(url.protocol)
    ? { value: text }
    : {
        fault: 'is not the address of a PostgreSQL database',
        fix: 'Write postgresql://USER:PASSWORD@HOST:5432/DATABASE (special characters percent-encoded), or unset the variable to use the embedded database.',
      };
}

export function redisUrl(text: string): Reading<string> {
  const url = URL.parse(text);
  return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== ''
    ? { value: text }
    : {
        fault: 'is not the address of a Redis server',
        fix: 'Write redis://HOST:6379 or rediss://USER:PASSWORD@HOST:6379.',
      };
}

/** Accepts only scheme, host and port, because all paths are directly below the base URL. */
export function baseUrl(text: string): Reading<string> {
  const url = URL.parse(text);
  const plain =
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '';
  return plain && url.pathname === '/'
    ? { value: url.origin }
    : {
        fault: 'is not a base URL',
        fix: 'Write only scheme and host, for example https://eu.example.com, without a path.',
      };
}

export function webUrl(text: string): Reading<string> {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? { value: url.href }
    : { fault: 'is not a web address', fix: 'Write a URL that starts with https://.' };
}

export function listenAddress(text: string): Reading<{ host: string; port: number }> {
  const [, name = '', digits = ''] = /^(.+):(\d+)$/.exec(text) ?? [];
  const host = hostName(name);
  const port = portNumber(digits);
  return 'value' in host && 'value' in port
    ? { value: { host: host.value, port: port.value } }
    : { fault: 'is not an address to listen on', fix: 'Write HOST:PORT, for example 127.0.0.1:9464.' };
}

/** Reads addresses of name servers, separated by commas. An IPv6 address with a port is in brackets. */
export function nameServers(text: string): Reading<string[]> {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  return entries.every(isNameServer)
    ? { value: entries }
    : {
        fault: 'has an entry that is no name server',
        fix: 'Write addresses separated by commas: 192.0.2.53, 127.0.0.1:5353.',
      };
}

function isNameServer(entry: string): boolean {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d+))?$/.exec(entry) ?? [];
  return isIP(entry) > 0 || (isIP(bracketed ?? plain ?? '') > 0 && 'value' in portNumber(port));
}

/** Reads addresses and CIDRs, separated by commas. */
export function networks(text: string): Reading<string[]> {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  return entries.every(isNetwork)
    ? { value: entries }
    : {
        fault: 'has an entry that is no address',
        fix: 'Write addresses or CIDRs separated by commas: 127.0.0.1, 10.2.0.0/16.',
      };
}

function isNetwork(entry: string): boolean {
  const [address, bits = '0', ...rest] = entry.split('/') as [string, ...string[]];
  const family = isIP(address);
  return family > 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

export const emailAddress = (text: string): Reading<string> =>
  /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/.test(text) && text.length <= 254
    ? { value: text }
    : { fault: 'is not an e-mail address', fix: 'Write the address as name@example.com.' };

/** Reads keys of secret scanners from the JSON that GitHub publishes, or from the path of a file with this JSON. */
export function scannerKeys(text: string): Reading<ScannerKeys> {
  const json = text.startsWith('{') ? text : readText(text);
  const keys = json && readScannerKeys(json);
  return keys
    ? { value: keys }
    : {
        fault: 'does not hold the keys of a secret scanner',
        fix: 'Save https://api.github.com/meta/public_keys/secret_scanning to a file and write the path of the file, or unset the variable.',
      };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
