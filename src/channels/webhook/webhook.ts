import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { CONTENT_TYPES } from '../../../contract/channels.ts';
import { idPattern } from '../../../contract/ids.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import { callProvider, readJson, statusFailure, setting } from '../call-provider.ts';
import { type ChannelKind, ChannelFailure, InboundError, type InboundEvent } from '../channel.ts';
import { newWebhookSecret, signWebhook, verifyWebhook } from '../../kernel/standard-webhooks.ts';

/**
 * A channel that the customer implements. The customer's endpoint and Parley exchange messages, which both sides sign
 * as Standard Webhooks 1.0. The `webhook-id` of a message is the message's id, so an endpoint can detect a duplicate.
 */
const ends = { additionalProperties: false };
const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));

/** The customer's backend reports that a person wrote a message. */
const Incoming = Compile(
  Type.Object(
    {
      type: Type.Literal('message'),
      address: text(320),
      conversation_id: Type.Optional(Type.String({ pattern: idPattern('conv') })),
      person: Type.Optional(
        Type.Object(
          {
            external_id: text(255),
            name: text(200),
            email: text(254),
            phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })),
            locale: text(35),
          },
          ends,
        ),
      ),
      text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }),
    },
    ends,
  ),
);
/** The customer's backend reports the delivery status of one of our messages. */
const Receipt = Compile(
  Type.Object(
    {
      type: Type.Literal('receipt'),
      message_id: Type.String({ pattern: idPattern('msg') }),
      status: Type.Union([Type.Literal('delivered'), Type.Literal('read'), Type.Literal('failed')]),
      detail: text(500),
    },
    ends,
  ),
);

/** Describes the first fault for the developer of the other side. */
function firstFault(value: unknown): string {
  const type = (value as { type?: unknown } | null)?.type;
  const wanted = type === 'message' ? Incoming : type === 'receipt' ? Receipt : null;
  const fault = wanted?.Errors(value)[0];
  if (!fault) return 'The body must be an object whose type is "message" or "receipt".';
  return `${fault.instancePath || 'The body'} ${fault.keyword === 'boolean' ? 'is not known here' : fault.message}.`;
}

export const webhook: ChannelKind = {
  kind: 'webhook',
  capabilities: {
    content: [...CONTENT_TYPES],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: ['delivered', 'read', 'failed'],
    inbound: true,
    reply_window_hours: null,
    needs_address: false,
  },
  ...CHANNEL_FORMS.webhook,
  ownSecrets: { make: () => ({ secret: newWebhookSecret() }), shown: 'secret' },
  // The customer's own backend signs the messages that it forwards.
  vouchesFor: () => true,
  repeatable: true,
  // The ID of the person in the customer's own system.
  addressOf: (endUser) => endUser.external_id,
  personAt: (address) => (address.length <= 255 ? { external_id: address } : {}),

  async send(message, account, tools) {
    const body = JSON.stringify({
      type: 'message',
      message_id: message.id,
      conversation_id: message.conversationId,
      channel_id: account.id,
      address: message.address,
      end_user: message.person,
      role: message.role,
      content: message.content,
      reply_to: message.replyTo?.id ?? null,
      metadata: message.metadata,
      created_at: message.createdAt.toISOString(),
    });
    const answer = await callProvider(tools, {
      url: setting(account.settings, 'url'),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Parley',
        ...signWebhook(account.secrets['secret'] ?? '', message.id, new Date(tools.now()), body),
      },
      body,
    });
    if (answer.status >= 200 && answer.status <= 299) return { providerMessageId: message.id, status: 'sent' };
    // In Standard Webhooks, 410 means that the endpoint was removed permanently.
    if (answer.status === 410) {
      throw new ChannelFailure('endpoint_gone', 'The endpoint returned 410: it no longer accepts messages.', {
        providerCode: '410',
        channelBroken: true,
      });
    }
    throw statusFailure(answer, 'The endpoint');
  },

  inbound: {
    verify: ({ headers, body }, { secrets }, now) => verifyWebhook(secrets['secret'] ?? '', headers, body, now),
    parse({ headers, body }): InboundEvent[] {
      const value = readJson(body);
      if (Receipt.Check(value)) {
        const { status, detail = 'The endpoint reported that the message could not be delivered.' } = value;
        return [
          {
            type: 'receipt',
            providerMessageId: value.message_id,
            status,
            ...(status === 'failed' && { error: { code: 'provider_refused', detail, provider_code: null } }),
          },
        ];
      }
      if (!Incoming.Check(value)) throw new InboundError(firstFault(value));
      if ((value.address === undefined) === (value.conversation_id === undefined)) {
        throw new InboundError('A message must name its sender with exactly one of address and conversation_id.');
      }
      const address = value.address ?? null;
      return [
        {
          type: 'message',
          eventId: headers['webhook-id']!,
          address,
          ...(value.conversation_id !== undefined && { conversationId: value.conversation_id }),
          person: { ...(address !== null && { external_id: address }), ...value.person },
          content: { type: 'text', text: value.text },
        },
      ];
    },
  },
};
