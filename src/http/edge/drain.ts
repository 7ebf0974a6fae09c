import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Slower than the slowest request (30 s for its arrival is cut by the same deadline): the promise is drained ≤ 30 s. */
const DRAIN_DEADLINE_MS = 25_000;
const IDLE_CHECK_MS = 50;

type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Leaving without failing anybody. `drain` keeps answering but tells every client to close its connection after the
 * answer, so that a balancer moves on; `close` takes no new connections, lets answers under way finish, closes idle
 * connections, and cuts what is left after the deadline. Node stops its own request timers when a server closes.
 */
export function createDrain(server: Server, deadlineMs = DRAIN_DEADLINE_MS) {
  const sockets = new Set<BusySocket>();
  let draining = false;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const drain = (): void => {
    draining = true;
    for (const socket of sockets) {
      const answer = socket._httpMessage;
      if (answer && !answer.headersSent) answer.setHeader('connection', 'close');
    }
  };

  return {
    isDraining: (): boolean => draining,
    drain,
    /** To be called right before the server's own close. */
    beginClose(): void {
      drain();
      // What never listened never says "close".
      if (!server.listening) return;
      const closeIdle = setInterval(() => {
        server.closeIdleConnections();
        // Connections that never said anything count as busy for Node. By now a request that had come is being read.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, IDLE_CHECK_MS);
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
      server.once('close', () => {
        clearInterval(closeIdle);
        clearTimeout(deadline);
      });
    },
  };
}
