import { Refusal } from '../../../contract/problems.ts';
import type { Plan } from '../../../contract/permissions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { setOrganizationPlan } from '../../store/organizations/organizations.ts';
import type { OrganizationsDeps } from './deps.ts';

/** Every node already uses the new plan when the response is sent. */
export async function setPlan(
  { access }: OrganizationsDeps,
  orgId: string,
  plan: Plan,
  actor: Actor,
): Promise<{ id: string; plan: Plan; effective_at: string }> {
  const { effectiveAt } = await access.change({ kind: 'organization', id: orgId }, async (tx) => {
    if (!(await setOrganizationPlan(tx, orgId, plan))) throw new Refusal('organization_not_found');
    await recordAudit(tx, { orgId, actor, action: 'organization.plan_set', subjectId: orgId, facts: { plan } });
  });
  return { id: orgId, plan, effective_at: timestamp(effectiveAt) };
}
