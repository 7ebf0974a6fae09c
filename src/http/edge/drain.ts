import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The deadline also ends a request that takes its full 30 s to arrive, because the documentation promises to drain
 * within 30 s.
 */
const DRAIN_DEADLINE_MS = 25_000;
const IDLE_CHECK_MS = 50;

type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Stops the server without failed requests. `drain` still answers requests but asks every client to close its
 * connection after the response, so that a load balancer uses another node. `close` accepts no new connections, lets
 * responses in progress finish, closes idle connections, and ends the rest after the deadline. Node stops its own
 * request timers when a server closes, so the deadline also ends requests that arrive too slowly.
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
    /** Call this method immediately before the server's own close. */
    beginClose(): void {
      drain();
      // A server that never listened emits no "close" event.
      if (!server.listening) return;
      const closeIdle = setInterval(() => {
        server.closeIdleConnections();
        // Node counts connections that never sent a byte as busy. A request that has arrived is being read, so its
        // connection is busy.
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
