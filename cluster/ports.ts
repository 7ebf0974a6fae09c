import { createServer } from 'node:net';

/**
 * Below the ephemeral ports of systems (Linux 32768 and up, others 49152 and up), so that no other process gets the
 * port by chance between the check and the use, or while a node is restarted.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
/** Each process starts to look at a different place. */
let lastPort = process.pid * 16;

/** A port that is free now, a different one each time. */
export async function freePort(): Promise<number> {
  for (let look = 0; look < PORTS; look++) {
    const port = FIRST_PORT + (++lastPort % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are taken.`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
