import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

/** A session of a person, in one organization. */
export type OpenSession = { sessionId: string; userId: string; orgId: string };

/**
 * True if each session is still valid: the session exists and has not expired, the person is still a member, and the
 * session has shown the second factor that the organization requires. The results have the same order as the sessions.
 */
export async function areSessionsValid(db: Queryable, sessions: readonly OpenSession[]): Promise<boolean[]> {
  const { rows } = await db.execute<{ holds: boolean }>(sql`SELECT EXISTS (
      SELECT 1 FROM session s JOIN member m ON m.user_id = s.user_id AND m.organization_id = w.org_id
      JOIN organization o ON o.id = m.organization_id AND (s.sign_in_factor OR NOT o.requires_second_factor)
      WHERE s.id = w.session_id AND s.user_id = w.user_id AND s.expires_at > now()) AS holds
    FROM unnest(${sql.param(sessions.map(({ sessionId }) => sessionId))}::text[],
      ${sql.param(sessions.map(({ userId }) => userId))}::text[],
      ${sql.param(sessions.map(({ orgId }) => orgId))}::text[]) WITH ORDINALITY
      AS w(session_id, user_id, org_id, place)
    ORDER BY place`);
  return rows.map(({ holds }) => holds);
}
