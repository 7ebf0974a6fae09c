import { type SQL, sql } from 'drizzle-orm';

/** The order of the conversations of an organization depends on this many of its newest messages. */
const NEWEST_MESSAGES = 2_000;

const newest = (orgId: string): SQL =>
  sql`SELECT n.conversation_id, n.id FROM message n WHERE n.org_id = ${orgId} ORDER BY n.id DESC LIMIT ${NEWEST_MESSAGES}`;

/** Selects the conversations of the newest messages, with the newest message of each conversation. */
export const recent = (orgId: string): SQL =>
  sql`SELECT n.conversation_id AS id, max(n.id) AS last FROM (${newest(orgId)}) n GROUP BY n.conversation_id`;

export const recentIds = (orgId: string): SQL => sql`SELECT n.conversation_id FROM (${newest(orgId)}) n`;
