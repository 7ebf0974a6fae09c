import type { LiveWords } from '../src/store/deltas/live-deltas.ts';

/** Live text without readers. */
export const NO_READERS: Pick<LiveWords, 'begin'> = {
  begin: () => ({ isRead: () => false, add: () => {}, takeBack: () => {}, end: () => {} }),
};
