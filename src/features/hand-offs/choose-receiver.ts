import { mayAnswer } from '../../access/sessions/may-answer.ts';
import type { Queryable } from '../../store/db.ts';
import { type HandOffRule, isAway, takeTurn } from '../../store/hand-offs/rules.ts';
import { readRole } from '../../store/members/members.ts';

/**
 * Every member of the organization sees a hand-off in the list of conversations that wait for the team. The rules of
 * the organization assign the hand-off to one member who may answer.
 * - With `present`, this is the member with an open dashboard who has waited longest for a hand-off.
 * - With `member`, this is the member in the rules, if this member may still answer.
 * - With `no_one`, the hand-off waits for the whole team. If no member matches the rules, the hand-off waits for all
 *   members.
 *
 * A member who has chosen to be away gets no hand-offs.
 */
export async function chooseReceiver(tx: Queryable, { orgId, goesTo, userId }: HandOffRule): Promise<string | null> {
  if (goesTo === 'present') return takeTurn(tx, orgId);
  if (userId === null) return null;
  if (await isAway(tx, orgId, userId)) return null;
  // The role of the member may have changed since the rules were set.
  return mayAnswer(await readRole(tx, orgId, userId)) ? userId : null;
}
