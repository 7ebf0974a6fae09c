import type { HandOffRules } from '../../../contract/dashboard/hand-offs.ts';
import { mayAnswer, notAssignable } from '../../access/sessions/may-answer.ts';
import type { Queryable } from '../../store/db.ts';
import { readHandOffRule, writeHandOffRule } from '../../store/hand-offs/rules.ts';
import { lockMembers, readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { HandOffsDeps } from './deps.ts';
import { completeHours } from './check-working-hours.ts';

export async function readHandOffRules({ db }: { db: Queryable }, orgId: string): Promise<HandOffRules> {
  const row = await readHandOffRule(db, orgId);
  return {
    goes_to: (row?.goesTo ?? 'no_one') as HandOffRules['goes_to'],
    user_id: row?.userId ?? null,
    hours: row?.hours ? completeHours(row.hours) : null,
    outside: row?.outside ?? null,
  };
}

/** The new rules apply to later hand-offs. */
export function setHandOffRules(
  { db }: Pick<HandOffsDeps, 'db'>,
  orgId: string,
  { goes_to: goesTo, user_id: userId, hours: chosenHours, outside }: HandOffRules,
  actor: Actor,
): Promise<HandOffRules> {
  return db.transaction(async (tx) => {
    const hours = chosenHours && completeHours(chosenHours);
    // The removal of a member also deletes the member from the rules, and the lock orders the removal before or after
    // this change.
    await lockMembers(tx, orgId);
    const to = goesTo === 'member' ? userId : null;
    if (goesTo === 'member') {
      const role = to === null ? null : await readRole(tx, orgId, to);
      if (!mayAnswer(role)) throw notAssignable('/user_id');
    }
    const isNone = goesTo === 'no_one' && hours === null && outside === null;
    await writeHandOffRule(tx, orgId, isNone ? null : { goesTo, userId: to, hours, outside });
    const facts = { goes_to: goesTo, user_id: to };
    await recordAudit(tx, { orgId, actor, action: 'organization.hand_offs_set', subjectId: orgId, facts });
    return readHandOffRules({ db: tx }, orgId);
  });
}
