declare module 'virtual:dashboard-routes' {
  import type { DashboardRouteName } from '../../contract/dashboard/routes.ts';
  /** The method and path of each route, such as `GET /dashboard/api/…`, which vite.config.ts creates. */
  export const routes: Record<DashboardRouteName, string>;
}
