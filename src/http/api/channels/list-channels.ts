import { Type } from 'typebox';
import { ChannelList } from '../../../../contract/channels.ts';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { listAgentChannels } from '../../../features/messages/list-agent-channels.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import type { Route } from '../../route/route.ts';
import type { ChannelRoutesDeps } from './deps.ts';

type ChannelsQuery = { limit?: number; cursor?: string };

/**
 * Lists the agent's channels and their capabilities, newest first. The default page has all channels: an agent has at
 * most `MAX_PAGE`, and earlier versions had no pages.
 */
export const listChannelsRoute = (deps: ChannelRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/channels/:agent_id',
  access: { permission: 'channels', agent: 'agent_id' },
  operation: {
    id: 'listChannels',
    summary: 'List channels',
    description:
      'The connected channels of the agent with their `capabilities`: the content types that they support, their delivery reports, and what they require of a recipient. Without `limit`, one page contains all channels.',
    tag: 'Channels',
    examples: {
      200: {
        data: [
          {
            id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ag',
            agent_id: 'agent_01k8v3m9e5f7rsm6z4n0q2x1ac',
            kind: 'sandbox',
            name: 'Sandbox',
            enabled: true,
            status: 'connected',
            status_detail: null,
            capabilities: {
              content: ['text', 'image', 'audio', 'video', 'file', 'location', 'choices', 'template'],
              max_text: 32000,
              receipts: ['delivered'],
              inbound: true,
              reply_window_hours: null,
              needs_address: false,
            },
            created_at: '2026-11-20T20:00:00.000Z',
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
  },
  query: Type.Object(PageQuery),
  responses: { 200: ChannelList },
  async handle(request) {
    const { caller, agent } = request.admission;
    const { limit = MAX_PAGE, cursor } = request.query as ChannelsQuery;
    const scope = cursorScope('channels', caller.orgId, { agent: agent!.id });
    const page = { limit, after: deps.paging.after(scope, cursor) };
    return deps.paging.page(scope, await listAgentChannels(deps, caller.orgId, agent!.id, page));
  },
});
