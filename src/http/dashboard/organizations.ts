import type { QueryOf } from '../../../contract/dashboard/routes.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { removeMember, setMemberRole } from '../../features/members/change-members.ts';
import { inviteMember, renewInvitation, withdrawInvitation } from '../../features/members/invite-member.ts';
import { listInvitations, listMembers } from '../../features/members/read-members.ts';
import { createOrganization } from '../../features/organizations/create-organization.ts';
import { exportAudit } from '../../features/organizations/export-audit.ts';
import { listAudit, readOverview } from '../../features/organizations/read-activity.ts';
import { listOrganizations, presentOrganization } from '../../features/organizations/read-organizations.ts';
import { renameOrganization } from '../../features/organizations/rename-organization.ts';
import { requireSecondFactor } from '../../features/organizations/require-second-factor.ts';
import { previewRetention, readRetention, setRetention } from '../../features/organizations/set-retention.ts';
import { setPlan } from '../../features/organizations/set-plan.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';
import { download } from './download.ts';

/** Organizations, their members, and their audit log. */
export const organizationRoutes = ({ route, room }: Desk): Route[] => [
  route('listOrganizations', ({ caller, query, paged }) => {
    const all = query.all === true;
    if (all && !caller.isOperator) throw new Refusal('operator_required');
    const filter = { all, text: query.text };
    return paged(filter, (page) =>
      listOrganizations(room, { userId: caller.user.id, onlyOrgId: caller.onlyOrgId }, filter, page),
    );
  }),
  route('createOrganization', ({ caller, body, actor }) =>
    createOrganization(room, { userId: caller.user.id, isOperator: caller.isOperator }, body, actor),
  ),
  route('readOrganization', ({ caller }) => presentOrganization(caller.membership!)),
  route('renameOrganization', async ({ orgId, body, actor, acting }) =>
    presentOrganization({ ...(await renameOrganization(room, orgId, body.name, actor)), role: acting.role }),
  ),
  route('requireSecondFactor', async ({ orgId, caller, body, actor, acting }) =>
    presentOrganization({
      ...(await requireSecondFactor(room, orgId, body.required, caller, actor)),
      role: acting.role,
    }),
  ),
  route('readRetention', ({ orgId }) => readRetention(room, orgId)),
  route('previewRetention', ({ orgId, query }) => previewRetention(room, orgId, query.days)),
  route('setRetention', ({ orgId, body, actor }) => setRetention(room, orgId, body.days, actor)),
  route('setPlan', ({ orgId, body, actor }) => setPlan(room, orgId, body.plan, actor)),

  route('listMembers', async ({ orgId }) => ({ data: await listMembers(room, orgId) })),
  route('setMemberRole', ({ orgId, params, body, acting, actor }) =>
    setMemberRole(room, orgId, params.member_id, body.role, acting, actor),
  ),
  route('removeMember', ({ orgId, params, acting, actor }) =>
    removeMember(room, orgId, params.member_id, acting, actor),
  ),
  route('listInvitations', async ({ orgId, acting }) => ({ data: await listInvitations(room, orgId, acting) })),
  route('invite', ({ orgId, body, acting, actor }) => inviteMember(room, orgId, body, acting, actor)),
  route('renewInvitation', ({ orgId, params, acting, actor }) =>
    renewInvitation(room, orgId, params.invitation_id, acting, actor),
  ),
  route('withdrawInvitation', ({ orgId, params, acting, actor }) =>
    withdrawInvitation(room, orgId, params.invitation_id, acting, actor),
  ),

  route('listAudit', ({ orgId, query, acting, paged }) => {
    const showAddresses = isAtLeast(acting.role, 'admin');
    const { subject_id, actor, since, until } = query;
    const filter = auditFilterOf(query);
    return paged({ subject_id, actor, since, until }, (page) =>
      listAudit(room, orgId, filter, { showAddresses }, page),
    );
  }),
  route('exportAudit', async ({ orgId, query, actor, reply }) => {
    const { format = 'csv' } = query;
    return download(reply, {
      name: `audit.${format}`,
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      parts: await exportAudit(room, orgId, { format, filter: auditFilterOf(query) }, actor),
    });
  }),
  route('readOverview', ({ orgId }) => readOverview(room, orgId)),
];

const auditFilterOf = ({ subject_id, actor, since, until }: QueryOf<'exportAudit'>) => ({
  subjectId: subject_id,
  actor,
  since: since === undefined ? undefined : new Date(since),
  until: until === undefined ? undefined : new Date(until),
});
