import type { ScriptedReply } from '../../../../contract/dashboard/rehearsals.ts';
import { asksToStop } from '../../../engine/stop-words.ts';
import type { Player, ReplyOf } from './play-clock.ts';

const MINUTE_MS = 60_000;
/** The multiples of this number fill the range from 0 to 1 evenly, however many multiples are used. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

type Line = { text: string; afterMs: number; optsOut: boolean };

/**
 * Decides the reply of each recipient, first for recipients whose reference is named, then by the given shares of all
 * others. The same people give the same replies each time. A rule of the agent decides whether a reply is an opt-out.
 */
export function readScript(
  replies: readonly ScriptedReply[],
  refOf: (player: Player) => string | null,
): { replyOf: ReplyOf; optsOut(text: string): boolean } {
  const lines = replies.map(({ text, after_minutes: minutes }): Line => {
    return { text, afterMs: minutes * MINUTE_MS, optsOut: asksToStop([text]) };
  });
  const named = new Map(replies.flatMap(({ refs = [] }, at) => refs.map((ref) => [ref, lines[at]!])));
  let messaged = 0;
  const replyOf: ReplyOf = (player) => {
    const ref = refOf(player);
    const own = ref === null ? undefined : named.get(ref);
    if (own) return own;
    let left = ((++messaged * GOLDEN) % 1) * 100;
    for (const [at, { percent = 0 }] of replies.entries()) if ((left -= percent) < 0) return lines[at]!;
    return null;
  };
  return { replyOf, optsOut: (text) => lines.some((line) => line.text === text && line.optsOut) };
}
