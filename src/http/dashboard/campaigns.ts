import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { AcceptedMessage } from '../../../contract/channels.ts';
import type {
  CampaignMove,
  CampaignPreview,
  CampaignReview,
  PreviewCampaignBody,
  TestCampaignBody,
} from '../../../contract/dashboard/campaigns.ts';
import type { CampaignRehearsal, RehearseCampaignBody } from '../../../contract/dashboard/rehearsals.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { countAudience } from '../../features/campaigns/add-audience.ts';
import { countFile } from '../../features/campaigns/add-file.ts';
import type { PushRow } from '../../features/campaigns/push-recipients.ts';
import { deleteCampaign, moveCampaign, updateCampaign } from '../../features/campaigns/change-campaign.ts';
import { checkSettings } from '../../features/campaigns/check-settings.ts';
import { createCampaign } from '../../features/campaigns/create-campaign.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { listCampaigns, readCampaign } from '../../features/campaigns/read-campaigns.ts';
import { cancelPush, listPushes, readPush } from '../../features/campaigns/read-pushes.ts';
import { readReport } from '../../features/campaigns/read-report.ts';
import { cancelRecipient, listNamedRecipients } from '../../features/campaigns/recipients.ts';
import { readSchedule, removeSchedule, setSchedule } from '../../features/campaigns/schedule.ts';
import { startPush } from '../../features/campaigns/start-push.ts';
import { filterOf } from '../../kernel/end-user-filter.ts';
import type { RenderOpening } from '../../features/triggers/deps.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './desk.ts';
import { sendTest, type TestDeps } from './send-test.ts';

type Filter = ReturnType<typeof filterOf>;

/** The worker's plan, without the worker. */
export type PlanDeps = {
  previewCampaign(settings: CampaignSettings, said: PreviewCampaignBody, now: Date): CampaignPreview;
  reviewCampaign(orgId: string, id: string, filter: Filter | null): Promise<CampaignReview>;
  rehearseCampaign(
    orgId: string,
    id: string,
    asked: Omit<RehearseCampaignBody, 'filters'> & { filter: Filter | null },
  ): Promise<CampaignRehearsal>;
  /** A file of recipients, row by row. */
  readRecipients(file: string): AsyncIterable<PushRow>;
  renderOpening: RenderOpening;
};

type Deps = CampaignsDeps & TestDeps & PlanDeps;

/** Campaigns over the channels. */
export const campaignRoutes = ({ route, deps }: Desk<Deps>): Route[] => [
  route('listCampaigns', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text, roundOf: query.round_of };
    return paged(filter, (page) => listCampaigns(deps, orgId, filter, page));
  }),
  route('createCampaign', ({ orgId, body, actor }) => createCampaign(deps, orgId, body, actor)),
  route('readCampaign', ({ orgId, params }) => readCampaign(deps, orgId, params.campaign_id)),
  route('updateCampaign', ({ orgId, params, body, actor }) =>
    updateCampaign(deps, orgId, params.campaign_id, body, actor),
  ),
  route('previewCampaign', ({ orgId, params, body }) => preview(deps, orgId, params.campaign_id, body)),
  route('reviewCampaign', ({ orgId, params, body: { filters } }) =>
    deps.reviewCampaign(orgId, params.campaign_id, filters ? filterOf(filters) : null),
  ),
  route('rehearseCampaign', ({ orgId, params, body: { filters, ...body } }) =>
    deps.rehearseCampaign(orgId, params.campaign_id, { ...body, filter: filters ? filterOf(filters) : null }),
  ),
  route('testCampaign', ({ orgId, params, body }) => testCampaign(deps, orgId, params.campaign_id, body)),
  route('countAudience', ({ orgId, params, body: { filters, after } }) =>
    countAudience(deps, orgId, params.campaign_id, { filter: filterOf(filters), after }),
  ),
  route('countFile', ({ orgId, params, body: { file } }) =>
    countFile(deps, orgId, params.campaign_id, deps.readRecipients(file)),
  ),
  route('readCampaignReport', ({ orgId, params, query }) =>
    readReport(deps, orgId, params.campaign_id, query.time_zone),
  ),
  route('startPush', ({ orgId, params, body: { filters, file }, actor }) => {
    const said = file === undefined ? { filter: filterOf(filters ?? {}) } : { file };
    return startPush(deps, orgId, params.campaign_id, said, actor);
  }),
  route('listPushes', ({ orgId, params, paged }) =>
    paged({ campaign: params.campaign_id }, (page) => listPushes(deps, orgId, params.campaign_id, page)),
  ),
  route('readPush', ({ orgId, params }) => readPush(deps, orgId, params.campaign_id, params.push_id)),
  route('cancelPush', ({ orgId, params, actor }) => cancelPush(deps, orgId, params.campaign_id, params.push_id, actor)),
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
  route('cancelRecipient', ({ orgId, params }) =>
    cancelRecipient(deps, { orgId, keyId: null, from: null }, params.campaign_id, params.recipient_id),
  ),
  ...MOVES.map(([name, move]) =>
    route(name, ({ orgId, params, actor }) => moveCampaign(deps, orgId, params.campaign_id, move, actor)),
  ),
];

