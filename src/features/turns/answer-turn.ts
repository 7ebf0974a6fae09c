import { Refusal } from '../../../contract/problems.ts';
import type { TurnAnswer } from '../../../contract/turns.ts';
import { checkAnswer, printOf } from '../../answering/turns/check-answer.ts';
import { readReplyToken, type ReplyClaims } from '../../answering/turns/reply-token.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { readRepliedTurn, storeReply } from '../../store/turns/code-turn.ts';

export type TurnsDeps = {
  db: Db;
  /** The key that signs reply tokens. */
  turnKey: Key;
  /** This function is called when a run is due. */
  onAccepted(): void;
};

/** A turn that the caller may answer. */
export type FoundReply = ReplyClaims;

/** Returns the turn for which the token was issued. The function throws if the path names another turn. */
export function findReply({ turnKey }: Pick<TurnsDeps, 'turnKey'>, turnId: string, token: string): ReplyClaims {
  const claims = readReplyToken(turnKey, token);
  if (claims === null || claims.turnId !== turnId) throw new Refusal('reply_token_invalid');
  return claims;
}

/**
 * Stores the answer of the customer's code. The first answer to a turn counts. After the first answer, the run is due,
 * and a worker sends the messages. `isReplay`: true if the same answer was stored before.
 */
export async function answerTurn(
  { db, onAccepted }: Pick<TurnsDeps, 'db' | 'onAccepted'>,
  reply: ReplyClaims,
  answer: TurnAnswer,
): Promise<{ isReplay: boolean }> {
  const turn = await readRepliedTurn(db.$client, reply);
  if (turn) checkAnswer(answer, turn.fields);
  const outcome = await storeReply(db.$client, reply, { answer, print: printOf(answer) });
  onAccepted();
  if (outcome === 'superseded') throw new Refusal('turn_superseded');
  return { isReplay: outcome === 'replayed' };
}
