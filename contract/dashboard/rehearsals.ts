import { Type, type Static } from 'typebox';
import { CampaignSettings } from '../campaigns.ts';
import { MAX_FILE_CHARACTERS } from './campaigns.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** A campaign on a virtual clock: nothing is sent, no one is enrolled, nothing is stored. docs/adr/0215 says how. */
export const MAX_REHEARSED = 10_000;
/** A rehearsal that is not over after so many days of its clock stops there. */
export const REHEARSED_DAYS = 366;
/** Rows of an answer that does not ask for all. */
export const REHEARSED_SAMPLE = 50;

const Zone = Type.String({ format: 'time-zone', maxLength: 64 });
const Percent = Type.Number({ minimum: 0, maximum: 100 });

/** People who do not exist, spread evenly over zones and languages. */
const MadeUp = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: MAX_REHEARSED }),
    time_zones: Type.Optional(Type.Array(Nullable(Zone), { minItems: 1, maxItems: 50 })),
    locales: Type.Optional(Type.Array(Type.String({ format: 'locale' }), { minItems: 1, maxItems: 20 })),
    /** Percent of them who have opted out of the channel, and percent without a name. */
    opted_out: Type.Optional(Percent),
    unnamed: Type.Optional(Percent),
  },
  closed,
);
export type MadeUp = Static<typeof MadeUp>;

/** A share of those who are messaged, or the recipients with these references, write back after a time. */
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
    /** Saved or not; absent: those of the campaign. */
    settings: Type.Optional(CampaignSettings),
    /** What the clock shows at the start; absent: now. */
    begins_at: Type.Optional(Moment),
    /** At most one of the three; absent: the recipients who wait. */
    filters: Type.Optional(EndUserExportQuery),
    /** CSV with a header row, or one recipient as JSON in each line, as a push has them. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
    made_up: Type.Optional(MadeUp),
    /** As in a push: `none` enrolls a person of the file again. */
    dedupe: Type.Optional(Type.Union([Type.Literal('campaign'), Type.Literal('none')])),
    replies: Type.Optional(Type.Array(ScriptedReply, { maxItems: 20 })),
    /** True: the answer has a row for every recipient, not only the first ones. */
    all_rows: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RehearseCampaignBody = Static<typeof RehearseCampaignBody>;

/** `waiting`: not reached, because the rehearsal stopped before. `duplicate` and `invalid`: would not be enrolled. */
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
  /** Null: a person who would be created. */
  end_user_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  time_zone: Nullable(Type.String()),
  status: Type.Enum(REHEARSED_STATUSES),
  reason: Nullable(Type.String()),
  /** When the message is sent, or when it is known that none is. Null: not enrolled, or not reached. */
  at: Nullable(Moment),
  /** The beginning of the first message; null: the agent's own opening, or no message. */
  text: Nullable(Type.String()),
  replied_at: Nullable(Moment),
  reply: Nullable(Type.String()),
});
export type RehearsedRecipient = Static<typeof RehearsedRecipient>;
/** The columns of a rehearsal as a table, in this order. */
export const REHEARSED_COLUMNS = Object.keys(RehearsedRecipient.properties) as (keyof RehearsedRecipient)[];

export const CampaignRehearsal = Type.Object(
  {
    begins_at: Moment,
    /** When the last thing happens; null: nothing does. */
    ends_at: Nullable(Moment),
    /** Why it stopped before its end: after a year of its clock, or because it took too long. Null: it is whole. */
    stopped: Nullable(Type.Enum(['after_a_year', 'took_too_long'])),
    recipients: Type.Integer(),
    /** More people match the filters than a rehearsal takes. */
    has_more: Type.Boolean(),
    sent: Type.Integer(),
    first_at: Nullable(Moment),
    last_at: Nullable(Moment),
    replied: Type.Integer(),
    opted_out: Type.Integer(),
    left_out: Type.Array(
      Type.Object({ status: Type.Enum(REHEARSED_STATUSES), reason: Nullable(Type.String()), count: Type.Integer() }),
    ),
    /** Hours in which something happens, by their beginning in UTC. */
    by_hour: Type.Array(Type.Object({ at: Moment, sent: Type.Integer(), replies: Type.Integer() })),
    replies: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer(), opts_out: Type.Boolean() })),
    /** Messages with an empty place, and the variables without a value. */
    empty: Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()) }),
    /** By time; those who get nothing come last. */
    rows: Type.Array(RehearsedRecipient),
  },
  { title: 'CampaignRehearsal' },
);
export type CampaignRehearsal = Static<typeof CampaignRehearsal>;
