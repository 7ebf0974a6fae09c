import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { type Organization, renameOrganization as writeName } from '../../store/organizations/organizations.ts';
import type { OrganizationsDeps } from './deps.ts';

/** The change uses the change log, because each node caches the name with its callers. */
export async function renameOrganization(
  { access }: OrganizationsDeps,
  orgId: string,
  name: string,
  actor: Actor,
): Promise<Organization> {
  const { result } = await access.change({ kind: 'organization', id: orgId }, async (tx) => {
    const row = await writeName(tx, orgId, name);
    if (!row) throw new Refusal('organization_not_found');
    await recordAudit(tx, { orgId, actor, action: 'organization.renamed', subjectId: orgId, facts: { name } });
    return row;
  });
  return result;
}
