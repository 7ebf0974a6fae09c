import { and, count, eq, sql } from 'drizzle-orm';
import { newId } from '../kernel/ids.ts';
import { changeAgent } from './agents/write.ts';
import type { Queryable } from './db.ts';
import { lockEndUsers } from './end-users/lock-end-users.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from './page.ts';
import { document } from './schema/agent.ts';
import { passageWording } from './schema/wording.ts';

/** Questions that were learned as other wordings of a passage. */
export type WordingRow = Omit<typeof passageWording.$inferSelect, 'orgId' | 'passage' | 'words' | 'state'> & {
  document: string;
};

/** Each change of the active wordings creates a new revision of the agent, so that its next turn uses them. */
type Place = { agentId: string; documentId: string; passage: Buffer; words: Buffer };
export type NewWording = Place & {
  question: string;
  heading: string | null;
  quote: string;
  endUserId: string | null;
};

/** A question counts when this many different people chose the same passage for it. */
const PEOPLE = 3;
/** Choices of one person are deleted after TAP_DAYS. Each agent has at most MAX_TAPS choices that are not deleted. */
const TAP_DAYS = 30;
const MAX_TAPS = 2_000;

const isActive = eq(passageWording.state, 'active');
const at = (orgId: string, { documentId, passage, words }: Omit<Place, 'agentId'>) =>
  and(
    eq(passageWording.orgId, orgId),
    eq(passageWording.documentId, documentId),
    eq(passageWording.passage, passage),
    eq(passageWording.words, words),
  );

