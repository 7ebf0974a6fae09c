import { Type, type Static } from 'typebox';
import { CampaignSettings } from '../campaigns.ts';
import { MAX_FILE_CHARACTERS } from './campaigns.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/**
 * A rehearsal is a campaign on a virtual clock, which sends nothing, enrolls no one and stores nothing. The page
 * docs/campaigns.md explains how.
 */
export const MAX_REHEARSED = 10_000;
/** A rehearsal stops after this many days of its clock. */
export const REHEARSED_DAYS = 366;
/** A response without `all_rows` has this number of rows. */
export const REHEARSED_SAMPLE = 50;

const Zone = Type.String({ format: 'time-zone', maxLength: 64 });
const Percent = Type.Number({ minimum: 0, maximum: 100 });

/** The people are generated, spread evenly over time zones and languages. */
const MadeUp = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: MAX_REHEARSED }),
    time_zones: Type.Optional(Type.Array(Nullable(Zone), { minItems: 1, maxItems: 50 })),
    locales: Type.Optional(Type.Array(Type.String({ format: 'locale' }), { minItems: 1, maxItems: 20 })),
    /** The percentage of people who have opted out of the channel, and the percentage of people without a name. */
    opted_out: Type.Optional(Percent),
    unnamed: Type.Optional(Percent),
  },
  closed,
);
export type MadeUp = Static<typeof MadeUp>;

/** A percentage of the messaged people, or the recipients with these references, reply after a delay. */
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
    /** The settings of the rehearsal, saved or unsaved. Absent: the rehearsal uses the settings of the campaign. */
    settings: Type.Optional(CampaignSettings),
    /** The time at which the virtual clock starts. Absent: the clock starts at the current time. */
    begins_at: Type.Optional(Moment),
    /** The body has at most one of the three sources of people. Absent: the rehearsal uses the waiting recipients. */
    filters: Type.Optional(EndUserExportQuery),
    /** The file is CSV with a header row, or has one JSON recipient per line, as in an addition. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
    made_up: Type.Optional(MadeUp),
    /** With `none`, a person of the file is enrolled again, as in an addition. */
    dedupe: Type.Optional(Type.Union([Type.Literal('campaign'), Type.Literal('none')])),
    replies: Type.Optional(Type.Array(ScriptedReply, { maxItems: 20 })),
    /** True: the response has a row for every recipient, not only for the first recipients. */
    all_rows: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RehearseCampaignBody = Static<typeof RehearseCampaignBody>;

/**
 * The status `waiting` means that the rehearsal stopped before this recipient. A recipient with the status `duplicate`
 * or `invalid` would not be enrolled.
 */
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
  /** Null: the campaign would create the person. */
  end_user_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  time_zone: Nullable(Type.String()),
  status: Type.Enum(REHEARSED_STATUSES),
  reason: Nullable(Type.String()),
  /**
   * The time at which the message is sent or skipped. Null: the recipient is not enrolled, or the rehearsal did not
   * reach this time.
   */
  at: Nullable(Moment),
  /** The start of the text of the first message. Null: the agent's own opening is sent, or no message is sent. */
  text: Nullable(Type.String()),
  replied_at: Nullable(Moment),
  reply: Nullable(Type.String()),
  /** The first reminder of the agent, if the person does not answer. */
  reminded_at: Nullable(Moment),
});
export type RehearsedRecipient = Static<typeof RehearsedRecipient>;
/** The columns of the table of a rehearsal, in order. */
export const REHEARSED_COLUMNS = Object.keys(RehearsedRecipient.properties) as (keyof RehearsedRecipient)[];

export const CampaignRehearsal = Type.Object(
  {
    begins_at: Moment,
    /** The time of the last event of the rehearsal. Null: the rehearsal has no events. */
    ends_at: Nullable(Moment),
    /**
     * The reason why the rehearsal stopped early, because a year of its clock passed or the computation took too long.
     * Null: the rehearsal is complete.
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
    /** The number of reminders of the agent (`no_reply`), and of the people who get them. */
    reminders: Type.Integer(),
    reminded: Type.Integer(),
    left_out: Type.Array(
      Type.Object({ status: Type.Enum(REHEARSED_STATUSES), reason: Nullable(Type.String()), count: Type.Integer() }),
    ),
    /** The hours with at least one event, by their start in UTC. */
    by_hour: Type.Array(Type.Object({ at: Moment, sent: Type.Integer(), replies: Type.Integer() })),
    replies: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer(), opts_out: Type.Boolean() })),
    /** The number of messages with an empty variable, and the names of these variables. */
    empty: Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()) }),
    /** The rows are in the order of their time. Recipients without a message come last. */
    rows: Type.Array(RehearsedRecipient),
  },
  { title: 'CampaignRehearsal' },
);
export type CampaignRehearsal = Static<typeof CampaignRehearsal>;
