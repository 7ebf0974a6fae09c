import { connect, type Socket } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { EgressError } from './egress-error.ts';
import { resolveGuarded, type Resolve } from './guarded-connect.ts';

export type SocketTarget = {
  host: string;
  port: number;
  /**
   * True: the connection is never encrypted. An unencrypted connection is allowed only for hosts on the operator's
   * allow list.
   */
  plain?: boolean;
};

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ADDRESSES_TRIED = 3;

/** Opens a TCP connection to exactly the judged address, for protocols other than HTTP. The caller adds TLS. */
export async function openGuardedSocket(
  { host, port, plain = false }: SocketTarget,
  allow: AllowList,
  resolve: Resolve,
): Promise<Socket> {
  const addresses = await resolveGuarded(
    { hostname: host, port, protocol: plain ? 'plain:' : 'https:', service: 'mail' },
    allow,
    resolve,
  );
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED)) {
    try {
      return await dial(address, port);
    } catch (error) {
      failure = error;
    }
  }
  throw new EgressError('egress_unreachable', 'The remote server could not be reached.', {
    cause: failure,
    neverConnected: true,
  });
}

function dial(host: string, port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ host, port });
    const late = setTimeout(() => socket.destroy(timedOut()), CONNECT_TIMEOUT_MS);
    socket.once('connect', () => {
      clearTimeout(late);
      socket.off('error', fail);
      // An error that occurs before the caller listens must not crash the process.
      socket.on('error', () => {});
      done(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(late);
      fail(error);
    });
  });
}

const timedOut = (): Error => Object.assign(new Error('The connection timed out.'), { code: 'ETIMEDOUT' });
