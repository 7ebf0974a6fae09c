declare module 'virtual:dashboard-routes' {
  import type { DashboardRouteName } from '../../contract/dashboard/routes.ts';
  /** `GET /dashboard/api/…` per route; made by vite.config.ts. */
  export const routes: Record<DashboardRouteName, string>;
}
