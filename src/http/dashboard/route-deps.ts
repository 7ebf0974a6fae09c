import type { Paging } from '../route/paging.ts';
import type { DeclareRoute } from './dashboard-route.ts';

/** What each file of routes gets: the way to declare a route, and the dependencies of the verbs behind it. */
export type RouteDeps<Deps> = { route: DeclareRoute; deps: Deps; paging: Paging };
