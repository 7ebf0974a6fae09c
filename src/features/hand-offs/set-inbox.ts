import { Refusal } from '../../../contract/problems.ts';
import { writeOpensNext } from '../../store/members/members.ts';
import type { HandOffsDeps } from './deps.ts';

/** A member chooses whether the inbox opens the next conversation. The choice applies in each browser of the member. */
export async function setInbox(
  { db }: Pick<HandOffsDeps, 'db'>,
  orgId: string,
  userId: string,
  opensNext: boolean,
): Promise<void> {
  if (!(await writeOpensNext(db, orgId, userId, opensNext))) throw new Refusal('organization_not_found');
}
