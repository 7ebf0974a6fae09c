import { Type, type Static } from 'typebox';
import { CampaignSettings } from '../campaigns.ts';
import { MAX_FILE_CHARACTERS } from './campaigns.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/**
 * A campaign on a virtual clock: nothing is sent, no one is enrolled, nothing is stored. docs/campaigns.md explains
 * how.
 */
export const MAX_REHEARSED = 10_000;
/** A rehearsal stops after this many days of its clock. */
export const REHEARSED_DAYS = 366;
/** The number of rows in a response without `all_rows`. */
export const REHEARSED_SAMPLE = 50;

const Zone = Type.String({ format: 'time-zone', maxLength: 64 });
const Percent = Type.Number({ minimum: 0, maximum: 100 });

/** Generated people, spread evenly over time zones and languages. */
const MadeUp = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: MAX_REHEARSED }),
    time_zones: Type.Optional(Type.Array(Nullable(Zone), { minItems: 1, maxItems: 50 })),
    locales: Type.Optional(Type.Array(Type.String({ format: 'locale' }), { minItems: 1, maxItems: 20 })),
    /** The percentage that has opted out of the channel, and the percentage without a name. */
    opted_out: Type.Optional(Percent),
    unnamed: Type.Optional(Percent),
  },
  closed,
);
export type MadeUp = Static<typeof MadeUp>;

/** A percentage of the messaged people, or the recipients with these references, reply after this delay. */
export const ScriptedReply = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 1_000 }),
    after_minutes: Type.Number({ minimum: 0, maximum: 43_200 }),
    percent: Type.Optional(Percent),
    refs: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 500 })),
  },
  closed,
);
export type ScriptedReply = Static<typeof ScriptedReply>;

export const RehearseCampaignBody = Type.Object(
  {
    /** Settings, saved or unsaved. Absent: the settings of the campaign are used. */
    settings: Type.Optional(CampaignSettings),
    /** The start time of the virtual clock. Absent: now. */
    begins_at: Type.Optional(Moment),
    /** At most one of the three sources. Absent: the rehearsal uses the waiting recipients. */
    filters: Type.Optional(EndUserExportQuery),
    /** CSV with a header row, or one JSON recipient per line, as in an addition. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
    made_up: Type.Optional(MadeUp),
    /** As in an addition: `none` enrolls a person of the file again. */
    dedupe: Type.Optional(Type.Union([Type.Literal('campaign'), Type.Literal('none')])),
    replies: Type.Optional(Type.Array(ScriptedReply, { maxItems: 20 })),
    /** True: the response has a row for every recipient, not only the first ones. */
    all_rows: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RehearseCampaignBody = Static<typeof RehearseCampaignBody>;

/** `waiting`: the rehearsal stopped before this recipient. `duplicate` and `invalid`: would not be enrolled. */
export const REHEARSED_STATUSES = [
  'sent',
  'replied',
  'suppressed',
  'failed',
  'expired',
  'duplicate',
  'invalid',
  'waiting',
] as const;
export type RehearsedStatus = (typeof REHEARSED_STATUSES)[number];

export const RehearsedRecipient = Type.Object({
  ref: Nullable(Type.String()),
  /** Null: the person would be created. */
  end_user_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  time_zone: Nullable(Type.String()),
  status: Type.Enum(REHEARSED_STATUSES),
  reason: Nullable(Type.String()),
  /**
   * The time of sending, or the time when the message is skipped. Null: the recipient is not enrolled, or the rehearsal
   * did not reach this time.
   */
  at: Nullable(Moment),
  /** The start of the first message. Null: the agent's own opening, or no message. */
  text: Nullable(Type.String()),
  replied_at: Nullable(Moment),
  reply: Nullable(Type.String()),
  /** The first reminder of the agent, if the person does not answer. */
  reminded_at: Nullable(Moment),
});
export type RehearsedRecipient = Static<typeof RehearsedRecipient>;
/** The columns of a rehearsal table, in this order. */
export const REHEARSED_COLUMNS = Object.keys(RehearsedRecipient.properties) as (keyof RehearsedRecipient)[];

export const CampaignRehearsal = Type.Object(
  {
    begins_at: Moment,
    /** The time of the last event. Null: no events. */
    ends_at: Nullable(Moment),
    /**
     * The reason for an early stop: a year of its clock passed, or the computation took too long. Null: the rehearsal
     * is complete.
     */
    stopped: Nullable(Type.Enum(['after_a_year', 'took_too_long'])),
    recipients: Type.Integer(),
    /** True: more people match the filters than a rehearsal processes. */
    has_more: Type.Boolean(),
    sent: Type.Integer(),
    first_at: Nullable(Moment),
    last_at: Nullable(Moment),
    replied: Type.Integer(),
    opted_out: Type.Integer(),
    /** The reminders of the agent (`no_reply`), and the people who get them. */
    reminders: Type.Integer(),
    reminded: Type.Integer(),
    left_out: Type.Array(
      Type.Object({ status: Type.Enum(REHEARSED_STATUSES), reason: Nullable(Type.String()), count: Type.Integer() }),
    ),
    /** Hours with at least one event, by their start in UTC. */
    by_hour: Type.Array(Type.Object({ at: Moment, sent: Type.Integer(), replies: Type.Integer() })),
    replies: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer(), opts_out: Type.Boolean() })),
    /** Messages with an empty variable, and the names of these variables. */
    empty: Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()) }),
    /** Ordered by time. Recipients without a message come last. */
    rows: Type.Array(RehearsedRecipient),
  },
  { title: 'CampaignRehearsal' },
);
export type CampaignRehearsal = Static<typeof CampaignRehearsal>;