/** With the words of the agent's own opening, unless a model writes them. */
async function preview(deps: Deps, orgId: string, id: string, body: PreviewCampaignBody): Promise<CampaignPreview> {
  const { agent_id: agentId } = await readCampaign(deps, orgId, id);
  checkSettings(body.settings, (text) => deps.faults.template(text));
  const shown = deps.previewCampaign(body.settings, body, new Date());
  if (shown.opening !== null) return shown;
  const { end_user: person = {}, variables = {} } = body;
  const opening = await agentOpening(deps, orgId, agentId, { person, variables });
  const nameless = { ...(person.locale !== undefined && { locale: person.locale }) };
  const without = await agentOpening(deps, orgId, agentId, { person: nameless, variables: {} });
  return { ...shown, opening, without: { ...shown.without, opening: without } };
}

/** What the recipients see before the first message of a test. */
const TEST_MARK = '[Test] ';

/** Sent like any other message, so consent and suppression hold; no one is enrolled. */
async function testCampaign(deps: Deps, orgId: string, id: string, body: TestCampaignBody): Promise<AcceptedMessage> {
  const { settings, address, end_user: person = {}, variables = {} } = body;
  const campaign = await readCampaign(deps, orgId, id);
  checkSettings(settings, (text) => deps.faults.template(text));
  const { opening } = deps.previewCampaign(settings, { settings, end_user: person, variables }, new Date());
  const content = opening ?? (await agentOpening(deps, orgId, campaign.agent_id, { person, variables }));
  if (content === null) {
    const detail = 'A model writes the first message when a conversation starts: there is no text to send as a test.';
    throw new Refusal('validation_failed', undefined, {
      errors: [{ pointer: '/settings/opening', code: 'required', detail }],
    });
  }
  const marked = content.type === 'text' ? { ...content, text: TEST_MARK + content.text } : content;
  const metadata = { test: 'campaign', campaign_id: id };
  return sendTest(deps, orgId, campaign.channel_id, { to: { address }, content: marked, metadata });
}

type ForWhom = { person: NonNullable<TestCampaignBody['end_user']>; variables: Record<string, unknown> };

/** Null: a model writes it when the conversation starts. */
async function agentOpening(
  { renderOpening }: Deps,
  orgId: string,
  agentId: string,
  { person, variables }: ForWhom,
): Promise<MessageContent | null> {
  const named = { ...person, name: person.name ?? null };
  const text = await renderOpening({ orgId, agentId, locale: person.locale ?? null, variables, person: named });
  return text ? { type: 'text', text } : null;
}

const MOVES = [
  ['startCampaign', 'start'],
  ['pauseCampaign', 'pause'],
  ['resumeCampaign', 'resume'],
  ['endCampaign', 'end'],
] as const satisfies [string, CampaignMove][];
