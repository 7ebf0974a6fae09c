import { type SQL, sql } from 'drizzle-orm';
import type { ConversationOutcome, Without } from '../../../contract/dashboard/analytics.ts';
import { SURVEY } from '../schema/rating.ts';

/**
 * SQL conditions for the outcome of a conversation. The figures of Analytics and the lists behind them share the rules
 * of this file. `c` is the name of the conversation in the statement. The statement finds the rows of a conversation by
 * the conversation alone, as in statistics/count-day.ts.
 */
const firstMessage = (c: string, roles: string, since: string): string =>
  `(SELECT m.created_at FROM message m WHERE m.conversation_id = ${c}.id AND m.role IN (${roles}) ${since}
    ORDER BY m.created_at LIMIT 1)`;

export const questionAt = (c: string): string => firstMessage(c, "'end_user'", '');
const afterQuestion = (c: string): string => `AND m.created_at > ${questionAt(c)}`;
/**
 * Messages of the agent without a run are no replies: a backend sent them, or the message is the question of a survey.
 */
const IN_A_RUN = "AND (m.role = 'member' OR m.run_id IS NOT NULL)";
/** The first reply of the agent or a member to the person. */
export const replyAt = (c: string): string => firstMessage(c, "'agent', 'member'", `${IN_A_RUN} ${afterQuestion(c)}`);
export const agentReplyAt = (c: string): string => firstMessage(c, "'agent'", `${IN_A_RUN} ${afterQuestion(c)}`);

export const handedOverAt = (c: string): string =>
  `(SELECT h.at FROM hand_off h WHERE h.conversation_id = ${c}.id ORDER BY h.at LIMIT 1)`;
/** The first message of a member after the hand-off. */
export const teamReplyAt = (c: string): string => firstMessage(c, "'member'", `AND m.created_at >= ${handedOverAt(c)}`);

export const isUnanswered = (c: string): string => `(SELECT true FROM message m WHERE m.conversation_id = ${c}.id
    AND m.trace @> '{"steps": [{"kind": "miss"}]}' LIMIT 1) IS NOT NULL`;
const isHandedOver = (c: string): string => `${handedOverAt(c)} IS NOT NULL`;
const isAnswered = (c: string): string =>
  `(${agentReplyAt(c)} IS NOT NULL AND NOT ${isHandedOver(c)} AND NOT ${isUnanswered(c)})`;

/** The version of the latest run. */
export const versionOf = (c: string): string =>
  `(SELECT r.agent_version FROM run r WHERE r.org_id = ${c}.org_id AND r.id = ${c}.run_id)`;
const firstRun = (c: string, column: string): string =>
  `(SELECT r.${column} FROM run r WHERE r.conversation_id = ${c}.id ORDER BY r.id LIMIT 1)`;
export const triggerOf = (c: string): string => firstRun(c, 'trigger_id');
export const campaignOf = (c: string): string =>
  `(SELECT p.campaign_id FROM recipient p WHERE p.org_id = ${c}.org_id AND p.run_id = ${firstRun(c, 'id')} LIMIT 1)`;

/** How the person rated the conversation. Null: not rated. */
export const scoreOf = (c: string): string => `(SELECT g.score FROM rating g WHERE g.org_id = ${c}.org_id
    AND g.conversation_id = ${c}.id AND g.subject = '${SURVEY}')`;

const OUTCOMES: Record<ConversationOutcome, (c: string) => string> = {
  answered: isAnswered,
  handed_over: isHandedOver,
  unanswered: isUnanswered,
  replied: (c) => `${replyAt(c)} IS NOT NULL`,
  team_replied: (c) => `${teamReplyAt(c)} IS NOT NULL`,
  rated: (c) => `${scoreOf(c)} IS NOT NULL`,
  with_cost: (c) => `(SELECT true FROM model_turn t WHERE t.conversation_id = ${c}.id AND t.cost IS NOT NULL
    AND t.currency IS NOT NULL LIMIT 1) IS NOT NULL`,
};

export type Circumstances = {
  outcome?: ConversationOutcome | undefined;
  without?: Without | undefined;
  version?: number | undefined;
  memberId?: string | undefined;
  triggerId?: string | undefined;
  campaignId?: string | undefined;
};

export const hasCircumstances = (filter: Circumstances): boolean => {
  const { outcome, without, version, memberId, triggerId, campaignId } = filter;
  return [outcome, without, version, memberId, triggerId, campaignId].some((value) => value !== undefined);
};

/** Analytics does not count members whose messages have no author. */
const memberWrote = (c: string): string => `(SELECT true FROM message m WHERE m.conversation_id = ${c}.id
    AND m.role = 'member' AND m.author_id IS NOT NULL LIMIT 1)`;
const WITHOUT: Record<Without, (c: string) => string> = {
  member: (c) => `${memberWrote(c)} IS NULL`,
  version: (c) => `${versionOf(c)} IS NULL`,
};

const is = (value: string, wanted: string | number | undefined): SQL =>
  wanted === undefined ? sql`` : sql`AND ${sql.raw(value)} = ${wanted}`;

/** The SQL conditions begin with AND. */
export function underCircumstances(
  { outcome, without, version, memberId, triggerId, campaignId }: Circumstances,
  c: string,
): SQL {
  const member = sql`AND (SELECT true FROM message m WHERE m.conversation_id = ${sql.raw(c)}.id AND m.role = 'member'
    AND m.author_id = ${memberId} LIMIT 1) IS NOT NULL`;
  return sql`${outcome ? sql`AND ${sql.raw(OUTCOMES[outcome](c))}` : sql``}
    ${without ? sql`AND ${sql.raw(WITHOUT[without](c))}` : sql``} ${is(versionOf(c), version)}
    ${memberId === undefined ? sql`` : member} ${is(triggerOf(c), triggerId)} ${is(campaignOf(c), campaignId)}`;
}
