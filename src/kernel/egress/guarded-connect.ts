import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import type { AllowList } from './allow-list.ts';
import { plainName } from './allow-list.ts';
import { EgressError, NotConnected } from './egress-error.ts';
import { judgePort, type Service } from './ports.ts';
import { isPublicAddress } from './public-address.ts';

/** The promise resolves a name to all its addresses, in the order in which to try them. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * At most this many addresses of a name are tried before the name counts as unreachable. Egress judges all addresses of
 * the name.
 */
const MAX_ADDRESSES_TRIED = 3;
const CONNECT_TIMEOUT_MS = 5_000;
/** A resolver that hangs must not block a place in the pool forever. */
const RESOLVE_TIMEOUT_MS = 10_000;

export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map((found) => found.address);

export type Destination = { hostname: string; port: number; protocol: string; service?: Service };

/**
 * The time is short, because a user waits while an address is saved. A name that does not resolve in time is checked
 * when it is called.
 */
const SAVE_TIMEOUT_MS = 3_000;

/**
 * All checks of destinations use this function, when an address is saved and when it is called. The promise resolves a
 * destination once and returns its addresses, or throws `egress_refused` if one of them is not allowed. Literal
 * addresses take the same path as names. Every address must pass, because a name with a public and a private address
 * could otherwise pass by chance.
 */
export async function resolveGuarded(
  { hostname, port, protocol, service = 'http' }: Destination,
  allow: AllowList,
  resolve: Resolve,
  withinMs = RESOLVE_TIMEOUT_MS,
): Promise<string[]> {
  const name = plainName(hostname);
  judgePort(service, name, port, allow);
  const addresses = isIP(name) === 0 ? await resolveName(name, resolve, withinMs) : [name];
  if (allow.host(name, port)) return addresses;
  for (const address of addresses) {
    if (allow.address(address, port)) continue;
    if (protocol !== 'https:') throw plainHttp();
    if (!isPublicAddress(address)) {
      throw new EgressError(
        'egress_refused',
        'The URL leads to an address that is not public, and the operator has not allowed it (PARLEY_EGRESS_ALLOW).',
        { cause: new Error(`${name} is at ${address}`) },
      );
    }
  }
  return addresses;
}

/**
 * Applies the rules for connections when a user saves an address. A name that does not resolve at this time is checked
 * again when it is called. Plain http is refused for a name that does not resolve, unless the operator allowed the
 * host.
 */
export async function judgeForSaving(destination: Destination, allow: AllowList, resolve: Resolve): Promise<void> {
  const { hostname, port, protocol } = destination;
  try {
    await resolveGuarded(destination, allow, resolve, SAVE_TIMEOUT_MS);
  } catch (error) {
    const isUnknown = error instanceof EgressError && error.code !== 'egress_refused';
    if (isUnknown && protocol === 'http:' && !allow.host(hostname, port)) throw plainHttp();
    throw error;
  }
}

const plainHttp = (): EgressError =>
  new EgressError(
    'egress_refused',
    'The URL is not https, and the operator has not allowed its host for plain http (PARLEY_EGRESS_ALLOW).',
  );

async function resolveName(name: string, resolve: Resolve, withinMs: number): Promise<string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the resolver did not answer')), withinMs);
  try {
    const addresses = await Promise.race([resolve(name), late]);
    if (addresses.length > 0) return addresses;
    throw new Error('the name has no address');
  } catch (cause) {
    throw new EgressError('egress_unreachable', 'The host name of the URL could not be resolved.', {
      cause,
      neverConnected: true,
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Opens every outgoing socket: judges the destination and connects to exactly the judged address, so a name that
 * resolves differently the second time (DNS rebinding) gains nothing. SNI, the name in the certificate and Host stay
 * the original name. The guard replaces undici's whole `connect`, because a guard in `connect.lookup` is never called
 * for literal addresses.
 */
export function guardedConnect(
  build: typeof buildConnector,
  allow: AllowList,
  resolve: Resolve,
  ca?: string,
): buildConnector.connector {
  const connect = build({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, ca });
  const dial = (address: string, { hostname, protocol }: buildConnector.Options, port: number) => {
    // Without a servername, the connector of undici uses the address alone for plain http.
    const name = plainName(hostname);
    const servername = protocol === 'https:' && isIP(name) === 0 ? name : undefined;
    return new Promise<Socket>((done, fail) =>
      connect({ hostname: address, protocol, port: String(port), servername }, (...[error, socket]) =>
        error === null ? done(socket) : fail(error),
      ),
    );
  };
  const open = async (options: buildConnector.Options): Promise<Socket> => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    const addresses = await resolveGuarded({ hostname, port, protocol }, allow, resolve);
    let failure: unknown;
    for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED)) {
      try {
        return await dial(address, options, port);
      } catch (error) {
        failure = error;
      }
    }
    throw new NotConnected(failure);
  };
  const opened = callbackify(open);
  return (options, callback) => opened(options, callback as (error: Error | null, socket: Socket) => void);
}
