import { and, asc, eq } from 'drizzle-orm';
import { type Key, open, placeOf, seal } from '../../kernel/seal.ts';
import type { Queryable } from '../db.ts';
import { installation, pastSecret } from '../schema/installation.ts';

const placeIn = (generation: number): string[] =>
  placeOf({ table: 'past_secret', column: 'sealed', row: String(generation), organization: '' });

/** The past secrets, oldest first. */
export async function readPastSecrets(db: Queryable, key: Key): Promise<string[]> {
  const rows = await db.select().from(pastSecret).orderBy(asc(pastSecret.generation));
  return rows.map(({ generation, sealed }) => open(key, sealed, placeIn(generation)));
}

type Switch = { from: number; checkBefore: Buffer; check: Buffer; key: Key; past: readonly string[] };

/**
 * The statement makes the new secret current, and seals the past secrets with it. The switch happens completely or not
 * at all, and only once. Returns false if another process made the switch first.
 */
export async function switchSecret(tx: Queryable, { from, checkBefore, check, key, past }: Switch): Promise<boolean> {
  const switched = await tx
    .update(installation)
    .set({ secretGeneration: from + 1, secretCheck: check })
    .where(and(eq(installation.secretGeneration, from), eq(installation.secretCheck, checkBefore)))
    .returning({ id: installation.id });
  if (switched.length === 0) return false;
  await tx.delete(pastSecret);
  const rows = past.map((secret, generation) => ({ generation, sealed: seal(key, secret, placeIn(generation)) }));
  await tx.insert(pastSecret).values(rows);
  return true;
}
