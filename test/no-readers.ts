import type { LiveWords } from '../src/store/deltas/live-deltas.ts';

/** Turns whose words no one reads. */
export const NO_READERS: Pick<LiveWords, 'begin'> = {
  begin: () => ({ isRead: () => false, add: () => {}, takeBack: () => {}, end: () => {} }),
};
