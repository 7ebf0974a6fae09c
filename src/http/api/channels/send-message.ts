import { AcceptedMessage, SendMessage } from '../../../../contract/channels.ts';
import { holds } from '../../../access/decide.ts';
import { sendMessage } from '../../../features/messages/send-message.ts';
import type { Route } from '../../route/route.ts';
import { reachedBySend } from '../reached-end-user.ts';
import type { ChannelRoutesDeps } from './deps.ts';

/** Sends a message that the backend wrote. An accepted message is committed. */
export const sendMessageRoute = (deps: ChannelRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/channels/:agent_id/:channel_id/messages',
  access: { permission: 'channels', agent: 'agent_id', channel: 'channel_id' },
  limit: 'channels',
  reaches: reachedBySend,
  operation: {
    id: 'sendChannelMessage',
    summary: 'Send a message',
    description:
      'Sends on one of the agent’s channels, to exactly one of `end_user` (found or created, as in a trigger call), `address` (the phone number, e-mail address or other name by which the channel identifies the person) and `conversation_id`. The call is accepted (202) once it is stored. Delivery follows in the order of the conversation, and its state can be read under `Location`. A key without the permission `end_users` changes no stored value of a person: it fills empty fields, and `unchanged` names the fields that were not applied.',
    tag: 'Channels',
    example: {
      to: { end_user: { external_id: 'crm-42' } },
      content: { type: 'text', text: 'Your order shipped' },
      metadata: { order: 'A-1043' },
    },
    examples: {
      202: {
        id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ab',
        status: 'queued',
        conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
        end_user_id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
        created_at: '2026-11-20T20:00:00.000Z',
      },
    },
  },
  body: SendMessage,
  idempotent: true,
  responses: {
    202: {
      schema: AcceptedMessage,
      description: 'Accepted: the message is stored, and sent as soon as possible.',
      headers: { Location: 'The URL of the message with its delivery state.' },
    },
  },
  problems: [
    'channel_disabled',
    'channel_unsupported',
    'already_exists',
    'content_unsupported',
    'session_window_closed',
    'recipient_opted_out',
    'no_address',
  ],
  async handle(request, reply) {
    const { caller, from, agent, channel } = request.admission;
    const { answer, replayed } = await sendMessage(deps, {
      orgId: caller.orgId,
      agentId: agent!.id,
      channel: channel!,
      body: request.body as SendMessage,
      keyId: caller.keyId,
      from,
      fillsOnly: !holds(caller, 'end_users'),
      idempotency: request.idempotency,
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    if (answer.location !== null) reply.header('location', deps.baseUrl + answer.location);
    return answer.body;
  },
});
