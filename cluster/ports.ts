import { createServer } from 'node:net';

/**
 * The ports are below the ephemeral ports of systems (Linux 32768 and up, others 49152 and up). No other process gets
 * such a port by chance between the check and the use, or during a restart of a node.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
/** Each process starts its search at a different port. */
let lastPort = process.pid * 16;

/** A free port, a different one in each call. */
export async function freePort(): Promise<number> {
  for (let look = 0; look < PORTS; look++) {
    const port = FIRST_PORT + (++lastPort % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are taken.`);
}

/** True if no process listens on the port. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
