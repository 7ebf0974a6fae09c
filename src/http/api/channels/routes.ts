import type { Route } from '../../route/route.ts';
import { listChannelsRoute } from './list-channels.ts';
import { readMessageRoute } from './read-message.ts';
import { sendMessageRoute } from './send-message.ts';
import type { ChannelRoutesDeps } from './deps.ts';

export const channelApiRoutes = (deps: ChannelRoutesDeps): Route[] => [
  listChannelsRoute(deps), // GET /api/channels/:agent_id
  sendMessageRoute(deps), // POST /api/channels/:agent_id/:channel_id/messages
  readMessageRoute(deps), // GET …/messages/:message_id
];
