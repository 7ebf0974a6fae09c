import type { LiveDeltas } from '../src/store/deltas/live-deltas.ts';

/** Live text that no reader receives. */
export const NO_READERS: Pick<LiveDeltas, 'begin'> = {
  begin: () => ({ isRead: () => false, add: () => {}, takeBack: () => {}, end: () => {} }),
};
