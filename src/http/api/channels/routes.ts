import type { ChannelMessages } from '../../../features/channel-messages/channel-messages.ts';
import type { Route } from '../../route/route.ts';
import { listChannels } from './list-channels.ts';
import { readMessage } from './read-message.ts';
import { sendMessage } from './send-message.ts';

export type ChannelRoutesDeps = { channelMessages: ChannelMessages; baseUrl: string };

export const channelApiRoutes = (deps: ChannelRoutesDeps): Route[] => [
  listChannels(deps), // GET /api/channels/:agent_id
  sendMessage(deps), // POST /api/channels/:agent_id/:channel_id/messages
  readMessage(deps), // GET …/messages/:message_id
];
