import { createServer } from 'node:net';

/**
 * Below what systems give to whoever asks for any port (Linux 32768 up, others 49152 up): between the look and the use,
 * and while a node that ended is started again, nobody gets it by chance.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
/** Each process begins to look in a place of its own. */
let lastPort = process.pid * 16;

/** A port that nobody uses now, another one each time. */
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
