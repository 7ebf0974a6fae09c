import { ChannelList } from '../../../../contract/channels.ts';
import { listAgentChannels } from '../../../features/channel-messages/list-agent-channels.ts';
import type { Route } from '../../route/route.ts';
import type { ChannelRoutesDeps } from './routes.ts';

/** The agent's channels and what each supports. */
export const listChannelsRoute = (deps: ChannelRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/channels/:agent_id',
  access: { permission: 'channels', agent: 'agent_id' },
  operation: {
    id: 'listChannels',
    summary: 'List channels',
    description:
      'The connected channels of the agent with their `capabilities`: which content they carry, what they report back, and what they need of a recipient. All of them are on one page.',
    tag: 'Channels',
  },
  responses: { 200: ChannelList },
  async handle(request) {
    const { caller, agent } = request.admission;
    return { data: await listAgentChannels(deps, caller.orgId, agent!.id), next_cursor: null, has_more: false };
  },
});
