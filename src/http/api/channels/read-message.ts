import { ChannelMessage } from '../../../../contract/channels.ts';
import { readMessage } from '../../../features/messages/read-message.ts';
import type { Route } from '../../route/route.ts';
import type { ChannelRoutesDeps } from './deps.ts';

/** Reads one outbound message and its delivery status. */
export const readMessageRoute = (deps: ChannelRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/channels/:agent_id/:channel_id/messages/:message_id',
  access: { permission: 'channels', agent: 'agent_id', channel: 'channel_id' },
  operation: {
    id: 'readChannelMessage',
    summary: 'Read a message',
    description:
      '`queued` → `sent` (the provider took it) → `delivered` → `read`, as far as the channel reports it. `failed`: refused for good. `undelivered`: it is not known or not true that it arrived. `suppressed`: the person may not be written to. `error` says why.',
    tag: 'Channels',
    examples: {
      200: {
        id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ab',
        status: 'delivered',
        conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
        end_user_id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
        created_at: '2026-11-20T20:00:00.000Z',
        channel_id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ag',
        content: { type: 'text', text: 'Your order shipped' },
        reply_to: null,
        metadata: { order: 'A-1043' },
        send_at: null,
        attempts: 1,
        error: null,
        provider_message_id: null,
        possible_duplicate: false,
      },
    },
  },
  responses: { 200: ChannelMessage },
  problems: ['message_not_found'],
  async handle(request) {
    const { caller, channel } = request.admission;
    const { message_id: id } = request.params as { message_id: string };
    return readMessage(deps, caller.orgId, channel!.id, id);
  },
});
