declare module 'virtual:dashboard-routes' {
  import type { DashboardRouteName } from '../../contract/dashboard/routes.ts';
  /** `GET /dashboard/api/…` per route. vite.config.ts creates it. */
  export const routes: Record<DashboardRouteName, string>;
}
