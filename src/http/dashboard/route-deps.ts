import type { Paging } from '../route/paging.ts';
import type { DeclareRoute } from './dashboard-route.ts';

/** The input of each file of routes, which is the function that declares a route and the dependencies of its verbs. */
export type RouteDeps<Deps> = { route: DeclareRoute; deps: Deps; paging: Paging };
