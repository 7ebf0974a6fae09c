import { and, count, eq, ilike, sql } from 'drizzle-orm';
import type { Plan } from '../../contract/permissions.ts';
import type { Queryable } from './db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from './page.ts';
import { containing } from './search-text.ts';
import { EMBEDDINGS } from './embeddings/queue.ts';
import { document } from './schema/agent.ts';
import { QUESTIONS } from './written-questions.ts';

type DocumentRow = typeof document.$inferSelect;
export type DocumentHead = Omit<DocumentRow, 'text' | 'orgId'> & { bytes: number };

const head = {
  id: document.id,
  agentId: document.agentId,
  name: document.name,
  sourceId: document.sourceId,
  url: document.url,
  bytes: sql<number>`octet_length(${document.text})`,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
};

const one = (orgId: string, agentId: string, id: string) =>
  and(eq(document.orgId, orgId), eq(document.agentId, agentId), eq(document.id, id));

export async function insertDocument(
  db: Queryable,
  orgId: string,
  input: { id: string; agentId: string; name: string; text: string },
): Promise<DocumentHead> {
  const rows = await db
    .insert(document)
    .values({ orgId, ...input })
    .returning(head);
  await EMBEDDINGS.queueDocument(db, orgId, input.id);
  await QUESTIONS.queueDocument(db, orgId, input.id);
  return rows[0]!;
}

export async function countDocuments(db: Queryable, orgId: string, agentId: string): Promise<number> {
  const rows = await db
    .select({ many: count() })
    .from(document)
    .where(and(eq(document.orgId, orgId), eq(document.agentId, agentId)));
  return rows[0]!.many;
}

/** Holds a lock while the usage of an organization is compared with its limits. */
export async function lockOrganization(db: Queryable, orgId: string): Promise<void> {
  await db.execute(sql`SELECT 1 FROM organization WHERE id = ${orgId} FOR NO KEY UPDATE`);
}

/**
 * Bytes of the documents of one agent, bytes of the documents of all existing agents, and the plan, which sets the
 * limit. With `hold`, no other transaction can add documents to the organization until this transaction ends.
 */
export async function readKnowledgeUse(
  db: Queryable,
  orgId: string,
  agentId: string,
  { hold = false } = {},
): Promise<{ plan: Plan; agent: number; organization: number } | null> {
  if (hold) await lockOrganization(db, orgId);
  const found = await db.execute<{ plan: Plan; agent: number; organization: number }>(sql`
    SELECT o.plan, d.agent, d.organization FROM organization o CROSS JOIN LATERAL (
      SELECT coalesce(sum(octet_length(d.text)), 0)::float8 AS organization,
        coalesce(sum(octet_length(d.text)) FILTER (WHERE d.agent_id = ${agentId}), 0)::float8 AS agent
      FROM document d JOIN agent a ON a.org_id = d.org_id AND a.id = d.agent_id AND a.deleted_at IS NULL
      WHERE d.org_id = o.id
    ) d WHERE o.id = ${orgId}`);
  return found.rows[0] ?? null;
}

export async function readDocument(
  db: Queryable,
  orgId: string,
  agentId: string,
  id: string,
): Promise<DocumentRow | null> {
  const rows = await db
    .select()
    .from(document)
    .where(one(orgId, agentId, id));
  return rows[0] ?? null;
}

export async function listDocuments(
  db: Queryable,
  orgId: string,
  agentId: string,
  filter: { text?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<DocumentHead>> {
  const rows = await db
    .select(head)
    .from(document)
    .where(
      and(
        eq(document.orgId, orgId),
        eq(document.agentId, agentId),
        filter.text ? ilike(document.name, containing(filter.text)) : undefined,
        behind(document.createdAt, document.id, after),
      ),
    )
    .orderBy(...newestFirst(document.createdAt, document.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function deleteDocumentRow(db: Queryable, orgId: string, agentId: string, id: string): Promise<void> {
  await db.delete(document).where(one(orgId, agentId, id));
}
