import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { SURVEY } from '../schema/rating.ts';

/**
 * Stores the score of a survey, the comment, or both. The time of the first score stays. A null value does not change
 * the stored value. The row of the conversation changes too, so that open pages notice the rating. The version of the
 * conversation does not change, so no turn becomes outdated.
 */
export async function rateConversation(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  { score, comment }: { score: number | null; comment: string | null },
): Promise<void> {
  await tx.execute(sql`WITH rated AS (
      UPDATE rating SET score = coalesce(${score}::int, score), comment = coalesce(${comment}::text, comment),
        rated_at = coalesce(rated_at, (SELECT statement_timestamp()))
      WHERE org_id = ${orgId} AND conversation_id = ${conversationId} AND subject = ${SURVEY} RETURNING conversation_id
    )
    UPDATE conversation SET updated_at = statement_timestamp()
    WHERE org_id = ${orgId} AND id = (SELECT conversation_id FROM rated)`);
}

/** Stores the rating of an answer. A later rating replaces the earlier rating. */
export async function rateAnswer(
  tx: Queryable,
  orgId: string,
  { conversationId, messageId, score }: { conversationId: string; messageId: string; score: number },
): Promise<void> {
  await tx.execute(sql`WITH rated AS (
      INSERT INTO rating (org_id, conversation_id, subject, kind, message_id, run_id, agent_id, agent_version,
        channel_id, score, rated_at)
      SELECT c.org_id, c.id, m.id, 'answer', m.id, m.run_id, c.agent_id, r.agent_version, c.channel_id, ${score}::int,
        clock_timestamp()
      FROM conversation c JOIN message m ON m.org_id = c.org_id AND m.id = ${messageId} AND m.conversation_id = c.id
      LEFT JOIN run r ON r.org_id = m.org_id AND r.id = m.run_id
      WHERE c.org_id = ${orgId} AND c.id = ${conversationId}
      ON CONFLICT (org_id, conversation_id, subject)
        DO UPDATE SET score = excluded.score, rated_at = excluded.rated_at WHERE rating.score <> excluded.score
      RETURNING conversation_id
    )
    UPDATE conversation SET updated_at = statement_timestamp()
    WHERE org_id = ${orgId} AND id = (SELECT conversation_id FROM rated)`);
}
