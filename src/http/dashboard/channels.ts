import type { AcceptedMessage } from '../../../contract/channels.ts';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { CampaignMove, CampaignPreview, PreviewCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { deleteCampaign, moveCampaign, updateCampaign } from '../../features/campaigns/change-campaign.ts';
import { checkSettings } from '../../features/campaigns/check-settings.ts';
import { createCampaign } from '../../features/campaigns/create-campaign.ts';
import { listCampaigns, readCampaign } from '../../features/campaigns/read-campaigns.ts';
import { cancelRecipient, listRecipients } from '../../features/campaigns/recipients.ts';
import { updateChannel } from '../../features/channels/change-channel.ts';
import { checkChannel } from '../../features/channels/check-channel.ts';
import { connectChannel } from '../../features/channels/connect-channel.ts';
import { disconnectChannel } from '../../features/channels/disconnect-channel.ts';
import { listChannels, readChannel } from '../../features/channels/read-channels.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { readMessage } from '../../features/channel-messages/read-message.ts';
import { sendMessage } from '../../features/channel-messages/send-message.ts';
import type { ChannelMessagesDeps } from '../../features/channel-messages/deps.ts';
import type { ChannelsDeps } from '../../features/channels/deps.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './desk.ts';

/** The worker's plan, without the worker. */
export type PreviewDeps = {
  previewCampaign(settings: CampaignSettings, said: PreviewCampaignBody, now: Date): CampaignPreview;
};

/** Channels, and campaigns over them. */
export const channelRoutes = ({
  route,
  deps,
}: Desk<ChannelsDeps & CampaignsDeps & ChannelMessagesDeps & PreviewDeps>): Route[] => [
  route('listChannels', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listChannels(deps, orgId, filter, page));
  }),
  route('connectChannel', ({ orgId, body, actor }) => connectChannel(deps, orgId, body, actor)),
  route('readChannel', ({ orgId, params }) => readChannel(deps, orgId, params.channel_id)),
  route('updateChannel', ({ orgId, params, body, actor }) =>
    updateChannel(deps, orgId, params.channel_id, body, actor),
  ),
  route('checkChannel', ({ orgId, params }) => checkChannel(deps, orgId, params.channel_id)),
  route('sendTest', async ({ orgId, params: { channel_id: id }, body: { address, content } }) => {
    const channel = await deps.findChannel(orgId, id);
    if (!channel) throw new Refusal('channel_not_found');
    const call = { agentId: channel.agentId, channel, keyId: null, from: null, fillsOnly: false, idempotency: null };
    const { answer } = await sendMessage(deps, { ...call, orgId, body: { to: { address }, content } });
    return JSON.parse(answer.body) as AcceptedMessage;
  }),
  route('readTest', ({ orgId, params }) => readMessage(deps, orgId, params.channel_id, params.message_id)),
  route('disconnectChannel', ({ orgId, params, actor }) => disconnectChannel(deps, orgId, params.channel_id, actor)),

  route('listCampaigns', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listCampaigns(deps, orgId, filter, page));
  }),
  route('createCampaign', ({ orgId, body, actor }) => createCampaign(deps, orgId, body, actor)),
  route('readCampaign', ({ orgId, params }) => readCampaign(deps, orgId, params.campaign_id)),
  route('updateCampaign', ({ orgId, params, body, actor }) =>
    updateCampaign(deps, orgId, params.campaign_id, body, actor),
  ),
  route('previewCampaign', async ({ orgId, params, body }) => {
    await readCampaign(deps, orgId, params.campaign_id);
    checkSettings(body.settings, (text) => deps.faults.template(text));
    return deps.previewCampaign(body.settings, body, new Date());
  }),
  route('deleteCampaign', ({ orgId, params, actor }) => deleteCampaign(deps, orgId, params.campaign_id, actor)),
  route('listRecipients', ({ orgId, params, query: { status, ref }, paged }) => {
    const filter = { campaign: params.campaign_id, status, ref };
    return paged(filter, (page) => listRecipients(deps, orgId, params.campaign_id, { status, ref }, page));
  }),
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
