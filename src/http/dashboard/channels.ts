import { updateChannel } from '../../features/channels/change-channel.ts';
import { checkChannel } from '../../features/channels/check-channel.ts';
import { connectChannel } from '../../features/channels/connect-channel.ts';
import { disconnectChannel } from '../../features/channels/disconnect-channel.ts';
import { listTemplates } from '../../features/channels/list-templates.ts';
import { listChannels, readChannel } from '../../features/channels/read-channels.ts';
import { readMessage } from '../../features/messages/read-message.ts';
import type { ChannelsDeps } from '../../features/channels/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';
import { sendTest, type TestDeps } from './send-test.ts';

/** Channels. */
export const channelRoutes = ({ route, deps }: RouteDeps<ChannelsDeps & TestDeps>): Route[] => [
  route('listChannels', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listChannels(deps, orgId, filter, page));
  }),
  route('connectChannel', ({ orgId, body, actor, careful }) => connectChannel(careful(deps), orgId, body, actor)),
  route('readChannel', ({ orgId, params }) => readChannel(deps, orgId, params.channel_id)),
  route('updateChannel', ({ orgId, params, body, actor, careful }) =>
    updateChannel(careful(deps), orgId, params.channel_id, body, actor),
  ),
  route('checkChannel', ({ orgId, params, careful }) => checkChannel(careful(deps), orgId, params.channel_id)),
  route('listTemplates', ({ orgId, params }) => listTemplates(deps, orgId, params.channel_id)),
  route('sendTest', ({ orgId, params, body: { address, content }, careful }) =>
    sendTest(careful(deps), orgId, params.channel_id, { to: { address }, content }),
  ),
  route('readTest', ({ orgId, params }) => readMessage(deps, orgId, params.channel_id, params.message_id)),
  route('disconnectChannel', ({ orgId, params, actor }) => disconnectChannel(deps, orgId, params.channel_id, actor)),
];
