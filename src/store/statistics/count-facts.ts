import { sql } from 'drizzle-orm';
import { CLOCK_SLACK_MS, firstId } from '../../kernel/ids.ts';
import {
  agentReplyAt,
  campaignOf,
  handedOverAt,
  isUnanswered,
  questionAt,
  replyAt,
  scoreOf,
  teamReplyAt,
  triggerOf,
  versionOf,
} from '../conversations/outcomes.ts';
import type { Queryable } from '../db.ts';

/** The facts about one conversation. Times are in seconds. Null: the event did not happen. */
export type ConversationFacts = {
  agent: string;
  channel: string;
  version: number | null;
  trigger: string | null;
  campaign: string | null;
  /** The members who wrote, in the order of their first messages. */
  members: string[];
  answered: boolean;
  handed_over: boolean;
  unanswered: boolean;
  resolved: boolean;
  first_reply: number | null;
  team_reply: number | null;
  resolve: number | null;
  /** The score from 1 to 5. */
  score: number | null;
  /** The costs by currency. */
  costs: Record<string, number>;
};

const seconds = (from: string, to: string) => sql.raw(`extract(epoch FROM ${to} - ${from})::int`);

/** The rule of `isAnswered` in SQL, with the columns of this query. */
const ANSWERED = '(agent_reply_at IS NOT NULL AND handed_over_at IS NULL AND NOT unanswered)';

const columns = (rules: Record<string, (c: string) => string>) =>
  sql.raw(
    Object.entries(rules)
      .map(([name, rule]) => `${rule('c')} AS ${name}`)
      .join(', '),
  );

/**
 * A conversation may end several times, by its run or by a member. If a conversation ended several times, the last time
 * counts. PostgreSQL uses the index of the audit log only if the query repeats the index's condition exactly.
 */
const ENDED_AT = `greatest((SELECT r.finished_at FROM run r WHERE r.org_id = c.org_id AND r.id = c.run_id),
  (SELECT max(a.created_at) FROM audit a WHERE a.subject_id = c.id AND a.action LIKE 'conversation.%'
    AND a.action = 'conversation.resolved'))`;

/**
 * The conversations that started in the given period. IDs contain the start, so the conversations are a range of the
 * primary key.
 */
export async function countFacts(
  db: Queryable,
  orgId: string,
  { from, to }: { from: number; to: number },
): Promise<ConversationFacts[]> {
  const { rows } = await db.execute<ConversationFacts>(sql`
    SELECT agent, channel, version, trigger, campaign, members, ${sql.raw(ANSWERED)} AS answered, unanswered,
      handed_over_at IS NOT NULL AS handed_over, resolved, score, costs,
      ${seconds('question_at', 'reply_at')} AS first_reply, ${seconds('handed_over_at', 'team_reply_at')} AS team_reply,
      ${seconds('created_at', 'ended_at')} AS resolve
    FROM (
      SELECT c.created_at, c.agent_id AS agent, c.channel_id AS channel, c.status = 'resolved' AS resolved,
        ${columns({ version: versionOf, trigger: triggerOf, campaign: campaignOf, score: scoreOf })},
        ${columns({ question_at: questionAt, reply_at: replyAt, agent_reply_at: agentReplyAt })},
        ${columns({ handed_over_at: handedOverAt, team_reply_at: teamReplyAt, unanswered: isUnanswered })},
        CASE WHEN c.status = 'resolved' THEN ${sql.raw(ENDED_AT)} END AS ended_at,
        ARRAY(SELECT m.author_id FROM message m WHERE m.conversation_id = c.id AND m.role = 'member'
          AND m.author_id IS NOT NULL GROUP BY m.author_id ORDER BY min(m.created_at), m.author_id) AS members,
        coalesce((SELECT jsonb_object_agg(t.currency, t.cost) FROM (SELECT currency, sum(cost)::float8 AS cost
          FROM model_turn WHERE conversation_id = c.id AND cost IS NOT NULL AND currency IS NOT NULL
          GROUP BY currency) t), '{}') AS costs
      FROM conversation c WHERE c.org_id = ${orgId}
        AND c.id >= ${firstId('conv', from - CLOCK_SLACK_MS)} AND c.id < ${firstId('conv', to + CLOCK_SLACK_MS)}
        AND c.created_at >= ${new Date(from)} AND c.created_at < ${new Date(to)}
      -- Each column is computed once for each conversation.
      OFFSET 0
    ) facts`);
  return rows;
}
