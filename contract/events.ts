import { Type, type Static, type TSchema } from 'typebox';
import { RECIPIENT_STATUSES } from './campaigns.ts';
import { DELIVERY_STATUSES } from './channels.ts';
import { EndUser } from './end-users.ts';
import { MESSAGE_ROLES, MessageContent, MessageSource } from './messages.ts';
import { KEY_SCOPES, PERMISSIONS } from './permissions.ts';
import { RUN_STATUSES } from './triggers.ts';

/**
 * What happens in an organization, as its endpoints are told (Standard Webhooks 1.0). The closed list; each type's `data`
 * is the record that it is about, as it was at that moment, in the shape in which the API shows it.
 */
export const EVENT_TYPES = [
  'conversation.started',
  'conversation.handed_off',
  'conversation.resolved',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'run.completed',
  'run.failed',
  'run.skipped',
  'end_user.created',
  'end_user.updated',
  'end_user.deleted',
  'end_user.opted_out',
  'campaign.recipient.updated',
  'campaign.ended',
  'api_key.created',
  'api_key.revoked',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Goes to one endpoint when a member asks for it, whatever types the endpoint has chosen. */
export const TEST_EVENT_TYPE = 'webhook.test';

const text = Type.String();
const Moment = Type.String({ format: 'date-time' });
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const ConversationData = Type.Object({
  id: text,
  agent_id: text,
  channel_id: text,
  end_user_id: text,
  key: nullable(text),
  status: Type.Enum(['open', 'handed_off', 'resolved']),
  locale: nullable(text),
  tags: Type.Array(text),
  run_id: nullable(text),
  created_at: Moment,
  updated_at: Moment,
});

const MessageData = Type.Object({
  id: text,
  conversation_id: text,
  agent_id: text,
  channel_id: text,
  end_user_id: text,
  run_id: nullable(text),
  role: Type.Enum(MESSAGE_ROLES),
  content: MessageContent,
  sources: Type.Array(MessageSource),
  /** Null for what came in. */
  status: nullable(Type.Enum(DELIVERY_STATUSES)),
  error: nullable(Type.Object({ code: text, detail: text, provider_code: Type.Optional(nullable(text)) })),
  metadata: Type.Record(text, text),
  created_at: Moment,
});

const RunData = Type.Object({
  id: text,
  status: Type.Enum(RUN_STATUSES),
  reason: nullable(text),
  error: nullable(Type.Object({ code: text, detail: text })),
  agent_id: text,
  /** Null where the person spoke first, or a campaign began the conversation. */
  trigger_id: nullable(text),
  conversation_id: text,
  end_user_id: text,
  channel_id: text,
  metadata: Type.Record(text, text),
  created_at: Moment,
  finished_at: nullable(Moment),
});

const { identities: _identities, ...person } = EndUser.properties;
const EndUserData = Type.Object(person);

const RecipientData = Type.Object({
  id: text,
  campaign_id: text,
  end_user_id: nullable(text),
  ref: nullable(text),
  status: Type.Enum(RECIPIENT_STATUSES),
  previous_status: Type.Enum(RECIPIENT_STATUSES),
  reason: nullable(text),
  conversation_id: nullable(text),
  run_id: nullable(text),
  created_at: Moment,
  updated_at: Moment,
});

const CampaignData = Type.Object({
  id: text,
  agent_id: text,
  channel_id: text,
  name: text,
  state: Type.Literal('ended'),
  created_at: Moment,
  updated_at: Moment,
});

/** Never the key's value, which nobody but its maker has seen. */
const ApiKeyData = Type.Object({
  id: text,
  label: text,
  prefix: text,
  scope: Type.Enum(KEY_SCOPES),
  agent_id: nullable(text),
  campaign_id: nullable(text),
  permissions: Type.Array(Type.Enum(PERMISSIONS)),
  created_at: Moment,
  revoked_at: nullable(Moment),
});

/** The shape of `data`, by type. */
export const EVENT_DATA = {
  'conversation.started': ConversationData,
  'conversation.handed_off': ConversationData,
  'conversation.resolved': ConversationData,
  'message.received': MessageData,
  'message.sent': MessageData,
  'message.delivered': MessageData,
  'message.read': MessageData,
  'message.failed': MessageData,
  'run.completed': RunData,
  'run.failed': RunData,
  'run.skipped': RunData,
  'end_user.created': EndUserData,
  'end_user.updated': EndUserData,
  'end_user.deleted': Type.Object({ id: text }),
  'end_user.opted_out': Type.Object({ ...person, channel_kind: text }),
  'campaign.recipient.updated': RecipientData,
  'campaign.ended': CampaignData,
  'api_key.created': ApiKeyData,
  'api_key.revoked': ApiKeyData,
  [TEST_EVENT_TYPE]: Type.Object({ endpoint_id: text, message: text }),
} satisfies Record<EventType | typeof TEST_EVENT_TYPE, TSchema>;

/** The body of every delivery; its exact bytes are what is signed. `id` stays the same over all attempts. */
export const EventEnvelope = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    timestamp: Moment,
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'Event' },
);
export type EventEnvelope = Static<typeof EventEnvelope>;

/** When the event happened, in a sentence: for the reference, the dashboard's list and the documentation. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'conversation.started': 'A conversation was begun: by a trigger, a campaign, a message of yours or the person.',
  'conversation.handed_off': 'The agent, or a member, handed the conversation to people.',
  'conversation.resolved': 'The conversation came to its end.',
  'message.received': 'The end user wrote, or a trigger call brought first words.',
  'message.sent': 'A message to the end user has left.',
  'message.delivered': 'It has arrived.',
  'message.read': 'It was read.',
  'message.failed': 'It will not arrive: failed, undelivered or suppressed, with the reason in `error`.',
  'run.completed': 'The run has done what it was for.',
  'run.failed': 'The run was given up, with the reason in `error`.',
  'run.skipped': 'The run had nobody to speak to, for example after an opt-out.',
  'end_user.created': 'A person became known.',
  'end_user.updated': 'Something about the person changed.',
  'end_user.deleted': 'The person was erased; nothing but the id is left.',
  'end_user.opted_out': 'The person wants nothing more on one kind of channel.',
  'campaign.recipient.updated': 'A recipient moved on to another status.',
  'campaign.ended': 'The campaign has ended.',
  'api_key.created': 'An API key was made.',
  'api_key.revoked': 'An API key was revoked.',
};
