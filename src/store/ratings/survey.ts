import { sql } from 'drizzle-orm';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { COMMENT_MINUTES, SURVEY_DAYS } from '../../../contract/ratings.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import type { Queryable } from '../db.ts';
import { type TurnPerson, turnPerson } from '../end-users/turn-person.ts';
import { byKey } from '../queue/join-by-key.ts';
import { NOW } from '../schema/columns.ts';
import { SURVEY } from '../schema/rating.ts';

export type DueSurvey = { orgId: string; conversationId: string };

/**
 * The oldest surveys that were not sent yet, of all organizations. The function does not claim the surveys. Sending
 * locks the conversation, so a second worker sees that the survey was sent.
 */
export async function findDueSurveys(db: Queryable, limit: number): Promise<DueSurvey[]> {
  const { rows } = await db.execute<{ org_id: string; conversation_id: string }>(sql`
    SELECT org_id, conversation_id FROM rating WHERE due_at <= ${sql.raw(NOW)} ORDER BY due_at LIMIT ${limit}`);
  return rows.map(({ org_id, conversation_id }) => ({ orgId: org_id, conversationId: conversation_id }));
}

const one = ({ orgId, conversationId }: DueSurvey) =>
  sql`org_id = ${orgId} AND conversation_id = ${conversationId} AND subject = ${SURVEY}`;

export async function delaySurvey(db: Queryable, due: DueSurvey, seconds: number): Promise<void> {
  await db.execute(sql`UPDATE rating SET due_at = now() + ${seconds}::int * interval '1 second'
    WHERE ${one(due)} AND due_at IS NOT NULL`);
}

export async function markSurveySent(tx: Queryable, due: DueSurvey, messageId: string): Promise<void> {
  await tx.execute(sql`UPDATE rating SET due_at = NULL, message_id = ${messageId} WHERE ${one(due)}`);
}

/** Deletes a survey that must not be sent now. When the conversation is resolved again, it gets a new survey. */
export async function dropSurvey(tx: Queryable, due: DueSurvey): Promise<void> {
  await tx.execute(sql`DELETE FROM rating WHERE ${one(due)} AND due_at IS NOT NULL`);
}

/** A survey with all facts that decide whether Parley sends the survey and whether a message answers it. */
export type SurveyRow = {
  is_due: boolean;
  score: number | null;
  comment: string | null;
  /** True: the question and the score are recent, and the person has not written since. */
  takes_score: boolean;
  takes_comment: boolean;
  question: MessageContent | null;
  definition: AgentDefinition;
  agent_name: string;
  agent_deleted: boolean;
  channel_kind: string;
  channel_open: boolean;
  address: string | null;
  locale: string | null;
  state: unknown;
  input: RunInput | null;
  end_user: TurnPerson;
  /** The person has written, and the agent or a member has answered. */
  is_conversation: boolean;
};

const wrote = (role: string) =>
  sql.raw(`EXISTS (SELECT 1 FROM message m WHERE m.conversation_id = c.id AND m.role ${role})`);

/** The survey of a locked conversation. Null: the conversation has no survey. */
export async function readSurvey(tx: Queryable, orgId: string, conversationId: string): Promise<SurveyRow | null> {
  const { rows } = await tx.execute<SurveyRow>(sql`
    SELECT g.due_at IS NOT NULL AS is_due, g.score, g.comment, q.content AS question,
      g.score IS NULL AND q.created_at > now() - ${SURVEY_DAYS}::int * interval '1 day' AND w.last IS NULL AS takes_score,
      g.comment IS NULL AND g.rated_at > now() - ${COMMENT_MINUTES}::int * interval '1 minute' AND w.last IS NULL
        AS takes_comment,
      coalesce(v.definition, a.published) AS definition, a.name AS agent_name, a.deleted_at IS NOT NULL AS agent_deleted,
      ch.kind AS channel_kind, ch.enabled AND ch.deleted_at IS NULL AS channel_open,
      c.address, coalesce(c.locale, e.locale) AS locale, c.state, r.input,
      ${sql.raw(turnPerson())} AS end_user,
      ${wrote(`= 'end_user'`)} AND ${wrote(`IN ('agent', 'member')`)} AS is_conversation
    FROM rating g
    ${sql.raw(byKey('conversation c', 'c.org_id = g.org_id AND c.id = g.conversation_id'))}
    ${sql.raw(byKey('agent a', 'a.org_id = g.org_id AND a.id = g.agent_id'))}
    ${sql.raw(byKey('channel ch', 'ch.org_id = g.org_id AND ch.id = g.channel_id'))}
    ${sql.raw(byKey('end_user e', 'e.org_id = c.org_id AND e.id = c.end_user_id'))}
    LEFT JOIN agent_version v ON v.org_id = g.org_id AND v.agent_id = g.agent_id AND v.version = g.agent_version
    LEFT JOIN run r ON r.org_id = g.org_id AND r.id = g.run_id
    LEFT JOIN message q ON q.org_id = g.org_id AND q.id = g.message_id
    LEFT JOIN LATERAL (SELECT m.id AS last FROM message m WHERE m.conversation_id = c.id AND m.role = 'end_user'
      AND m.created_at > coalesce(g.rated_at, q.created_at) LIMIT 1) w ON true
    WHERE g.org_id = ${orgId} AND g.conversation_id = ${conversationId} AND g.subject = ${SURVEY}`);
  return rows[0] ?? null;
}

/** `is_recent`: the rating can still be changed. */
export type RatedSurvey = { score: number | null; comment: string | null; is_recent: boolean };

/** Finds the survey whose question is this message. */
export async function readRatedSurvey(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  messageId: string,
): Promise<RatedSurvey | null> {
  const { rows } = await tx.execute<RatedSurvey>(sql`SELECT score, comment,
      coalesce(rated_at > now() - ${COMMENT_MINUTES}::int * interval '1 minute', false) AS is_recent
    FROM rating WHERE ${one({ orgId, conversationId })} AND message_id = ${messageId}`);
  return rows[0] ?? null;
}
