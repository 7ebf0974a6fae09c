import type { QueryOf } from '../../../contract/dashboard/routes.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { removeMember, setMemberRole } from '../../features/members/change-members.ts';
import { inviteMember, renewInvitation, withdrawInvitation } from '../../features/members/invite-member.ts';
import { listInvitations, listMembers } from '../../features/members/read-members.ts';
import { createOrganization } from '../../features/organizations/create-organization.ts';
import { exportAudit } from '../../features/organizations/export-audit.ts';
import { exportAnalytics } from '../../features/statistics/export-analytics.ts';
import { readAnalytics } from '../../features/statistics/read-analytics.ts';
import { readStatistics } from '../../features/statistics/read-statistics.ts';
import {
  readWeeklyMail,
  setWeeklyMail,
  stopWeeklyMail,
  type WeeklyMailDeps,
} from '../../features/statistics/weekly-mail.ts';
import { listAudit, readOverview } from '../../features/organizations/read-activity.ts';
import { listOrganizations, presentOrganization } from '../../features/organizations/read-organizations.ts';
import { updateOrganization } from '../../features/organizations/update-organization.ts';
import { requireSecondFactor } from '../../features/organizations/require-second-factor.ts';
import { previewRetention, readRetention, setRetention } from '../../features/organizations/retention.ts';
import { setPlan } from '../../features/organizations/set-plan.ts';
import type { MembersDeps } from '../../features/members/deps.ts';
import type { OrganizationsDeps } from '../../features/organizations/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for organizations, their members, and their audit log. */
export const organizationRoutes = ({
  route,
  deps,
}: RouteDeps<OrganizationsDeps & MembersDeps & WeeklyMailDeps>): Route[] => [
  route('listOrganizations', ({ caller, query, paged }) => {
    const all = query.all === true;
    if (all && !caller.isOperator) throw new Refusal('operator_required');
    const filter = { all, text: query.text };
    return paged(filter, (page) =>
      listOrganizations(deps, { userId: caller.user.id, onlyOrgId: caller.onlyOrgId }, filter, page),
    );
  }),
  route('createOrganization', ({ caller, body, actor }) =>
    createOrganization(deps, { userId: caller.user.id, isOperator: caller.isOperator }, body, actor),
  ),
  route('readOrganization', ({ caller }) => presentOrganization(caller.membership!)),
  route('updateOrganization', async ({ orgId, body, actor, acting }) =>
    presentOrganization({ ...(await updateOrganization(deps, orgId, body, actor)), role: acting.role }),
  ),
  route('requireSecondFactor', async ({ orgId, caller, body, actor, acting }) =>
    presentOrganization({
      ...(await requireSecondFactor(deps, orgId, body.required, caller, actor)),
      role: acting.role,
    }),
  ),
  route('readRetention', ({ orgId }) => readRetention(deps, orgId)),
  route('previewRetention', ({ orgId, query }) => previewRetention(deps, orgId, query.days)),
  route('setRetention', ({ orgId, body, actor }) => setRetention(deps, orgId, body.days, actor)),
  route('setPlan', ({ orgId, body, actor }) => setPlan(deps, orgId, body.plan, actor)),

  route('listMembers', async ({ orgId, acting }) => ({ data: await listMembers(deps, orgId, acting) })),
  route('setMemberRole', ({ orgId, params, body, acting, actor }) =>
    setMemberRole(deps, orgId, params.member_id, body.role, acting, actor),
  ),
  route('removeMember', ({ orgId, params, acting, actor }) =>
    removeMember(deps, orgId, params.member_id, acting, actor),
  ),
  route('listInvitations', async ({ orgId, acting }) => ({ data: await listInvitations(deps, orgId, acting) })),
  route('invite', ({ orgId, body, acting, actor }) => inviteMember(deps, orgId, body, acting, actor)),
  route('renewInvitation', ({ orgId, params, acting, actor }) =>
    renewInvitation(deps, orgId, params.invitation_id, acting, actor),
  ),
  route('withdrawInvitation', ({ orgId, params, acting, actor }) =>
    withdrawInvitation(deps, orgId, params.invitation_id, acting, actor),
  ),

  route('listAudit', ({ orgId, query, acting, paged }) => {
    const showAddresses = isAtLeast(acting.role, 'admin');
    const { subject_id, actor, since, until } = query;
    const filter = auditFilterOf(query);
    return paged({ subject_id, actor, since, until }, (page) =>
      listAudit(deps, orgId, filter, { showAddresses }, page),
    );
  }),
  route('exportAudit', async ({ orgId, query, actor, download }) => {
    const { format = 'csv' } = query;
    return download({
      name: `audit.${format}`,
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      parts: await exportAudit(deps, orgId, { format, filter: auditFilterOf(query) }, actor),
    });
  }),
  route('readStatistics', ({ orgId, query }) => readStatistics(deps, orgId, query.period)),
  route('readAnalytics', ({ orgId, query }) => readAnalytics(deps, orgId, query)),
  route('exportAnalytics', async ({ orgId, query, download }) =>
    download({
      name: 'analytics.csv',
      type: 'text/csv; charset=utf-8',
      parts: await exportAnalytics(deps, orgId, query),
    }),
  ),
  route('readWeeklyMail', ({ orgId, acting }) => readWeeklyMail(deps, orgId, acting.userId)),
  route('setWeeklyMail', ({ orgId, acting, body }) => setWeeklyMail(deps, orgId, acting.userId, body)),
  route('stopWeeklyMail', ({ params }) => stopWeeklyMail(deps, params.link)),
  route('readOverview', ({ orgId }) => readOverview(deps, orgId)),
];

const auditFilterOf = ({ subject_id, actor, since, until }: QueryOf<'exportAudit'>) => ({
  subjectId: subject_id,
  actor,
  since: since === undefined ? undefined : new Date(since),
  until: until === undefined ? undefined : new Date(until),
});
