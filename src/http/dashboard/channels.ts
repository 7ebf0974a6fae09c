import type { AcceptedMessage } from '../../../contract/channels.ts';
import type { CampaignMove } from '../../../contract/dashboard/campaigns.ts';
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
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** Channels, and campaigns over them. */
export const channelRoutes = ({ route, room }: Desk): Route[] => [
  route('listChannels', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listChannels(room, orgId, filter, page));
  }),
  route('connectChannel', ({ orgId, body, actor }) => connectChannel(room, orgId, body, actor)),
  route('readChannel', ({ orgId, params }) => readChannel(room, orgId, params.channel_id)),
  route('updateChannel', ({ orgId, params, body, actor }) =>
    updateChannel(room, orgId, params.channel_id, body, actor),
  ),
  route('checkChannel', ({ orgId, params }) => checkChannel(room, orgId, params.channel_id)),
  route('sendTest', async ({ orgId, params: { channel_id: id }, body: { address, content } }) => {
    const channel = await room.findChannel(orgId, id);
    if (!channel) throw new Refusal('channel_not_found');
    const call = { agentId: channel.agentId, channel, keyId: null, from: null, fillsOnly: false, idempotency: null };
    const { answer } = await room.channelMessages.send({ ...call, orgId, body: { to: { address }, content } });
    return JSON.parse(answer.body) as AcceptedMessage;
  }),
  route('readTest', ({ orgId, params }) => room.channelMessages.read(orgId, params.channel_id, params.message_id)),
  route('disconnectChannel', ({ orgId, params, actor }) => disconnectChannel(room, orgId, params.channel_id, actor)),

  route('listCampaigns', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listCampaigns(room, orgId, filter, page));
  }),
  route('createCampaign', ({ orgId, body, actor }) => createCampaign(room, orgId, body, actor)),
  route('readCampaign', ({ orgId, params }) => readCampaign(room, orgId, params.campaign_id)),
  route('updateCampaign', ({ orgId, params, body, actor }) =>
    updateCampaign(room, orgId, params.campaign_id, body, actor),
  ),
  route('previewCampaign', async ({ orgId, params, body }) => {
    await readCampaign(room, orgId, params.campaign_id);
    checkSettings(body.settings, (text) => room.faults.template(text));
    return room.previewCampaign(body.settings, body, new Date());
  }),
  route('deleteCampaign', ({ orgId, params, actor }) => deleteCampaign(room, orgId, params.campaign_id, actor)),
  route('listRecipients', ({ orgId, params, query: { status, ref }, paged }) => {
    const filter = { campaign: params.campaign_id, status, ref };
    return paged(filter, (page) => listRecipients(room, orgId, params.campaign_id, { status, ref }, page));
  }),
  route('cancelRecipient', ({ orgId, params }) =>
    cancelRecipient(room, { orgId, keyId: null, from: null }, params.campaign_id, params.recipient_id),
  ),
  ...MOVES.map(([name, move]) =>
    route(name, ({ orgId, params, actor }) => moveCampaign(room, orgId, params.campaign_id, move, actor)),
  ),
];

const MOVES = [
  ['startCampaign', 'start'],
  ['pauseCampaign', 'pause'],
  ['resumeCampaign', 'resume'],
  ['endCampaign', 'end'],
] as const satisfies [string, CampaignMove][];
