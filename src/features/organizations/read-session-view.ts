import type { SessionView } from '../../../contract/dashboard/sign-in.ts';
import type { SignedIn } from '../../access/sessions/sessions.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { listMemberships } from '../../store/organizations/organizations.ts';
import { MAX_MEMBERSHIPS } from './create-organization.ts';
import type { OrganizationsDeps } from './deps.ts';

/** Twice the limit, because the operator has no limit. The rest is in the list of organizations. */
const MAX_SHOWN = MAX_MEMBERSHIPS * 2;

export async function readSessionView(
  { db, region, baseUrl, upgradeUrl, queueMail }: OrganizationsDeps,
  { user, signInFactor, onlyOrgId }: Pick<SignedIn, 'user' | 'signInFactor' | 'onlyOrgId'>,
): Promise<SessionView> {
  const [operatorId, { rows }] = [
    await readOperatorId(db),
    await listMemberships(db, user.id, onlyOrgId, { limit: MAX_SHOWN, after: null }),
  ];
  return {
    user: { id: user.id, name: user.name, email: user.email, email_verified: user.emailVerified },
    operator: onlyOrgId === null && operatorId === user.id,
    only_organization: onlyOrgId,
    organizations: rows.map(({ id, name, plan, role, requiresSecondFactor }) => ({
      id,
      name,
      plan,
      role,
      second_factor_required: requiresSecondFactor && !signInFactor,
    })),
    region,
    base_url: baseUrl,
    upgrade_url: upgradeUrl,
    mail: queueMail !== null,
  };
}
