import { Type, type Static } from 'typebox';
import { Cost } from '../costs.ts';
import { MAX_VERSION } from '../limits.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** A period has at most this many days. The previous period of the same length is read too. */
export const MAX_ANALYTICS_DAYS = 184;
export const ANALYTICS_DAYS = 30;

export const ANALYTICS_GROUPS = ['day', 'agent', 'version', 'channel', 'member'] as const;
export type AnalyticsGroup = (typeof ANALYTICS_GROUPS)[number];

/**
 * The outcomes of a conversation. The list of conversations has a filter for each outcome. `answered`: the agent
 * replied to the person, had an answer to each question and did not hand over. `unanswered`: the agent had no answer to
 * a question. `replied`: the agent or a member replied to the person. `team_replied`: a member wrote after the
 * hand-off. `rated`: the person rated the conversation. `with_cost`: model calls had a cost.
 */
export const CONVERSATION_OUTCOMES = [
  'answered',
  'handed_over',
  'unanswered',
  'replied',
  'team_replied',
  'rated',
  'with_cost',
] as const;
export type ConversationOutcome = (typeof CONVERSATION_OUTCOMES)[number];

/** The groups of conversations that have no member or no version. */
export const WITHOUT = ['member', 'version'] as const;
export type Without = (typeof WITHOUT)[number];

/** The filters by properties of a conversation. The list of conversations has the same filters. */
export const conversationCircumstances = {
  /**
   * The version of the agent in the latest run. Version numbers belong to one agent, so the filter requires `agent_id`.
   */
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_VERSION })),
  /** A member who wrote in the conversation. */
  member_id: Type.Optional(Id('user')),
  /** The trigger or campaign that started the conversation. */
  trigger_id: Type.Optional(Id('trigger')),
  campaign_id: Type.Optional(Id('campaign')),
};

const Day = Type.String({ format: 'date' });
const filters = {
  /** The number of days that end with `until`. The field `days` cannot be combined with `since`. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ANALYTICS_DAYS })),
  since: Type.Optional(Day),
  until: Type.Optional(Day),
  agent_id: Type.Optional(Id('agent')),
  channel_id: Type.Optional(Id('channel')),
  ...conversationCircumstances,
};

export const AnalyticsQuery = Type.Object(
  { by: Type.Optional(Type.Enum(ANALYTICS_GROUPS, { default: 'day' })), ...filters },
  closed,
);
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

const Count = Type.Integer({ minimum: 0 });
/** A median in seconds. Null: no conversation has a value. */
const Seconds = Nullable(Count);

export const AnalyticsFigures = Type.Object(
  {
    conversations: Count,
    answered: Count,
    handed_over: Count,
    unanswered: Count,
    resolved: Count,
    /** The time from the first message of the person to the first reply of the agent or a member. */
    first_reply_seconds: Seconds,
    /**
     * The time from the hand-off to the first message of a member. In the group of a member, only conversations in
     * which this member wrote first count.
     */
    team_reply_seconds: Seconds,
    /** The time from the start to the end of resolved conversations. */
    resolve_seconds: Seconds,
    /** The number of ratings of conversations, and their average from 1 to 5. The average is null without a rating. */
    ratings: Count,
    rating: Nullable(Type.Number()),
    /** The cost of the model calls of the counted conversations, as far as prices are known. */
    cost: Type.Array(Cost),
  },
  { title: 'AnalyticsFigures' },
);
export type AnalyticsFigures = Static<typeof AnalyticsFigures>;

/**
 * Each conversation counts on the day of its start. Days are in the time zone of the organization, and the period
 * includes both ends. Without `since` and `days`, the period has 30 days. Without `until`, the period ends today. A
 * conversation with several members counts in the group of each of them.
 */
export const Analytics = Type.Object(
  {
    by: Type.Enum(ANALYTICS_GROUPS),
    since: Day,
    until: Day,
    time_zone: Type.String(),
    /** The start and the end of the period as times, for the list of conversations. */
    from: Moment,
    to: Moment,
    /**
     * False: the server is still counting the days of the period. If the server is still counting, repeat the call a
     * moment later.
     */
    complete: Type.Boolean(),
    total: AnalyticsFigures,
    /** The figures of an equally long period just before. */
    before: AnalyticsFigures,
    /** The figures of every day of the period, oldest first. */
    days: Type.Array(
      Type.Object({
        day: Day,
        from: Moment,
        to: Moment,
        conversations: Count,
        answered: Count,
        handed_over: Count,
        unanswered: Count,
      }),
    ),
    /** Groups by day begin with the newest day, and other groups with the most conversations. */
    data: Type.Array(
      Type.Object({
        /**
         * The day, the ID, or the number of the version of the group. Null if the conversations do not have the value.
         */
        group: Nullable(Type.String()),
        /** Null: the record of the group was deleted, or has no name. */
        name: Nullable(Type.String()),
        /** The agent to which a version belongs. */
        agent_id: Nullable(Type.String()),
        figures: AnalyticsFigures,
      }),
    ),
  },
  { title: 'Analytics' },
);
export type Analytics = Static<typeof Analytics>;
