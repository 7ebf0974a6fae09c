import { createSessionGate } from '../../access/sessions/session-gate.ts';
import type { Paging } from '../route/paging.ts';
import type { Route } from '../route/route.ts';
import { agentRoutes } from './agents.ts';
import { changeRoutes } from './changes.ts';
import { channelRoutes } from './channels.ts';
import { conversationRoutes } from './conversations.ts';
import { createDeclareRoute } from './dashboard-route.ts';
import { describeDashboard } from './describe.ts';
import type { Desk, Room } from './deps.ts';
import { endUserRoutes } from './end-users.ts';
import { importRoutes } from './imports.ts';
import { keyRoutes } from './keys.ts';
import { organizationRoutes } from './organizations.ts';
import { requestRoutes } from './requests.ts';
import { organizationSignInRoutes } from './organization-sign-in.ts';
import { secondFactorRoutes } from './second-factor.ts';
import { signInRoutes } from './sign-in.ts';
import { triggerRoutes } from './triggers.ts';
import { webhookRoutes } from './webhooks.ts';

/** The dashboard's own API: one route for each line of contract/dashboard/routes.ts, all behind the session gate. */
export function dashboardRoutes(room: Room, paging: Paging): Route[] {
  const route = createDeclareRoute({ gate: createSessionGate(room), paging, baseUrl: room.baseUrl });
  const desk: Desk = { route, room, paging };
  return [
    ...signInRoutes(desk),
    ...organizationSignInRoutes(desk),
    ...secondFactorRoutes(desk),
    ...organizationRoutes(desk),
    ...agentRoutes(desk),
    ...triggerRoutes(desk),
    ...channelRoutes(desk),
    ...keyRoutes(desk),
    ...webhookRoutes(desk),
    ...conversationRoutes(desk),
    ...endUserRoutes(desk),
    ...importRoutes(desk),
    ...changeRoutes(desk),
    ...requestRoutes(desk),
    route('readDescription', () => describeDashboard(room)),
  ];
}
