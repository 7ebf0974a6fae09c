import { exportCampaignResults, exportTriggerResults } from '../../features/results/export-results.ts';
import { listCampaignResults } from '../../features/results/list-results.ts';
import type { ResultsDeps } from '../../features/results/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

const file = (name: string, parts: AsyncIterable<string>) => ({ name, type: 'text/csv; charset=utf-8', parts });

/** The results of conversations. */
export const resultRoutes = ({ route, deps }: RouteDeps<ResultsDeps>): Route[] => [
  route('exportTriggerResults', async ({ orgId, params, download }) =>
    download(file('results.csv', await exportTriggerResults(deps, orgId, params.trigger_id))),
  ),
  route('listCampaignResults', ({ orgId, params: { campaign_id: campaignId }, paged }) =>
    paged(
      { campaignId },
      (page) => listCampaignResults(deps, orgId, campaignId, page),
      ({ recipient_id: id }) => id!,
    ),
  ),
  route('exportCampaignResults', async ({ orgId, params, download }) =>
    download(file('results.csv', await exportCampaignResults(deps, orgId, params.campaign_id))),
  ),
];
