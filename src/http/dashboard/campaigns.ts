import type { CampaignMove } from '../../../contract/dashboard/campaigns.ts';
import { countFilterAddition } from '../../features/campaigns/count-filter-addition.ts';
import { countFileAddition } from '../../features/campaigns/count-file-addition.ts';
import { deleteCampaign, moveCampaign } from '../../features/campaigns/change-campaign.ts';
import { saveCampaign } from '../../features/campaigns/save-campaign.ts';
import { createCampaign } from '../../features/campaigns/create-campaign.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { exportRecipients } from '../../features/campaigns/export-recipients.ts';
import { previewCampaign } from '../../features/campaigns/preview-campaign.ts';
import { listCampaigns, readCampaign } from '../../features/campaigns/read-campaigns.ts';
import { cancelAddition, listAdditions, readAddition } from '../../features/campaigns/read-additions.ts';
import { parseRecipients } from '../../features/campaigns/parse-recipients.ts';
import { readReport } from '../../features/campaigns/read-report.ts';
import { cancelRecipient, listNamedRecipients } from '../../features/campaigns/recipients.ts';
import { rehearseCampaign } from '../../features/campaigns/rehearsal/rehearse-campaign.ts';
import { reviewCampaign } from '../../features/campaigns/review-campaign.ts';
import { readSchedule, removeSchedule, setSchedule } from '../../features/campaigns/schedule.ts';
import { startAddition } from '../../features/campaigns/start-addition.ts';
import { writeTestMessage } from '../../features/campaigns/write-test-message.ts';
import { filterOf } from '../../kernel/end-user-filter.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';
import { sendTest, type TestDeps } from './send-test.ts';

type Deps = CampaignsDeps & TestDeps;

/** Routes for campaigns over the channels. */
export const campaignRoutes = ({ route, deps }: RouteDeps<Deps>): Route[] => [
  route('listCampaigns', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text, roundOf: query.round_of };
    return paged(filter, (page) => listCampaigns(deps, orgId, filter, page));
  }),
  route('createCampaign', ({ orgId, body, actor }) => createCampaign(deps, orgId, body, actor)),
  route('readCampaign', ({ orgId, params }) => readCampaign(deps, orgId, params.campaign_id)),
  route('updateCampaign', ({ orgId, params, body, actor, careful }) =>
    saveCampaign(careful(deps), orgId, params.campaign_id, body, actor),
  ),
  route('previewCampaign', ({ orgId, params, body }) => previewCampaign(deps, orgId, params.campaign_id, body)),
  route('reviewCampaign', ({ orgId, params, body: { filters, file } }) => {
    const people =
      file !== undefined ? { rows: parseRecipients(file) } : filters ? { filter: filterOf(filters) } : null;
    return reviewCampaign(deps, orgId, params.campaign_id, people);
  }),
  route('rehearseCampaign', ({ orgId, params, body: { filters, ...body } }) =>
    rehearseCampaign(deps, orgId, params.campaign_id, { ...body, filter: filters ? filterOf(filters) : null }),
  ),
  route('testCampaign', async ({ orgId, params, body, careful }) => {
    const { channelId, message } = await writeTestMessage(deps, orgId, params.campaign_id, body);
    return sendTest(careful(deps), orgId, channelId, message);
  }),
  route('countAudience', ({ orgId, params, body: { filters, after } }) =>
    countFilterAddition(deps, orgId, params.campaign_id, { filter: filterOf(filters), after }),
  ),
  route('countFile', ({ orgId, params, body: { file } }) =>
    countFileAddition(deps, orgId, params.campaign_id, parseRecipients(file)),
  ),
  route('readCampaignReport', ({ orgId, params, query }) =>
    readReport(deps, orgId, params.campaign_id, query.time_zone),
  ),
  route('startPush', ({ orgId, params, body: { filters, file }, actor }) => {
    const added = file === undefined ? { filter: filterOf(filters ?? {}) } : { file };
    return startAddition(deps, orgId, params.campaign_id, added, actor);
  }),
  route('listPushes', ({ orgId, params, paged }) =>
    paged({ campaign: params.campaign_id }, (page) => listAdditions(deps, orgId, params.campaign_id, page)),
  ),
  route('readPush', ({ orgId, params }) => readAddition(deps, orgId, params.campaign_id, params.push_id)),
  route('cancelPush', ({ orgId, params, actor }) =>
    cancelAddition(deps, orgId, params.campaign_id, params.push_id, actor),
  ),
  route('readCampaignSchedule', ({ orgId, params }) => readSchedule(deps, orgId, params.campaign_id)),
  route('setCampaignSchedule', ({ orgId, params, body, actor }) =>
    setSchedule(deps, orgId, params.campaign_id, body, actor),
  ),
  route('removeCampaignSchedule', ({ orgId, params, actor }) => removeSchedule(deps, orgId, params.campaign_id, actor)),
  route('deleteCampaign', ({ orgId, params, actor }) => deleteCampaign(deps, orgId, params.campaign_id, actor)),
  route('listRecipients', ({ orgId, params, query: { status, ref }, paged }) => {
    const filter = { campaign: params.campaign_id, status, ref };
    return paged(filter, (page) => listNamedRecipients(deps, orgId, params.campaign_id, { status, ref }, page));
  }),
  route('exportRecipients', async ({ orgId, params, query, download }) =>
    download({
      name: 'recipients.csv',
      type: 'text/csv; charset=utf-8',
      parts: await exportRecipients(deps, orgId, params.campaign_id, query),
    }),
  ),
  route('cancelRecipient', ({ orgId, params }) =>
    cancelRecipient(deps, { orgId, keyId: null, from: null }, params.campaign_id, params.recipient_id),
  ),
  ...MOVES.map(([name, move]) =>
    route(name, ({ orgId, params, actor }) => moveCampaign(deps, orgId, params.campaign_id, move, actor)),
  ),
];

const MOVES = [
  ['startCampaign', 'start'],
  ['pauseCampaign', 'pause'],
  ['resumeCampaign', 'resume'],
  ['endCampaign', 'end'],
] as const satisfies [string, CampaignMove][];
