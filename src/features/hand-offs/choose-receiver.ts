import { mayAnswer } from '../../access/sessions/may-answer.ts';
import type { Queryable } from '../../store/db.ts';
import { type HandOffRule, isAway, takeTurn } from '../../store/hand-offs/rules.ts';
import { readRole } from '../../store/members/members.ts';

/**
 * Who sees a hand-off: every member of the organization, in the list of conversations that wait for the team. By the
 * rules of the organization, it is assigned to one member who may answer:
 * - `present`: of the members who have the dashboard open, the one who has waited longest for a hand-off.
 * - `member`: the member in the rules, if this member may still answer.
 * - `no_one`: the hand-off waits for the whole team. The hand-off also waits for all members if no member matches the
 *   rules.
 *
 * A member who has chosen to be away gets no hand-offs.
 */
export async function chooseReceiver(tx: Queryable, { orgId, goesTo, userId }: HandOffRule): Promise<string | null> {
  if (goesTo === 'present') return takeTurn(tx, orgId);
  if (userId === null) return null;
  if (await isAway(tx, orgId, userId)) return null;
  // The role may have changed since the rules were set.
  return mayAnswer(await readRole(tx, orgId, userId)) ? userId : null;
}
