import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import { type Consent, type Identified, type Suppression, withOptOuts } from './suppression.ts';

/** The messages that must not be sent to an erased person: messages of some kinds of channel, or all messages. */
export type Suppressed = { consent: Consent; blocked: boolean };
type Row = Suppressed & { digest: Buffer };

/** The stored opt-outs for any identifier of one person. Null: there are no opt-outs. */
export async function findSuppressed(
  tx: Queryable,
  orgId: string,
  named: readonly Identified[],
  suppression: Suppression,
): Promise<Suppressed | null> {
  if (named.length === 0) return null;
  const digests = sql.param(named.flatMap(suppression).map((digest) => `\\x${digest.toString('hex')}`));
  const { rows } = await tx.execute<Row>(
    sql`SELECT digest, consent, blocked FROM suppression WHERE org_id = ${orgId}
      AND digest = ANY (${digests}::bytea[])`,
  );
  return joined(rows);
}

/**
 * Finds the opt-outs of several people in one round trip, and returns them in the order of the people. An empty list
 * needs no round trip.
 */
export async function findSuppressedOf(
  client: pg.Pool | pg.PoolClient,
  people: readonly (readonly Identified[])[],
  suppression: Suppression,
): Promise<(Suppressed | null)[]> {
  const named = people.flatMap((identifiers, index) =>
    identifiers.flatMap((one) => suppression(one).map((digest) => ({ orgId: one.orgId, digest, index }))),
  );
  if (named.length === 0) return people.map(() => null);
  const found = await client.query<Row & { n: number }>({
    name: 'find-suppressed-of',
    text: `SELECT w.n, s.digest, s.consent, s.blocked
      FROM unnest($1::int[], $2::text[], $3::bytea[]) AS w(n, org, digest)
      JOIN suppression s ON s.org_id = w.org AND s.digest = w.digest`,
    values: [named.map(({ index }) => index), named.map(({ orgId }) => orgId), named.map(({ digest }) => digest)],
  });
  return people.map((_, index) => joined(found.rows.filter(({ n }) => n === index)));
}

function joined(rows: readonly Suppressed[]): Suppressed | null {
  if (rows.length === 0) return null;
  return {
    consent: rows.reduce((consent, row) => withOptOuts(consent, row.consent), {} as Consent),
    blocked: rows.some(({ blocked }) => blocked),
  };
}
