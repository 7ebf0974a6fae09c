import type { HandOffReason } from '../../../contract/dashboard/statistics.ts';
import { note, ownText, say, type Talk } from './talk.ts';

export const handOff = (talk: Talk, reason: HandOffReason, why: string, reply: string | null = null): void => {
  note(talk, 'hand_off', why, { reason });
  talk.state.misses = 0;
  talk.next = 'handed_off';
  say(talk, reply ?? ownText(talk, talk.definition.hand_off?.text) ?? talk.texts.hand_off);
};

export const optOut = (talk: Talk, why: string, reply: string | null = null): void => {
  note(talk, 'opt_out', why);
  talk.optedOut = true;
  talk.state.step = null;
  talk.next = 'completed';
  say(talk, reply ?? talk.texts.opted_out);
};
