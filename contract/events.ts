import { Type, type Static, type TSchema } from 'typebox';
import { ApprovalRecord } from './approvals.ts';
import { RECIPIENT_STATUSES } from './campaigns.ts';
import { DELIVERY_STATUSES } from './channels.ts';
import { EndUser } from './end-users.ts';
import { LeakRecord } from './leak-report.ts';
import { Comparison, ROLLOUT_REASONS } from './dashboard/rollouts.ts';
import { type EventType, TEST_EVENT_TYPE } from './event-types.ts';
import { MESSAGE_ROLES, MessageContent, MessageSource } from './messages.ts';
import { KEY_SCOPES, PERMISSIONS } from './permissions.ts';
import { RATING_KINDS } from './ratings.ts';
import { RunResult } from './results.ts';
import { RUN_STATUSES } from './triggers.ts';

const text = Type.String();
const Moment = Type.String({ format: 'date-time' });
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const ConversationData = Type.Object(
  {
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
  },
  { title: 'ConversationEventData' },
);

/** The data contains the result of the run so far. */
const HandedOffData = Type.Object(
  { ...ConversationData.properties, result: RunResult },
  { title: 'HandedOffEventData' },
);

const RatedData = Type.Object(
  {
    ...ConversationData.properties,
    rating: Type.Object({
      kind: Type.Enum(RATING_KINDS),
      score: Type.Integer({ description: 'A survey: 1 to 5. An answer: 1 is good, -1 is bad.' }),
      comment: nullable(text),
      message_id: Type.String({ description: 'The rated answer, or the question of the survey.' }),
      run_id: nullable(text),
      agent_version: nullable(Type.Integer()),
      rated_at: Moment,
    }),
  },
  { title: 'RatedEventData' },
);

const MessageData = Type.Object(
  {
    id: text,
    conversation_id: text,
    agent_id: text,
    channel_id: text,
    end_user_id: text,
    run_id: nullable(text),
    role: Type.Enum(MESSAGE_ROLES),
    content: MessageContent,
    sources: Type.Array(MessageSource),
    /** Null for incoming messages. */
    status: nullable(Type.Enum(DELIVERY_STATUSES)),
    error: nullable(Type.Object({ code: text, detail: text, provider_code: Type.Optional(nullable(text)) })),
    metadata: Type.Record(text, text),
    created_at: Moment,
  },
  { title: 'MessageEventData' },
);

const RunData = Type.Object(
  {
    id: text,
    status: Type.Enum(RUN_STATUSES),
    reason: nullable(text),
    error: nullable(Type.Object({ code: text, detail: text })),
    agent_id: text,
    /** Null if the person wrote first or a campaign started the conversation. */
    trigger_id: nullable(text),
    conversation_id: text,
    end_user_id: text,
    channel_id: text,
    metadata: Type.Record(text, text),
    agent_version: nullable(Type.Integer()),
    result: RunResult,
    created_at: Moment,
    finished_at: nullable(Moment),
  },
  { title: 'RunEventData' },
);

const { identities: _identities, ...person } = EndUser.properties;
const EndUserData = Type.Object(person, { title: 'EndUserEventData' });

const RecipientData = Type.Object(
  {
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
  },
  { title: 'RecipientEventData' },
);

const CampaignData = Type.Object(
  {
    id: text,
    agent_id: text,
    channel_id: text,
    name: text,
    state: Type.Literal('ended'),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'CampaignEventData' },
);

/** The data never contains the value of the key, which only its creator has seen. */
const ApiKeyData = Type.Object(
  {
    id: text,
    label: text,
    prefix: text,
    scope: Type.Enum(KEY_SCOPES),
    agent_id: nullable(text),
    campaign_id: nullable(text),
    permissions: Type.Array(Type.Enum(PERMISSIONS)),
    created_at: Moment,
    revoked_at: nullable(Moment),
    /** The place where the key was found in public, and whether a scanner signed the report. */
    leak: nullable(LeakRecord),
  },
  { title: 'ApiKeyEventData' },
);

const BudgetData = Type.Object(
  {
    id: text,
    subject: Type.Enum(['organization', 'agent', 'campaign', 'key']),
    /** Null for the organization. */
    subject_id: nullable(text),
    period: Type.Enum(['day', 'month']),
    /** The first day of the period, in UTC. */
    period_start: Type.String({ format: 'date' }),
    /** The unit is `tokens`, or a currency code. */
    unit: text,
    amount: Type.Number(),
    spent: Type.Number(),
  },
  { title: 'BudgetEventData' },
);

const RolloutData = Type.Object({
  id: text,
  agent_id: text,
  version: Type.Integer(),
  /** The version that all other end users get. */
  base_version: Type.Integer(),
  percent: Type.Integer(),
  reason: Type.Enum(ROLLOUT_REASONS),
  comparison: Comparison,
  created_at: Moment,
  ended_at: Moment,
});

/**
 * A record of the audit log, without secrets. The actor fields are null if no person acted, or if the person's account
 * was deleted.
 */
const AuditData = Type.Object(
  {
    id: text,
    actor: text,
    actor_name: nullable(text),
    actor_email: nullable(text),
    action: text,
    subject_id: text,
    facts: Type.Record(text, Type.Unknown()),
    address: nullable(text),
    request_id: nullable(text),
    created_at: Moment,
  },
  { title: 'AuditEventData' },
);

/** The schema of `data` for each type, which is the record at the time of the event, in the form of the API. */
export const EVENT_DATA = {
  'conversation.started': ConversationData,
  'conversation.handed_off': HandedOffData,
  'conversation.resolved': ConversationData,
  'conversation.reopened': ConversationData,
  'conversation.rated': RatedData,
  'message.received': MessageData,
  'message.sent': MessageData,
  'message.delivered': MessageData,
  'message.read': MessageData,
  'message.failed': MessageData,
  'run.completed': RunData,
  'run.failed': RunData,
  'run.skipped': RunData,
  'run.result_updated': RunData,
  'approval.requested': ApprovalRecord,
  'end_user.created': EndUserData,
  'end_user.updated': EndUserData,
  'end_user.deleted': Type.Object({ id: text }),
  'end_user.opted_out': Type.Object({ ...person, channel_kind: text }),
  'campaign.recipient.updated': RecipientData,
  'campaign.ended': CampaignData,
  'api_key.created': ApiKeyData,
  'api_key.revoked': ApiKeyData,
  'budget.warning': BudgetData,
  'budget.spent': BudgetData,
  'agent.rollout_stopped': RolloutData,
  'audit.recorded': AuditData,
  [TEST_EVENT_TYPE]: Type.Object({ endpoint_id: text, message: text }),
} satisfies Record<EventType | typeof TEST_EVENT_TYPE, TSchema>;

/**
 * The body of every delivery. The signature covers the exact bytes of the body. The field `id` is the same in all
 * attempts.
 */
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
