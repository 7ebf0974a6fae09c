import type { Client } from './client.ts';
import type { StateBox } from './stored-state.ts';

/** Several messages within this time cause one request. */
const READ_AFTER_MS = 400;

/**
 * Holds the last message that the visitor has read. The newest seen message is stored in the browser and reported to
 * the server.
 */
export function createReadMark(client: Client, stored: StateBox) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    note: (newest: string) => {
      if (newest <= (stored.read().read ?? '')) return;
      stored.change((now) => {
        now.read = newest;
      });
      clearTimeout(timer);
      timer = setTimeout(() => {
        client.markRead(newest).catch(() => {});
      }, READ_AFTER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
