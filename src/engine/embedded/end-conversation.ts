import type { HandOffReason } from '../../../contract/dashboard/statistics.ts';
import { note, ownText, say, type EmbeddedTurn } from './embedded-turn.ts';

export const handOff = (turn: EmbeddedTurn, reason: HandOffReason, why: string, reply: string | null = null): void => {
  note(turn, 'hand_off', why, { reason });
  turn.state.misses = 0;
  turn.next = 'handed_off';
  say(turn, reply ?? ownText(turn, turn.definition.hand_off?.text) ?? turn.texts.hand_off);
};

export const optOut = (turn: EmbeddedTurn, why: string, reply: string | null = null): void => {
  note(turn, 'opt_out', why);
  turn.optedOut = true;
  turn.state.step = null;
  turn.next = 'completed';
  say(turn, reply ?? turn.texts.opted_out);
};
