import { Type, type Static } from 'typebox';
import { LocalizedText } from './agents.ts';
import { EndUserInput, Unchanged } from './triggers.ts';

const closed = { additionalProperties: false };

/** Clock times have the form `09:00`. */
export const ClockTime = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'A time of day, e.g. 09:00.',
});
const Moment = Type.String({ format: 'date-time' });
const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

export const MAX_PACE_PER_MINUTE = 60_000;

/**
 * The message, the hours and the speed of a campaign. Every setting is optional. By default, the campaign sends the
 * agent's own opening at any time.
 */
export const CampaignSettings = Type.Object(
  {
    opening: Type.Optional(
      Type.Object(
        {
          text: Type.Optional(LocalizedText),
          template: Type.Optional(
            Type.Object(
              {
                name: Type.String({ minLength: 1, maxLength: 512 }),
                language: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })),
                variables: Type.Optional(
                  Type.Record(Type.String(), Type.String({ maxLength: 1024 }), {
                    maxProperties: 50,
                    propertyNames: { minLength: 1, maxLength: 64 },
                    description:
                      'Values may contain variables: {{order_id}}, {{end_user.name}}, {{end_user.name|there}}.',
                  }),
                ),
              },
              closed,
            ),
          ),
        },
        { ...closed, description: 'The opening, as text per language or as an approved template of the channel.' },
      ),
    ),
    window: Type.Optional(
      Type.Object(
        {
          from: ClockTime,
          to: ClockTime,
          days: Type.Optional(
            Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
              minItems: 1,
              maxItems: 7,
              uniqueItems: true,
              description: 'Days of the week; 1 is Monday. Absent: every day.',
            }),
          ),
        },
        { ...closed, description: "Hours in which messages may be sent, in the recipient's time zone." },
      ),
    ),
    quiet_hours: Type.Optional(
      Type.Object(
        { from: ClockTime, to: ClockTime },
        {
          ...closed,
          description: "Hours in which no message is sent, in the recipient's time zone. They may include midnight.",
        },
      ),
    ),
    time_zone: Type.Optional(
      Type.String({
        format: 'time-zone',
        maxLength: 64,
        description: 'The time zone of recipients without one. Absent: UTC.',
      }),
    ),
    per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PACE_PER_MINUTE,
        description: 'The maximum number of conversations that start per minute.',
      }),
    ),
    starts_at: Type.Optional(Nullable(Moment)),
    ends_at: Type.Optional(Nullable(Moment)),
  },
  { ...closed, title: 'CampaignSettings' },
);
export type CampaignSettings = Static<typeof CampaignSettings>;

export const RECIPIENT_STATUSES = [
  'pending',
  'waiting_window',
  'sending',
  'sent',
  'delivered',
  'read',
  'replied',
  'completed',
  'failed',
  'cancelled',
  'suppressed',
  'expired',
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

export const MAX_RECIPIENTS = 1_000;

/**
 * One recipient in a request. Each recipient is validated separately, so an invalid recipient does not reject other
 * recipients.
 */
export const RecipientInput = Type.Object(
  {
    end_user: EndUserInput,
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 100,
        propertyNames: { minLength: 1, maxLength: 64 },
        description: 'Values for the variables in the texts of the campaign: {{voucher}}.',
      }),
    ),
    send_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'The message is not sent before this time. The allowed hours and quiet hours still apply.',
        }),
      ),
    ),
    ref: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Your own name for the recipient; `?ref=` finds it.',
        }),
      ),
    ),
  },
  { ...closed, title: 'RecipientInput' },
);
export type RecipientInput = Static<typeof RecipientInput>;

export const PushRecipients = Type.Object(
  {
    recipients: Type.Array(
      // The alternative without rules comes first, so the whole request is accepted. Later, each recipient is validated
      // against the second alternative.
      Type.Union([Type.Object({}, { description: 'Any other value gets the result `invalid`.' }), RecipientInput]),
      { minItems: 1, maxItems: MAX_RECIPIENTS },
    ),
    dedupe: Type.Optional(
      Type.Union([Type.Literal('campaign'), Type.Literal('none')], {
        default: 'campaign',
        description:
          '`campaign`: a person who is already enrolled is a duplicate. `none`: the person is enrolled again.',
      }),
    ),
  },
  { ...closed, title: 'PushRecipients' },
);
export type PushRecipients = { recipients: unknown[]; dedupe?: 'campaign' | 'none' };

export const PushResult = Type.Object(
  {
    index: Type.Integer(),
    ref: Nullable(Type.String()),
    recipient_id: Nullable(Type.String()),
    status: Type.Enum(['pending', 'duplicate', 'suppressed', 'invalid']),
    reason: Nullable(Type.String()),
    unchanged: Unchanged,
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
    ),
  },
  { title: 'PushResult' },
);
export type PushResult = Static<typeof PushResult>;

export const PushedRecipients = Type.Object(
  {
    accepted: Type.Integer(),
    duplicates: Type.Integer(),
    suppressed: Type.Integer(),
    invalid: Type.Integer(),
    results: Type.Array(PushResult),
  },
  { title: 'PushedRecipients' },
);
export type PushedRecipients = Static<typeof PushedRecipients>;

export const Recipient = Type.Object(
  {
    id: Type.String(),
    campaign_id: Type.String(),
    end_user_id: Nullable(Type.String()),
    ref: Nullable(Type.String()),
    status: Type.Enum(RECIPIENT_STATUSES),
    reason: Nullable(Type.String()),
    variables: Type.Record(Type.String(), Type.Unknown()),
    send_at: Nullable(Moment),
    /** The time at which the message is expected to be sent, if the time is known. Null after the message was sent. */
    due_at: Nullable(Moment),
    conversation_id: Nullable(Type.String()),
    run_id: Nullable(Type.String()),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'Recipient' },
);
export type Recipient = Static<typeof Recipient>;

export const CAMPAIGN_STATES = ['draft', 'live', 'paused', 'ended'] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

export const RecipientCounts = Type.Object(
  Object.fromEntries(RECIPIENT_STATUSES.map((status) => [status, Type.Integer()])) as Record<
    RecipientStatus,
    ReturnType<typeof Type.Integer>
  >,
  { title: 'RecipientCounts' },
);
export type RecipientCounts = Static<typeof RecipientCounts>;

/** A campaign in the form that its keys can read. */
export const Campaign = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    channel_id: Type.String(),
    name: Type.String(),
    state: Type.Enum(CAMPAIGN_STATES),
    window: Type.Object({
      starts_at: Nullable(Moment),
      ends_at: Nullable(Moment),
      hours: Nullable(Type.Object({ from: Type.String(), to: Type.String(), days: Type.Array(Type.Integer()) })),
      quiet_hours: Nullable(Type.Object({ from: Type.String(), to: Type.String() })),
      time_zone: Type.String(),
    }),
    limits: Type.Object({ per_minute: Nullable(Type.Integer()), recipients_per_call: Type.Integer() }),
    counts: RecipientCounts,
    total: Type.Integer(),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'Campaign' },
);
export type Campaign = Static<typeof Campaign>;
