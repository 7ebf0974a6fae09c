import { createSessionGate } from '../../access/sessions/session-gate.ts';
import type { Paging } from '../route/paging.ts';
import type { Route } from '../route/route.ts';
import { accessTokenRoutes } from './access-tokens.ts';
import { approvalRoutes } from './approvals.ts';
import { agentRoutes } from './agents.ts';
import { campaignRoutes } from './campaigns.ts';
import { changeRoutes } from './changes.ts';
import { channelRoutes } from './channels.ts';
import { conversationRoutes } from './conversations.ts';
import { createDeclareRoute } from './dashboard-route.ts';
import { describeDashboard } from './dashboard-openapi.ts';
import { endUserRoutes } from './end-users.ts';
import { handOffRoutes } from './hand-offs.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { importRoutes } from './imports.ts';
import { keyRoutes } from './keys.ts';
import { memberHelpRoutes } from './member-help.ts';
import { organizationRoutes } from './organizations.ts';
import { requestRoutes } from './requests.ts';
import { organizationSignInRoutes } from './organization-sign-in.ts';
import { resultRoutes } from './results.ts';
import { savedReplyRoutes } from './saved-replies.ts';
import { segmentRoutes } from './segments.ts';
import { secondFactorRoutes } from './second-factor.ts';
import { signInRoutes } from './sign-in.ts';
import { costRoutes } from './costs.ts';
import { toolRoutes } from './tools.ts';
import { documentSourceRoutes } from './document-sources.ts';
import { triggerRoutes } from './triggers.ts';
import { webhookRoutes } from './webhooks.ts';

type DepsOf<Routes extends (routeDeps: never) => Route[]> = Parameters<Routes>[0]['deps'];

/** The dependencies of all verbs behind the dashboard. */
export type DashboardDeps = DepsOf<typeof signInRoutes> &
  DepsOf<typeof organizationSignInRoutes> &
  DepsOf<typeof secondFactorRoutes> &
  DepsOf<typeof organizationRoutes> &
  DepsOf<typeof agentRoutes> &
  DepsOf<typeof knowledgeRoutes> &
  DepsOf<typeof documentSourceRoutes> &
  DepsOf<typeof toolRoutes> &
  DepsOf<typeof costRoutes> &
  DepsOf<typeof triggerRoutes> &
  DepsOf<typeof channelRoutes> &
  DepsOf<typeof campaignRoutes> &
  DepsOf<typeof resultRoutes> &
  DepsOf<typeof keyRoutes> &
  DepsOf<typeof accessTokenRoutes> &
  DepsOf<typeof webhookRoutes> &
  DepsOf<typeof conversationRoutes> &
  DepsOf<typeof memberHelpRoutes> &
  DepsOf<typeof handOffRoutes> &
  DepsOf<typeof approvalRoutes> &
  DepsOf<typeof savedReplyRoutes> &
  DepsOf<typeof segmentRoutes> &
  DepsOf<typeof endUserRoutes> &
  DepsOf<typeof importRoutes> &
  DepsOf<typeof changeRoutes> &
  DepsOf<typeof requestRoutes> &
  Parameters<typeof createSessionGate>[0] &
  Parameters<typeof describeDashboard>[0];

/** The dashboard's own API: one route for each line of contract/dashboard/routes.ts, all behind the session gate. */
export function dashboardRoutes(deps: DashboardDeps, paging: Paging): Route[] {
  const route = createDeclareRoute({ gate: createSessionGate(deps), paging, baseUrl: deps.baseUrl });
  const routeDeps = { route, deps, paging };
  return [
    ...signInRoutes(routeDeps),
    ...organizationSignInRoutes(routeDeps),
    ...secondFactorRoutes(routeDeps),
    ...organizationRoutes(routeDeps),
    ...agentRoutes(routeDeps),
    ...knowledgeRoutes(routeDeps),
    ...documentSourceRoutes(routeDeps),
    ...toolRoutes(routeDeps),
    ...costRoutes(routeDeps),
    ...triggerRoutes(routeDeps),
    ...channelRoutes(routeDeps),
    ...campaignRoutes(routeDeps),
    ...resultRoutes(routeDeps),
    ...keyRoutes(routeDeps),
    ...accessTokenRoutes(routeDeps),
    ...webhookRoutes(routeDeps),
    ...conversationRoutes(routeDeps),
    ...memberHelpRoutes(routeDeps),
    ...handOffRoutes(routeDeps),
    ...approvalRoutes(routeDeps),
    ...savedReplyRoutes(routeDeps),
    ...segmentRoutes(routeDeps),
    ...endUserRoutes(routeDeps),
    ...importRoutes(routeDeps),
    ...changeRoutes(routeDeps),
    ...requestRoutes(routeDeps),
    route('readDescription', () => describeDashboard(deps)),
  ];
}
