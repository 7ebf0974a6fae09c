import { Type, type Static } from 'typebox';
import { EVENT_DELIVERY_STATES, EVENT_TYPES, TEST_EVENT_TYPE } from '../event-types.ts';
import { EventEnvelope } from '../events.ts';
import { ROTATION_OVERLAPS } from './keys.ts';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

/** One organization has at most this many endpoints, because every event is stored once per endpoint. */
export const MAX_WEBHOOKS = 20;
/** This many attempts are stored per delivery, which is enough for two rounds and a few more. */
export const MAX_STORED_ATTEMPTS = 25;

/** The reason why an endpoint is off, which is that a member turned it off, or that it returned 410. */
export const WEBHOOK_DISABLED_REASONS = ['by_member', 'gone'] as const;

const Url = Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 });
const Description = Type.String({ maxLength: 200 });
const Types = Type.Array(Type.Enum(EVENT_TYPES), {
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Empty: every type except `audit.recorded`, including types of later versions.',
});

const record = {
  id: Type.String(),
  url: Type.String(),
  description: Type.String(),
  types: Types,
  enabled: Type.Boolean(),
  disabled_reason: Nullable(Type.Enum(WEBHOOK_DISABLED_REASONS)),
  /** Until this time, every delivery also has a signature by the previous secret. */
  previous_secret_until: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};

export const WebhookRecord = Type.Object(record, { title: 'WebhookEndpoint' });
export type WebhookRecord = Static<typeof WebhookRecord>;

/** Only the responses to creating and rotating a secret contain `secret`. */
export const NewWebhook = Type.Object({ ...record, secret: Type.String() }, { title: 'NewWebhookEndpoint' });
export type NewWebhook = Static<typeof NewWebhook>;

export const CreateWebhookBody = Type.Object(
  { url: Url, description: Type.Optional(Description), types: Type.Optional(Types) },
  closed,
);
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

export const UpdateWebhookBody = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Description),
    types: Type.Optional(Types),
    enabled: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateWebhookBody = Static<typeof UpdateWebhookBody>;

export const RotateWebhookBody = Type.Object({ overlap: Type.Enum(ROTATION_OVERLAPS) }, closed);
export type RotateWebhookBody = Static<typeof RotateWebhookBody>;

/** Events since this time that the endpoint did not accept are sent again. */
export const RecoverWebhookBody = Type.Object({ since: Moment }, closed);
export type RecoverWebhookBody = Static<typeof RecoverWebhookBody>;

export const RecoveredDeliveries = Type.Object(
  { recovered: Type.Integer({ minimum: 0 }) },
  { title: 'RecoveredDeliveries' },
);
export type RecoveredDeliveries = Static<typeof RecoveredDeliveries>;

/** The result of one attempt. */
export const DeliveryAttempt = Type.Object(
  {
    at: Moment,
    /** The status of the response. Null: no response came. */
    status: Nullable(Type.Integer()),
    /** The reason why the attempt failed. Null: the attempt succeeded. */
    error: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
    duration_ms: Type.Integer(),
    /** The start of the response's body. */
    response: Type.String(),
  },
  { title: 'DeliveryAttempt' },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const delivery = {
  event_id: Type.String(),
  endpoint_id: Type.String(),
  endpoint_url: Type.String(),
  type: Type.String(),
  state: Type.Enum(EVENT_DELIVERY_STATES),
  /** The number of attempts in the current round. A resend starts a new round. */
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Moment),
  last_attempt: Nullable(DeliveryAttempt),
  created_at: Moment,
  updated_at: Moment,
};

export const EventDelivery = Type.Object(delivery, { title: 'EventDelivery' });
export type EventDelivery = Static<typeof EventDelivery>;

/** One complete delivery, with its attempts, oldest first, and its body. */
export const EventDeliveryDetail = Type.Object(
  { ...delivery, history: Type.Array(DeliveryAttempt), body: Type.String() },
  { title: 'EventDeliveryDetail' },
);
export type EventDeliveryDetail = Static<typeof EventDeliveryDetail>;

export const EventDeliveryQuery = PageQuery({
  endpoint_id: Type.Optional(Id('whk')),
  type: Type.Optional(Type.Enum([...EVENT_TYPES, TEST_EVENT_TYPE])),
  state: Type.Optional(Type.Enum(EVENT_DELIVERY_STATES)),
});

/**
 * Watches new events. Without `after`, the list starts with the next event. Each call makes Parley write events for
 * some more minutes.
 */
export const WatchEventsQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    type: Type.Optional(Type.Enum(EVENT_TYPES)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  closed,
);

/** The events are in order, oldest first. `cursor` is always present. Send the `cursor` as `after` in the next call. */
export const WatchedEvents = Type.Object(
  { data: Type.Array(EventEnvelope), cursor: Type.String() },
  { title: 'WatchedEvents' },
);