export async function listWordings(
  db: Queryable,
  orgId: string,
  agentId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<WordingRow>> {
  const rows = await db
    .select({
      id: passageWording.id,
      agentId: passageWording.agentId,
      documentId: passageWording.documentId,
      document: document.name,
      question: passageWording.question,
      heading: passageWording.heading,
      quote: passageWording.quote,
      origin: passageWording.origin,
      endUserId: passageWording.endUserId,
      createdAt: passageWording.createdAt,
    })
    .from(passageWording)
    .innerJoin(document, and(eq(document.orgId, passageWording.orgId), eq(document.id, passageWording.documentId)))
    .where(
      and(
        eq(passageWording.orgId, orgId),
        eq(passageWording.agentId, agentId),
        isActive,
        behind(passageWording.createdAt, passageWording.id, after),
      ),
    )
    .orderBy(...newestFirst(passageWording.createdAt, passageWording.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** The number of active wordings of the agent, and of one passage. The caller has locked the agent. */
export async function countWordings(
  tx: Queryable,
  orgId: string,
  agentId: string,
  passage: Buffer,
): Promise<{ agent: number; passage: number }> {
  const [row] = await tx
    .select({
      agent: count(),
      passage: sql<number>`(count(*) FILTER (WHERE ${passageWording.passage} = ${passage}))::int`,
    })
    .from(passageWording)
    .where(and(eq(passageWording.orgId, orgId), eq(passageWording.agentId, agentId), isActive));
  return row!;
}

/** Stores a wording that a member confirms, which replaces the choices of people for the same words. */
export async function putWording(tx: Queryable, orgId: string, input: NewWording): Promise<string> {
  const id = newId('wording');
  await tx.delete(passageWording).where(at(orgId, input));
  await tx.insert(passageWording).values({ orgId, id, ...input, state: 'active', origin: 'member' });
  return id;
}

/** Removes the wording with all choices of people for it. Later choices of the same words do not count. */
export async function removeWording(tx: Queryable, orgId: string, agentId: string, id: string): Promise<boolean> {
  const [row] = await tx
    .select()
    .from(passageWording)
    .where(
      and(eq(passageWording.orgId, orgId), eq(passageWording.agentId, agentId), eq(passageWording.id, id), isActive),
    );
  if (!row) return false;
  await tx.delete(passageWording).where(at(orgId, row));
  const nothing = { question: '', quote: '', heading: null, endUserId: null };
  await tx.insert(passageWording).values({ ...row, ...nothing, id: newId('wording'), state: 'removed' });
  return true;
}

/**
 * Records that a person chose a passage after the agent asked back. The wording becomes active with the choice of the
 * third person. Choices of a passage, document or person that no longer exists, and of removed or active wordings,
 * change nothing.
 */
export async function addTap(
  tx: Queryable,
  orgId: string,
  input: NewWording & { endUserId: string },
  maxActive: { agent: number; passage: number },
): Promise<void> {
  const { agentId, documentId, passage, words, endUserId } = input;
  // The person may have been erased since the turn was stored.
  if ((await lockEndUsers(tx, orgId, [endUserId])).size === 0) return;
  const locked = await tx.execute(sql`SELECT 1 FROM agent WHERE org_id = ${orgId} AND id = ${agentId}
    AND deleted_at IS NULL FOR NO KEY UPDATE`);
  if (locked.rows.length === 0) return;
  await tx.execute(sql`DELETE FROM passage_wording WHERE org_id = ${orgId} AND agent_id = ${agentId}
    AND state = 'tap' AND (created_at < now() - make_interval(days => ${TAP_DAYS}) OR id IN (
      SELECT id FROM passage_wording WHERE org_id = ${orgId} AND agent_id = ${agentId} AND state = 'tap'
      ORDER BY id DESC OFFSET ${MAX_TAPS - 1}))`);
  const added = await tx.execute(sql`INSERT INTO passage_wording (org_id, id, agent_id, document_id, passage, words,
      question, heading, quote, state, origin, end_user_id)
    SELECT org_id, ${newId('wording')}, agent_id, id, ${passage}, ${words}, ${input.question}, ${input.heading},
      ${input.quote}, 'tap', 'people', ${endUserId}::text
    FROM document d WHERE org_id = ${orgId} AND agent_id = ${agentId} AND id = ${documentId} AND NOT EXISTS (
      SELECT 1 FROM passage_wording w WHERE w.org_id = d.org_id AND w.document_id = d.id AND w.passage = ${passage}
        AND w.words = ${words} AND w.state <> 'tap')
    ON CONFLICT DO NOTHING RETURNING id`);
  const id = added.rows[0]?.['id'];
  if (typeof id !== 'string') return;
  const [people] = await tx.select({ many: count() }).from(passageWording).where(at(orgId, input));
  if (people!.many < PEOPLE) return;
  const most = await countWordings(tx, orgId, agentId, passage);
  if (most.agent >= maxActive.agent || most.passage >= maxActive.passage) return;
  await tx
    .update(passageWording)
    .set({ state: 'active' })
    .where(and(eq(passageWording.orgId, orgId), eq(passageWording.id, id)));
  await changeAgent(tx, orgId, agentId, {});
}

/** The keys of the passages of a document that have wordings. */
export async function readWordedPassages(tx: Queryable, orgId: string, documentId: string): Promise<string[]> {
  const { rows } = await tx.execute<{ passage: string }>(sql`SELECT DISTINCT encode(passage, 'hex') AS passage
    FROM passage_wording WHERE org_id = ${orgId} AND document_id = ${documentId}`);
  return rows.map(({ passage }) => passage);
}

/** Deletes the wordings of passages that are no longer in the document. */
export async function dropWordings(
  tx: Queryable,
  orgId: string,
  documentId: string,
  passages: readonly string[],
): Promise<void> {
  await tx.execute(sql`DELETE FROM passage_wording WHERE org_id = ${orgId} AND document_id = ${documentId}
    AND encode(passage, 'hex') = ANY (${sql.param([...passages])}::text[])`);
}

/** Deletes the wordings that contain the words of a person. */
export async function eraseWordingsOf(tx: Queryable, orgId: string, endUserId: string): Promise<void> {
  const gone = await tx.execute<{ agent_id: string }>(sql`DELETE FROM passage_wording
    WHERE org_id = ${orgId} AND end_user_id = ${endUserId} RETURNING agent_id`);
  for (const agentId of new Set(gone.rows.map(({ agent_id }) => agent_id))) await changeAgent(tx, orgId, agentId, {});
}

/** Finds the first reply of a member after a message of the agent, if the conversation belongs to the agent. */
export async function readReplyAfter(
  db: Queryable,
  orgId: string,
  agentId: string,
  messageId: string,
): Promise<string | null> {
  const { rows } = await db.execute<{ text: string | null }>(sql`
    SELECT r.content->>'text' AS text FROM message m
    JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id AND c.agent_id = ${agentId}
    CROSS JOIN LATERAL (
      SELECT content FROM message WHERE conversation_id = m.conversation_id AND role = 'member'
        AND created_at > m.created_at AND content->>'text' <> '' ORDER BY created_at LIMIT 1
    ) r
    WHERE m.org_id = ${orgId} AND m.id = ${messageId}`);
  return rows[0]?.text ?? null;
}
