import type { SessionView } from '../../../contract/dashboard/sign-in.ts';
import type { DashboardCaller } from '../../access/sessions/session-gate.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { readPausedAt } from '../../store/installation/pause.ts';
import { listMemberships } from '../../store/organizations/organizations.ts';
import { MAX_MEMBERSHIPS } from './create-organization.ts';
import type { OrganizationsDeps } from './deps.ts';

/**
 * The view shows up to twice the limit of organizations, because the operator has no limit. The list of organizations
 * contains the organizations above this number.
 */
const MAX_SHOWN = MAX_MEMBERSHIPS * 2;

type Shown = Pick<SignedIn, 'user' | 'signInFactor' | 'onlyOrgId'> & Partial<Pick<DashboardCaller, 'token'>>;

export async function readSessionView(
  { db, region, baseUrl, upgradeUrl, queueMail }: OrganizationsDeps,
  { user, signInFactor, onlyOrgId, token = null }: Shown,
): Promise<SessionView> {
  const operatorId = await readOperatorId(db);
  const pausedAt = await readPausedAt(db);
  const { rows } = await listMemberships(db, user.id, onlyOrgId, { limit: MAX_SHOWN, after: null });
  return {
    user: { id: user.id, name: user.name, email: user.email, email_verified: user.emailVerified },
    operator: onlyOrgId === null && operatorId === user.id,
    only_organization: onlyOrgId,
    organizations: rows.map(({ id, name, plan, role, timeZone, opensNext, requiresSecondFactor }) => ({
      id,
      name,
      plan,
      role: token?.role ?? role,
      time_zone: timeZone,
      opens_next: opensNext,
      second_factor_required: requiresSecondFactor && !signInFactor,
    })),
    token: token && {
      id: token.id,
      label: token.label,
      verbs: token.verbs,
      agent_ids: token.agentIds,
      expires_at: token.expiresAt && timestamp(token.expiresAt),
    },
    region,
    base_url: baseUrl,
    upgrade_url: upgradeUrl,
    mail: queueMail !== null,
    paused_since: pausedAt && timestamp(pausedAt),
  };
}
