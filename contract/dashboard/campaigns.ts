import { Type, type Static } from 'typebox';
import {
  CAMPAIGN_STATES,
  CampaignSettings,
  type CampaignState,
  RECIPIENT_STATUSES,
  Recipient,
  RecipientCounts,
} from '../campaigns.ts';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import type { MessageContent } from '../messages.ts';
import { Cost } from '../costs.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

export { CAMPAIGN_STATES, type CampaignState };

/** The actions on a campaign, with the states that allow each action. No action leaves the state `ended`. */
export const CAMPAIGN_MOVES = {
  start: { from: ['draft'], to: 'live' },
  pause: { from: ['live'], to: 'paused' },
  resume: { from: ['paused'], to: 'live' },
  end: { from: ['draft', 'live', 'paused'], to: 'ended' },
} as const satisfies Record<string, { from: readonly CampaignState[]; to: CampaignState }>;
export type CampaignMove = keyof typeof CAMPAIGN_MOVES;

export const CampaignRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    channel_id: Type.String(),
    name: Type.String(),
    state: Type.Enum(CAMPAIGN_STATES),
    settings: CampaignSettings,
    /** The repeating campaign that started this campaign, and the day. Null: no schedule started this campaign. */
    round_of: Nullable(Type.String()),
    round_day: Nullable(Type.String({ format: 'date' })),
    /** The number of recipients by status and in total. Only the response for one campaign contains the numbers. */
    counts: Type.Optional(RecipientCounts),
    total: Type.Optional(Type.Integer()),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'DashboardCampaign' },
);
export type CampaignRecord = Static<typeof CampaignRecord>;

const CampaignName = Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' });

export const CreateCampaignBody = Type.Object(
  { agent_id: Id('agent'), channel_id: Id('channel'), name: CampaignName },
  closed,
);
export type CreateCampaignBody = Static<typeof CreateCampaignBody>;

export const UpdateCampaignBody = Type.Object(
  {
    name: Type.Optional(CampaignName),
    /** The settings replace all stored settings. */
    settings: Type.Optional(CampaignSettings),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateCampaignBody = Static<typeof UpdateCampaignBody>;

/** The settings (saved or unsaved), and a person who would receive the message. */
export const PreviewCampaignBody = Type.Object(
  {
    settings: CampaignSettings,
    /** The time zone of the recipient. Absent: the person gets the time zone of the campaign. */
    time_zone: Type.Optional(Type.String({ format: 'time-zone', maxLength: 64 })),
    at: Type.Optional(Moment),
    end_user: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String({ maxLength: 200 })),
          locale: Type.Optional(Type.String({ format: 'locale' })),
        },
        closed,
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 100,
        propertyNames: { minLength: 1, maxLength: 64 },
      }),
    ),
  },
  closed,
);
export type PreviewCampaignBody = Static<typeof PreviewCampaignBody>;

export const CampaignPreview = Type.Object(
  {
    from: Moment,
    /** Null: the allowed hours exclude every time. */
    goes_out_at: Nullable(Moment),
    /** Null: a model writes the opening when the conversation starts. */
    opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
    /** The opening for a person without a name and without values, with the variables that would be empty. */
    without: Type.Object({
      opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
      empty: Type.Array(Type.String()),
    }),
  },
  { title: 'CampaignPreview' },
);
export type CampaignPreview = Static<typeof CampaignPreview>;

/** A file of recipients is CSV with a header row, or has one JSON recipient per line, as in an addition. */
export const MAX_FILE_ROWS = 10_000;
export const MAX_FILE_CHARACTERS = 2 * 1024 * 1024;

/**
 * A review examines at most this many recipients, or all rows of a file, and lists at most `MAX_NAMED` for each reason.
 */
export const MAX_REVIEWED = 5_000;
export const MAX_NAMED = 50;

const ReviewedRecipient = Type.Object({
  id: Type.String(),
  ref: Nullable(Type.String()),
  /** Null: the person of the file does not exist yet. */
  end_user_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
});
const Named = Type.Array(ReviewedRecipient, { maxItems: MAX_NAMED });
const FileFault = Type.Object({
  row: Type.Integer(),
  ref: Nullable(Type.String()),
  errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
});

/**
 * Absent or empty: the review examines the waiting recipients. With filters or a file, the review examines the people
 * who would be added. A body has at most one source of people, filters or a file.
 */
export const ReviewCampaignBody = Type.Object(
  {
    filters: Type.Optional(EndUserExportQuery),
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
  },
  { ...closed, maxProperties: 1 },
);
export type ReviewCampaignBody = Static<typeof ReviewCampaignBody>;

/**
 * The review shows what the campaign would do now with its waiting recipients, or with the end users who match. The
 * review uses the same rules as the worker. The review stores nothing.
 */
