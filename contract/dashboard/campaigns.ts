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

/** What can be done to a campaign, and from which states. Nothing leaves `ended`. */
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
    /** The campaign that repeats, and the day; null: this is no round of another one. */
    round_of: Nullable(Type.String()),
    round_day: Nullable(Type.String({ format: 'date' })),
    /** Recipients by status and in all; only where one campaign is read. */
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
    /** In place of the stored ones, as a whole. */
    settings: Type.Optional(CampaignSettings),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateCampaignBody = Static<typeof UpdateCampaignBody>;

/** Settings, saved or not, and a person who would get the message. */
export const PreviewCampaignBody = Type.Object(
  {
    settings: CampaignSettings,
    /** The recipient's; absent: the campaign's. */
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
    /** Null: never, by these hours. */
    goes_out_at: Nullable(Moment),
    /** Null: a model writes it when the conversation starts. */
    opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
    /** The same for a person without a name and values, and the variables whose places are then empty. */
    without: Type.Object({
      opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
      empty: Type.Array(Type.String()),
    }),
  },
  { title: 'CampaignPreview' },
);
export type CampaignPreview = Static<typeof CampaignPreview>;

/** A review examines at most so many recipients, and names at most so many for one reason. */
export const MAX_REVIEWED = 5_000;
export const MAX_NAMED = 50;

const ReviewedRecipient = Type.Object({
  id: Type.String(),
  ref: Nullable(Type.String()),
  end_user_id: Type.String(),
  name: Nullable(Type.String()),
});
const Named = Type.Array(ReviewedRecipient, { maxItems: MAX_NAMED });

/** Absent, or without filters: the recipients who wait. With filters: the end users who would be added. */
export const ReviewCampaignBody = Type.Object({ filters: Type.Optional(EndUserExportQuery) }, closed);
export type ReviewCampaignBody = Static<typeof ReviewCampaignBody>;

/** What the campaign would do now with the recipients who wait, or with end users who match: the worker's own rules. Stores nothing. */
export const CampaignReview = Type.Object(
  {
    /** Recipients who wait, and how many of them were examined: the oldest first. All numbers are of these. */
    waiting: Type.Integer(),
    examined: Type.Integer(),
    /** With filters: more people match than were examined. `waiting` is then a part of them. */
    has_more: Type.Boolean(),
    goes: Type.Object({
      /** Messaged now or later. */
      count: Type.Integer(),
      /** Of these: those who wait for the start, for their hours or for a time of their own. */
      later: Type.Integer(),
      /** When the first and the last are sent, with the rate limit; null: no one. */
      first_at: Nullable(Moment),
      last_at: Nullable(Moment),
    }),
    /** Recipients who are not messaged: examined ones, and those who were left out before (`recipients` is empty). */
    left_out: Type.Array(
      Type.Object({
        /** `duplicate`: in the campaign already. */
        status: Type.Enum([...RECIPIENT_STATUSES, 'duplicate'] as const),
        reason: Nullable(Type.String()),
        /** Still in the queue: found by this review. */
        is_waiting: Type.Boolean(),
        count: Type.Integer(),
        recipients: Named,
      }),
    ),
    /** Recipients whose message has an empty place, and the variables without a value. */
    empty: Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()), recipients: Named }),
    samples: Type.Array(
      Type.Object({
        recipient: ReviewedRecipient,
        goes_out_at: Moment,
        /** Null: the agent's own opening. */
        opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
      }),
      { maxItems: 3 },
    ),
    /** What the models of the agent cost in the last 30 days. */
    cost: Type.Object({
      turns: Type.Integer(),
      unpriced_tokens: Type.Integer(),
      /** The average of a turn with a model, and this times all who are messaged. */
      per_turn: Type.Array(Cost),
      one_turn_each: Type.Array(Cost),
    }),
  },
  { title: 'CampaignReview' },
);
export type CampaignReview = Static<typeof CampaignReview>;

/** The first message as a test, to an address that the member names: with these settings, saved or not. */
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

/** How many end users who match filters a push would add, a page for each call. It adds no one. */
export const CountAudienceBody = Type.Object(
  {
    filters: EndUserExportQuery,
    /** `next` of the call before; absent: the first page. */
    after: Type.Optional(Id('enduser')),
  },
  closed,
);
export type CountAudienceBody = Static<typeof CountAudienceBody>;

export const CountedAudience = Type.Object(
  {
    accepted: Type.Integer(),
    /** In the campaign already. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    /** Erased between the search and the call. */
    invalid: Type.Integer(),
    /** Null: this was the last page. */
    next: Nullable(Type.String()),
  },
  { title: 'CountedAudience' },
);
export type CountedAudience = Static<typeof CountedAudience>;

/** Recipients of a file: CSV with a header row, or one as JSON in each line, as a push has them. */
export const MAX_FILE_ROWS = 10_000;
export const MAX_FILE_CHARACTERS = 2 * 1024 * 1024;
export const CountFileBody = Type.Object(
  { file: Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS }) },
  closed,
);
export type CountFileBody = Static<typeof CountFileBody>;

export const CountedFile = Type.Object(
  {
    rows: Type.Integer(),
    accepted: Type.Integer(),
    /** In the campaign already, or twice in the file. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    invalid: Type.Integer(),
    /** The first of the invalid rows; the first recipient of the file is 1. */
    faults: Type.Array(
      Type.Object({
        row: Type.Integer(),
        ref: Nullable(Type.String()),
        errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
      }),
      { maxItems: MAX_NAMED },
    ),
  },
  { title: 'CountedFile' },
);
export type CountedFile = Static<typeof CountedFile>;

export const RecipientListQuery = PageQuery({
  status: Type.Optional(Type.Enum(RECIPIENT_STATUSES)),
  ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

/** The dashboard shows recipients as the public API does. */
export const RecipientRecord = Recipient;

/** In a list they have a name as well: that of the person, or what else tells them apart; null: erased, or not named. */
export const NamedRecipient = Type.Object(
  { ...Recipient.properties, name: Nullable(Type.String()) },
  { title: 'NamedRecipient' },
);
export type NamedRecipient = Static<typeof NamedRecipient>;
