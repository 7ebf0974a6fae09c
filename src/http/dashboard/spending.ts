import type { SpendingDeps } from '../../features/spending/deps.ts';
import { listBudgets, removeBudget, setBudget } from '../../features/spending/budgets.ts';
import { listPrices, setPrice } from '../../features/spending/prices.ts';
import { readUsage } from '../../features/spending/read-usage.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** What models used, what they cost, and what they may cost. */
export const spendingRoutes = ({ route, deps }: RouteDeps<SpendingDeps>): Route[] => [
  route('readUsage', ({ orgId, query }) => readUsage(deps, orgId, query)),
  route('listModelPrices', async ({ orgId }) => ({ data: await listPrices(deps, orgId) })),
  route('setModelPrice', async ({ orgId, body, actor }) => ({ data: await setPrice(deps, orgId, body, actor) })),
  route('listBudgets', async ({ orgId }) => ({ data: await listBudgets(deps, orgId) })),
  route('setBudget', ({ orgId, body, actor }) => setBudget(deps, orgId, body, actor)),
  route('removeBudget', ({ orgId, params, actor }) => removeBudget(deps, orgId, params.budget_id, actor)),
];