export const CampaignReview = Type.Object(
  {
    /**
     * The number of waiting recipients, and the number of examined recipients, oldest first. All other numbers count
     * only examined recipients.
     */
    waiting: Type.Integer(),
    examined: Type.Integer(),
    /**
     * True: more people match the filters than the review examined. If more people match, `waiting` counts only some of
     * the recipients.
     */
    has_more: Type.Boolean(),
    goes: Type.Object({
      /** The recipients who would be messaged now or later. */
      count: Type.Integer(),
      /** The part of `count` that waits for the start, for the allowed hours, or for the recipient's own time. */
      later: Type.Integer(),
      /** The times of the first and the last message under the rate limit. Null: no one would be messaged. */
      first_at: Nullable(Moment),
      last_at: Nullable(Moment),
    }),
    /**
     * The recipients who would not be messaged, including recipients who were skipped earlier. Groups of recipients who
     * were skipped earlier have an empty `recipients`.
     */
    left_out: Type.Array(
      Type.Object({
        /**
         * The reason `duplicate` means that the person is already in the campaign. The reason `invalid` means an
         * invalid row of the file (see `faults`).
         */
        status: Type.Enum([...RECIPIENT_STATUSES, 'duplicate', 'invalid'] as const),
        reason: Nullable(Type.String()),
        /** True if the recipients that the review found are still waiting. */
        is_waiting: Type.Boolean(),
        count: Type.Integer(),
        recipients: Named,
      }),
    ),
    /** The recipients whose message has an empty variable, and the names of these variables. */
    empty: Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()), recipients: Named }),
    /** The recipients whose template the provider would refuse, and the reasons as sentences. */
    refused: Type.Object({ count: Type.Integer(), reasons: Type.Array(Type.String()), recipients: Named }),
    /**
     * True: the channel accepts only a template for a person who has not written recently, and the campaign has none.
     */
    needs_template: Type.Boolean(),
    /** The first invalid rows of a file. Row 1 is the first recipient. */
    faults: Type.Array(FileFault, { maxItems: MAX_NAMED }),
    samples: Type.Array(
      Type.Object({
        recipient: ReviewedRecipient,
        goes_out_at: Moment,
        /** Null: a model writes the first message. */
        opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
      }),
      { maxItems: 3 },
    ),
    /** The cost of the agent's models in the last 30 days. */
    cost: Type.Object({
      /** False: the built-in engine answers, which costs nothing. */
      uses_model: Type.Boolean(),
      turns: Type.Integer(),
      unpriced_tokens: Type.Integer(),
      /** The average cost of a turn with a model, and this average multiplied by the number of messaged people. */
      per_turn: Type.Array(Cost),
      one_turn_each: Type.Array(Cost),
    }),
  },
  { title: 'CampaignReview' },
);
export type CampaignReview = Static<typeof CampaignReview>;

/** Sends the first message as a test to an address that the member enters. The settings of the test may be unsaved. */
export const TestCampaignBody = Type.Object(
  {
    settings: CampaignSettings,
    address: Type.String({ minLength: 1, maxLength: 320 }),
    end_user: PreviewCampaignBody.properties.end_user,
    variables: PreviewCampaignBody.properties.variables,
  },
  closed,
);
export type TestCampaignBody = Static<typeof TestCampaignBody>;

/**
 * Counts the matching end users whom an addition would add. Each call counts one page of end users. The call adds no
 * one to the campaign.
 */
export const CountAudienceBody = Type.Object(
  {
    filters: EndUserExportQuery,
    /** The `next` of the previous call. Absent: the call counts the first page. */
    after: Type.Optional(Id('enduser')),
  },
  closed,
);
export type CountAudienceBody = Static<typeof CountAudienceBody>;

export const CountedAudience = Type.Object(
  {
    accepted: Type.Integer(),
    /** The number of people who are already in the campaign. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    /** The number of people who were erased between the search and this call. */
    invalid: Type.Integer(),
    /** Null: the call counted the last page. */
    next: Nullable(Type.String()),
  },
  { title: 'CountedAudience' },
);
export type CountedAudience = Static<typeof CountedAudience>;

export const CountFileBody = Type.Object(
  { file: Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS }) },
  closed,
);
export type CountFileBody = Static<typeof CountFileBody>;

export const CountedFile = Type.Object(
  {
    rows: Type.Integer(),
    accepted: Type.Integer(),
    /** The number of people who are already in the campaign, or twice in the file. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    invalid: Type.Integer(),
    /** The first invalid rows of the file. Row 1 is the first recipient of the file. */
    faults: Type.Array(FileFault, { maxItems: MAX_NAMED }),
  },
  { title: 'CountedFile' },
);
export type CountedFile = Static<typeof CountedFile>;

const recipientFilters = {
  status: Type.Optional(Type.Enum(RECIPIENT_STATUSES)),
  ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
};
export const RecipientListQuery = PageQuery(recipientFilters);
export const RecipientExportQuery = Type.Object(recipientFilters, closed);

/** The dashboard shows recipients in the same form as the public API. */
export const RecipientRecord = Recipient;

/**
 * A list also contains the name of the person, or another text that identifies the recipient. Null: the person was
 * erased, or has no name.
 */
export const NamedRecipient = Type.Object(
  { ...Recipient.properties, name: Nullable(Type.String()) },
  { title: 'NamedRecipient' },
);
export type NamedRecipient = Static<typeof NamedRecipient>;
