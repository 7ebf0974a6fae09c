import type { CostsDeps } from '../../features/costs/deps.ts';
import { listBudgets, removeBudget, setBudget } from '../../features/costs/budgets.ts';
import { listPrices, setPrice } from '../../features/costs/prices.ts';
import { readUsage } from '../../features/costs/read-usage.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for the usage and cost of models, and for budgets. */
export const costRoutes = ({ route, deps }: RouteDeps<CostsDeps>): Route[] => [
  route('readUsage', ({ orgId, query }) => readUsage(deps, orgId, query)),
  route('listModelPrices', async ({ orgId }) => ({ data: await listPrices(deps, orgId) })),
  route('setModelPrice', async ({ orgId, body, actor }) => ({ data: await setPrice(deps, orgId, body, actor) })),
  route('listBudgets', async ({ orgId }) => ({ data: await listBudgets(deps, orgId) })),
  route('setBudget', ({ orgId, body, actor }) => setBudget(deps, orgId, body, actor)),
  route('removeBudget', ({ orgId, params, actor }) => removeBudget(deps, orgId, params.budget_id, actor)),
];
