import { and, asc, eq } from 'drizzle-orm';
import { type Key, newDataKey, unwrapDataKey, withOthers } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { dataKey, modelProvider } from './schema/agent.ts';

export type ModelRow = typeof modelProvider.$inferSelect;

const one = (orgId: string, provider: string) =>
  and(eq(modelProvider.orgId, orgId), eq(modelProvider.provider, provider));

export const listModels = async (db: Queryable, orgId: string): Promise<ModelRow[]> =>
  db.select().from(modelProvider).where(eq(modelProvider.orgId, orgId)).orderBy(asc(modelProvider.provider));

export async function readModel(db: Queryable, orgId: string, provider: string): Promise<ModelRow | null> {
  const rows = await db.select().from(modelProvider).where(one(orgId, provider));
  return rows[0] ?? null;
}

/** Reads the connection and locks its row until the transaction ends. */
export async function lockModel(tx: Queryable, orgId: string, provider: string): Promise<ModelRow | null> {
  const rows = await tx.select().from(modelProvider).where(one(orgId, provider)).for('update');
  return rows[0] ?? null;
}

export async function writeModel(db: Queryable, row: Omit<ModelRow, 'updatedAt'>): Promise<ModelRow> {
  const { orgId: _, provider: __, ...set } = row;
  const rows = await db
    .insert(modelProvider)
    .values(row)
    .onConflictDoUpdate({
      target: [modelProvider.orgId, modelProvider.provider],
      set: { ...set, updatedAt: new Date() },
    })
    .returning();
  return rows[0]!;
}

export async function deleteModel(db: Queryable, orgId: string, provider: string): Promise<boolean> {
  const rows = await db.delete(modelProvider).where(one(orgId, provider)).returning({ id: modelProvider.provider });
  return rows.length > 0;
}

type For = { orgId: string; wrapping: Key; to: 'seal' | 'open' };

/**
 * The organization's data key, created on first use. Two simultaneous callers get the same data key. Call this function
 * to seal inside a transaction: a rotation of PARLEY_SECRET waits for the commit of the sealed text.
 */
export async function openDataKey(db: Queryable, asked: For): Promise<Key> {
  const { orgId, wrapping } = asked;
  const stored = await readWrapped(db, asked);
  if (stored !== null) return unwrap(wrapping, stored, orgId);
  const { wrapped } = newDataKey(wrapping, orgId);
  await db.insert(dataKey).values({ orgId, wrapped }).onConflictDoNothing();
  return unwrap(wrapping, (await readWrapped(db, asked))!, orgId);
}

type Wrapped = Pick<typeof dataKey.$inferSelect, 'wrapped' | 'previous'>;

async function readWrapped(db: Queryable, { orgId, to }: For): Promise<Wrapped | null> {
  const { wrapped, previous } = dataKey;
  const query = db.select({ wrapped, previous }).from(dataKey).where(eq(dataKey.orgId, orgId));
  const rows = await (to === 'seal' ? query.for('share') : query);
  return rows[0] ?? null;
}

const unwrap = (wrapping: Key, { wrapped, previous }: Wrapped, orgId: string): Key =>
  withOthers(
    unwrapDataKey(wrapping, wrapped, orgId),
    previous === null ? [] : [unwrapDataKey(wrapping, previous, orgId)],
  );
