import { Refusal } from '../../../contract/problems.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { type Organization, setSecondFactorRequired } from '../../store/organizations/organizations.ts';
import type { OrganizationsDeps } from './deps.ts';

/**
 * From the next request on, sessions without a second factor have no access to the organization. The person who turns
 * the setting on must have used a second factor, so that no owner locks out all members.
 */
export async function requireSecondFactor(
  { db }: Pick<OrganizationsDeps, 'db'>,
  orgId: string,
  required: boolean,
  who: SignedIn,
  actor: Actor,
): Promise<Organization> {
  if (required && !who.signInFactor) {
    throw new Refusal(
      'second_factor_required',
      'Set up a second factor for yourself first, on the page of your account.',
    );
  }
  return db.transaction(async (tx) => {
    const row = await setSecondFactorRequired(tx, orgId, required);
    if (!row) throw new Refusal('organization_not_found');
    const action = required ? 'organization.second_factor_required' : 'organization.second_factor_optional';
    await recordAudit(tx, { orgId, actor, action, subjectId: orgId });
    return row;
  });
}
