import { hash } from 'node:crypto';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { TestCase } from '../../../contract/dashboard/test-cases.ts';
import type { Queryable } from '../db.ts';
import { agentSuite, agentTestPass, document } from '../schema/agent.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';

type SuiteRow = typeof agentSuite.$inferSelect;

const ofAgent = (orgId: string, agentId: string) => and(eq(agentSuite.orgId, orgId), eq(agentSuite.agentId, agentId));

export async function readSuite(db: Queryable, orgId: string, agentId: string): Promise<SuiteRow | null> {
  const rows = await db.select().from(agentSuite).where(ofAgent(orgId, agentId));
  return rows[0] ?? null;
}

export async function writeSuite(
  db: Queryable,
  orgId: string,
  agentId: string,
  changes: { cases: TestCase[]; required: boolean },
): Promise<void> {
  const set = { ...changes, updatedAt: sql`now()` };
  await db
    .insert(agentSuite)
    .values({ orgId, agentId, ...changes })
    .onConflictDoUpdate({ target: [agentSuite.orgId, agentSuite.agentId], set });
}

/** Removes the cases that were made from a person's conversations, and returns the number of removed cases. */
export async function eraseCasesFrom(db: Queryable, orgId: string, endUserId: string): Promise<number> {
  const { rows } = await db.execute<{ erased: number }>(sql`
    UPDATE agent_suite s SET updated_at = now(), cases = (
      SELECT coalesce(jsonb_agg(one ORDER BY place), '[]') FROM jsonb_array_elements(s.cases) WITH ORDINALITY c(one, place)
      WHERE one ->> 'from' IS DISTINCT FROM ${endUserId}
    )
    FROM (
      SELECT org_id, agent_id, (
        SELECT count(*)::int FROM jsonb_array_elements(cases) one WHERE one ->> 'from' = ${endUserId}
      ) AS erased
      FROM agent_suite WHERE org_id = ${orgId} FOR UPDATE
    ) before
    WHERE s.org_id = before.org_id AND s.agent_id = before.agent_id AND before.erased > 0
    RETURNING before.erased`);
  return rows.reduce((sum, { erased }) => sum + erased, 0);
}

/** A value that changes with every document that is added, removed or read again. */
export async function readDocumentsStamp(db: Queryable, orgId: string, agentId: string): Promise<string> {
  const rows = await db
    .select({ stamp: sql<string>`coalesce(md5(string_agg(id || updated_at::text, ',' ORDER BY id)), '')` })
    .from(document)
    .where(and(eq(document.orgId, orgId), eq(document.agentId, agentId)));
  return rows[0]!.stamp;
}

/**
 * Computes fingerprints of cases. A fingerprint is the same for the same case, definition and documents, in any order
 * of their members.
 */
export function printer(definition: AgentDefinition, documents: string): (suiteCase: TestCase) => string {
  const around = digest([definition, documents]);
  return (suiteCase) => digest([suiteCase, around]);
}

const digest = (value: unknown): string => hash('sha256', canonicalJson(value), 'base64url');

const KEPT_DAYS = 90;

export async function recordPass(db: Queryable, orgId: string, agentId: string, print: string): Promise<void> {
  await db
    .delete(agentTestPass)
    .where(
      and(
        eq(agentTestPass.orgId, orgId),
        eq(agentTestPass.agentId, agentId),
        sql`passed_at < now() - make_interval(days => ${KEPT_DAYS})`,
      ),
    );
  await db
    .insert(agentTestPass)
    .values({ orgId, agentId, print })
    .onConflictDoUpdate({
      target: [agentTestPass.orgId, agentTestPass.agentId, agentTestPass.print],
      set: { passedAt: sql`now()` },
    });
}

/** A case that passed and fails later, which can happen with a model, loses its earlier pass. */
export async function forgetPass(db: Queryable, orgId: string, agentId: string, print: string): Promise<void> {
  await db
    .delete(agentTestPass)
    .where(and(eq(agentTestPass.orgId, orgId), eq(agentTestPass.agentId, agentId), eq(agentTestPass.print, print)));
}

/** The cases that have not passed with this definition and the current documents. */
export async function openCases(
  db: Queryable,
  orgId: string,
  agentId: string,
  cases: readonly TestCase[],
  definition: AgentDefinition,
): Promise<string[]> {
  if (cases.length === 0) return [];
  const prints = cases.map(printer(definition, await readDocumentsStamp(db, orgId, agentId)));
  const rows = await db
    .select({ print: agentTestPass.print })
    .from(agentTestPass)
    .where(
      and(eq(agentTestPass.orgId, orgId), eq(agentTestPass.agentId, agentId), inArray(agentTestPass.print, prints)),
    );
  const passed = new Set(rows.map(({ print }) => print));
  return cases.filter((_, at) => !passed.has(prints[at]!)).map(({ name }) => name);
}

/** Deletes the tests together with their agent. */
export async function deleteSuite(db: Queryable, orgId: string, agentId: string): Promise<void> {
  await db.delete(agentTestPass).where(and(eq(agentTestPass.orgId, orgId), eq(agentTestPass.agentId, agentId)));
  await db.delete(agentSuite).where(ofAgent(orgId, agentId));
}
