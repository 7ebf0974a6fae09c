import type { UpdateOrganizationBody } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { changeOrganization, type Organization } from '../../store/organizations/organizations.ts';
import type { OrganizationsDeps } from './deps.ts';

/** The change uses the change log, because each node caches the name of the organization with its callers. */
export async function updateOrganization(
  { access }: OrganizationsDeps,
  orgId: string,
  { name, time_zone: timeZone }: UpdateOrganizationBody,
  actor: Actor,
): Promise<Organization> {
  const { result } = await access.change({ kind: 'organization', id: orgId }, async (tx) => {
    const row = await changeOrganization(tx, orgId, {
      ...(name !== undefined && { name }),
      ...(timeZone !== undefined && { timeZone }),
    });
    if (!row) throw new Refusal('organization_not_found');
    const record = (action: string, facts: object) =>
      recordAudit(tx, { orgId, actor, action: `organization.${action}`, subjectId: orgId, facts: { ...facts } });
    if (name !== undefined) await record('renamed', { name });
    if (timeZone !== undefined) await record('time_zone_set', { time_zone: timeZone });
    return row;
  });
  return result;
}
