import type { HandOffsDeps } from '../../features/hand-offs/deps.ts';
import { readHandOffRules, setHandOffRules } from '../../features/hand-offs/set-rules.ts';
import { setInbox } from '../../features/hand-offs/set-inbox.ts';
import { setAttendance } from '../../features/hand-offs/set-attendance.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for the rules about the recipients of hand-offs. */
export const handOffRoutes = ({ route, deps }: RouteDeps<Pick<HandOffsDeps, 'db'>>): Route[] => [
  route('readHandOffRules', ({ orgId }) => readHandOffRules(deps, orgId)),
  route('setAttendance', ({ orgId, body, acting: { userId } }) => setAttendance(deps, orgId, userId, body.away)),
  route('setInbox', ({ orgId, body, acting: { userId } }) => setInbox(deps, orgId, userId, body.opens_next)),
  route('setHandOffRules', ({ orgId, body, actor }) => setHandOffRules(deps, orgId, body, actor)),
];
