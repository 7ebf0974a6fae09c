import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { installation } from '../schema/installation.ts';

/** The only row about this installation as a whole. */
export type Installation = typeof installation.$inferSelect;

/**
 * Creates the row of the installation if it is missing. The first start of the installation decides region and secret.
 */
export async function openInstallationRow(
  db: Queryable,
  first: { region: string; secretCheck: Buffer },
): Promise<Installation> {
  await db.insert(installation).values(first).onConflictDoNothing();
  return (await readInstallation(db))!;
}

export async function readInstallation(db: Queryable): Promise<Installation | null> {
  const rows = await db.select().from(installation);
  return rows[0] ?? null;
}

/** The number of rotations of PARLEY_SECRET. The function waits for a rotation whose transaction has begun. */
export async function readSecretGeneration(db: Queryable): Promise<number> {
  const rows = await db.select({ generation: installation.secretGeneration }).from(installation).for('share');
  return rows[0]?.generation ?? 0;
}

export async function readOperatorId(db: Queryable): Promise<string | null> {
  const rows = await db.select({ operatorId: installation.operatorId }).from(installation);
  return rows[0]?.operatorId ?? null;
}

/** The expiry of a newly created link, in milliseconds. The new expiry differs from every earlier expiry. */
export async function nextSetupEnd(db: Queryable, minutes: number): Promise<Date> {
  const { rows } = await db.execute<{ ms: string }>(
    sql`SELECT ceil(extract(epoch FROM greatest(now() + make_interval(mins => ${minutes}),
      setup_expires_at + interval '1 millisecond')) * 1000)::bigint AS ms FROM installation`,
  );
  return new Date(Number(rows[0]!.ms));
}

/**
 * A node renews its row three times a second. If a node does not renew its row for this long, its link counts as
 * unused.
 */
const ALIVE_SECONDS = 3;

/** True if another running node has shown a valid link. */
export async function isSetupLinkShown(db: Queryable): Promise<boolean> {
  const { rows } = await db.execute(
    sql`SELECT 1 FROM installation WHERE operator_id IS NULL AND setup_expires_at > now()
      AND EXISTS (SELECT 1 FROM node_lease WHERE renewed_at > now() - make_interval(secs => ${ALIVE_SECONDS}))`,
  );
  return rows.length > 0;
}

/** Returns false if the installation already has an owner, because then no link may work. */
export async function setSetupToken(db: Queryable, digest: Buffer, until: Date): Promise<boolean> {
  const set = await db
    .update(installation)
    .set({ setupDigest: digest, setupExpiresAt: until })
    .where(isNull(installation.operatorId))
    .returning({ id: installation.id });
  return set.length > 0;
}

const linkIsGood = (digest: Buffer) =>
  and(
    isNull(installation.operatorId),
    eq(installation.setupDigest, digest),
    gt(installation.setupExpiresAt, sql`now()`),
  );

/** True if the setup link is valid now. The function `claimOperator` makes the final decision. */
export async function isSetupTokenGood(db: Queryable, digest: Buffer): Promise<boolean> {
  const rows = await db.select({ id: installation.id }).from(installation).where(linkIsGood(digest));
  return rows.length > 0;
}

/**
 * Makes this person the operator. An installation gets its operator once: the row's lock serializes all attempts, and
 * all attempts after the first find an operator. `digest`: null if the operator needs no link (PARLEY_OWNER_EMAIL).
 */
export async function claimOperator(db: Queryable, userId: string, digest: Buffer | null): Promise<boolean> {
  const claimed = await db
    .update(installation)
    .set({ operatorId: userId, setupDigest: null, setupExpiresAt: null })
    .where(digest ? linkIsGood(digest) : isNull(installation.operatorId))
    .returning({ id: installation.id });
  return claimed.length > 0;
}

/**
 * Returns true for the one start that may create the demo organization. The row's lock decides which node creates the
 * organization.
 */
export async function claimDemo(db: Queryable): Promise<boolean> {
  const claimed = await db
    .update(installation)
    .set({ demoAt: sql`now()` })
    .where(isNull(installation.demoAt))
    .returning({ id: installation.id });
  return claimed.length > 0;
}
