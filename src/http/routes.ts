import { health } from './api/health.ts';
import { me } from './api/me.ts';
import { openapi } from './api/openapi.ts';
import { docsRoutes } from './docs/routes.ts';
import { ready } from './api/ready.ts';
import { mcpRoutes } from './mcp/routes.ts';
import type { Dispatch, HttpDeps } from './edge/http-deps.ts';
import type { Route } from './route/route.ts';

export type SystemDeps = HttpDeps & {
  /** The complete list of routes, which the reference describes. */
  readonly allRoutes: () => readonly Route[];
  readonly isDraining: () => boolean;
  readonly dispatch: Dispatch;
};

/** The HTTP room's own endpoints. The file app.ts adds the endpoints of the other rooms. */
export const systemRoutes = (deps: SystemDeps): Route[] => [
  health(deps.now), // GET /api/health
  openapi(deps), // GET /api/openapi.json
  me(deps), // GET /api/me
  ready(deps), // GET /ready
  ...mcpRoutes(deps), // POST /mcp
  ...docsRoutes(deps), // GET /docs, /docs/problems, /docs/problems/:code, /llms.txt
];
