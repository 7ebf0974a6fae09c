import type { Client } from './client.ts';
import type { KeptBox } from './kept.ts';

/** Several at once are told once. */
const READ_AFTER_MS = 400;

/** Up to which message the visitor has read: kept here, and told to the server. */
export function createReadMark(client: Client, kept: KeptBox) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    note: (newest: string) => {
      if (newest <= (kept.read().read ?? '')) return;
      kept.change((now) => {
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
