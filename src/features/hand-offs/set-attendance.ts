import { Refusal } from '../../../contract/problems.ts';
import { writeAway } from '../../store/hand-offs/rules.ts';
import { holdMember } from '../../store/members/members.ts';
import type { HandOffsDeps } from './deps.ts';

/** A member chooses to be away or present. The choice applies to later hand-offs, and no conversation changes. */
export const setAttendance = (
  { db }: Pick<HandOffsDeps, 'db'>,
  orgId: string,
  userId: string,
  away: boolean,
): Promise<void> =>
  db.transaction(async (tx) => {
    if ((await holdMember(tx, orgId, userId)) === null) throw new Refusal('organization_not_found');
    await writeAway(tx, orgId, userId, away);
  });
