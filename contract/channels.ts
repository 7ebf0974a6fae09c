import { Type, type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { MessageContent } from './messages.ts';
import { EndUserInput, Metadata, Unchanged } from './triggers.ts';

const closed = { additionalProperties: false };
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const CONTENT_TYPES = ['text', 'image', 'audio', 'video', 'file', 'location', 'choices', 'template'] as const;

/** The abilities of one kind of channel. */
export const ChannelCapabilities = Type.Object(
  {
    content: Type.Array(Type.Enum(CONTENT_TYPES), { description: 'The content types that a message may have.' }),
    max_text: Type.Integer({ description: 'The maximum characters of one message.' }),
    receipts: Type.Array(Type.Union([Type.Literal('delivered'), Type.Literal('read'), Type.Literal('failed')]), {
      description: 'The reports that the provider sends about a message after sending.',
    }),
    inbound: Type.Boolean({ description: 'People can write back.' }),
    reply_window_hours: nullable(
      Type.Integer({ description: 'Only templates may be sent if the last message of the person is older than this.' }),
    ),
    needs_address: Type.Boolean({ description: 'A message requires an address of the recipient.' }),
  },
  { title: 'ChannelCapabilities' },
);
export type ChannelCapabilities = Static<typeof ChannelCapabilities>;

export const ChannelSummary = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    enabled: Type.Boolean(),
    status: Type.Union([Type.Literal('connected'), Type.Literal('broken')]),
    status_detail: nullable(Type.String()),
    capabilities: ChannelCapabilities,
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Channel' },
);
export type ChannelSummary = Static<typeof ChannelSummary>;

/** All channels of an agent. The list has no pages, because an agent has at most 100 channels. */
export const ChannelList = Type.Object(
  { data: Type.Array(ChannelSummary), next_cursor: Type.Null(), has_more: Type.Literal(false) },
  { title: 'ChannelList' },
);

export const SendMessage = Type.Object(
  {
    to: Type.Object(
      {
        end_user: Type.Optional(EndUserInput),
        address: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 320,
            description: 'The phone number, e-mail address or other name by which the channel identifies the person.',
          }),
        ),
        conversation_id: Type.Optional(Type.String({ pattern: idPattern('conv') })),
      },
      { ...closed, description: 'Exactly one of the three fields.' },
    ),
    content: MessageContent,
    reply_to: Type.Optional(
      nullable(Type.String({ pattern: idPattern('msg'), description: 'A message of the same conversation.' })),
    ),
    metadata: Type.Optional(Metadata),
    send_at: Type.Optional(
      nullable(
        Type.String({
          format: 'date-time',
          description:
            'The message is not sent before this time, at most 366 days ahead. Null or a past time means now.',
        }),
      ),
    ),
  },
  { ...closed, title: 'SendMessage' },
);
export type SendMessage = Static<typeof SendMessage>;

export const DELIVERY_STATUSES = [
  'queued',
  'sent',
  'delivered',
  'read',
  'failed',
  'undelivered',
  'suppressed',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The reason why a message was not sent, or not sent yet. The page docs/channel-kinds.md explains each code. */
export const DELIVERY_ERROR_CODES = [
  'provider_refused',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
  'provider_unreachable',
  'outcome_unknown',
  'channel_unauthorized',
  'channel_disabled',
  'channel_unsupported',
  'address_refused',
  'endpoint_gone',
  'recipient_unreachable',
  'recipient_opted_out',
  'recipient_blocked',
  'no_address',
  'content_unsupported',
  'session_window_closed',
  'template_refused',
  'attempts_exhausted',
  'campaign_ended',
  'cancelled',
  'internal_error',
] as const;

export const DeliveryError = Type.Object(
  {
    code: Type.String({ description: 'The reason, as one of the codes under /docs/guides/channel-kinds.' }),
    detail: Type.String(),
    provider_code: nullable(Type.String({ description: "The provider's own code." })),
  },
  { title: 'DeliveryError' },
);
export type DeliveryError = Static<typeof DeliveryError>;

const accepted = {
  id: Type.String(),
  status: Type.Enum(DELIVERY_STATUSES),
  conversation_id: Type.String(),
  end_user_id: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
};

/** The body of the 202 response to a channel send. */
export const AcceptedMessage = Type.Object({ ...accepted, unchanged: Unchanged }, { title: 'AcceptedMessage' });
export type AcceptedMessage = Static<typeof AcceptedMessage>;

export const ChannelMessage = Type.Object(
  {
    ...accepted,
    channel_id: Type.String(),
    content: MessageContent,
    reply_to: nullable(Type.String()),
    metadata: Metadata,
    send_at: nullable(Type.String({ format: 'date-time' })),
    attempts: Type.Integer(),
    error: nullable(DeliveryError),
    provider_message_id: nullable(Type.String()),
    possible_duplicate: Type.Boolean({
      description:
        'True: the provider may have received the message more than once, because a worker stopped or a response was lost.',
    }),
  },
  { title: 'ChannelMessage' },
);
export type ChannelMessage = Static<typeof ChannelMessage>;
