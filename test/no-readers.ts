import type { LiveWords } from '../src/store/words/live-words.ts';

/** Turns whose words no one reads. */
export const NO_READERS: Pick<LiveWords, 'begin'> = {
  begin: () => ({ isRead: () => false, add: () => {}, takeBack: () => {}, end: () => {} }),
};
