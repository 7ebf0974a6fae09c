import type pg from 'pg';
import { accept, acceptingStatement } from '../fence/fence.ts';
import { rowsOf } from '../named-statement.ts';
import { PEOPLE, PEOPLE_LOST, peopleValues, WRITE_PEOPLE } from './write-batch.ts';
import type { EndUserRow } from './end-user-row.ts';

export type Identity = { channel_id: string; channel_kind: string; address: string };

/** A call with known people, which are one person or all rows of one bulk call. */
export type PlannedUpsert = {
  orgId: string;
  /** The calling key, which the fence checks in the statement. Null: a member makes the call in the dashboard. */
  keyId: string | null;
  /** The network address of the key's caller. The fence checks the address together with the key. */
  from: string | null;
  idempotency: { scope: Buffer; request: Buffer } | null;
  /** The response that is stored together with the effect if the call has an Idempotency-Key. */
  answer: { status: number; body: string } | null;
  rows: EndUserRow[];
  /** The import to which the people belong. If it no longer has its lease, no one is written. */
  import?: { id: string; lease: string } | undefined;
};

/** The state of a person after the write. */
export type WrittenPerson = { updatedAt: Date | null; identities: Identity[] };

const MAX_IDENTITIES = 100;

const CALL = rowsOf('g', {
  n: 'int',
  org_id: 'text',
  key_id: 'text',
  scope: 'bytea',
  request: 'bytea',
  status: 'int',
  body: 'text',
  came_from: 'text',
  import_id: 'text',
  import_lease: 'text',
});
const GATED = `(SELECT * FROM ${CALL.from} WHERE g.import_id IS NULL OR g.import_lease IN (
  SELECT i.lease FROM end_user_import i WHERE i.org_id = g.org_id AND i.id = g.import_id)) AS g`;
/** The written people of each call. */
const USE = rowsOf('u', { n: 'int', end_user_id: 'text', known: 'bool' }, 'use_');

/**
 * The statement has the same parts as in src/store/runs/write.ts, for people only: the fence (`gate`), idempotency, and
 * then the rows. If another node was faster, the whole statement is rolled back.
 */
export const WRITE_END_USERS = acceptingStatement(
  'write-end-users',
  { ...CALL.types, ...USE.types, ...PEOPLE, now: 'timestamptz' },
  { rows: GATED, needs: {}, paidPlanFor: 'keys', columns: 'g.*' },
  `idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
  SELECT org_id, scope, request, status, body, :now FROM gate WHERE scope IS NOT NULL ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT u.*, gate.org_id
  FROM ${USE.from}
  JOIN gate ON gate.n = u.n
  WHERE scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = gate.org_id AND idem.scope = gate.scope)
), ${WRITE_PEOPLE}, held AS MATERIALIZED (
  -- Stopping an import waits for its rows. An erasure locks the person before the import, so this lock is the last.
  SELECT g.n FROM gate g CROSS JOIN LATERAL (
    SELECT FROM end_user_import i WHERE i.org_id = g.org_id AND i.id = g.import_id AND i.lease = g.import_lease FOR SHARE
  ) i
  WHERE (SELECT count(*) FROM made) >= 0 AND (SELECT count(*) FROM changed) >= 0
)
SELECT go.n, go.end_user_id AS id, changed.updated_at,
  CASE WHEN go.known THEN (
    SELECT json_agg(json_build_object('channel_id', i.channel_id, 'channel_kind', ch.kind, 'address', i.address)) FROM (
      SELECT * FROM identity i WHERE i.org_id = go.org_id AND i.end_user_id = go.end_user_id LIMIT ${MAX_IDENTITIES}) i
    JOIN channel ch ON ch.org_id = i.org_id AND ch.id = i.channel_id) END AS identities,
  CASE WHEN ${PEOPLE_LOST}
    OR (SELECT count(*) FROM held) <> (SELECT count(import_id) FROM gate) THEN parley_lost_race() END AS lost
FROM go LEFT JOIN changed ON changed.id = go.end_user_id`,
);

type WrittenRow = { n: number; id: string; updated_at: Date | null; identities: Identity[] | null };

/**
 * Writes the batch. Returns the written people for each call. Null: the fence stopped the call, or the call is a
 * replay.
 */
export async function writeEndUsers(
  client: pg.PoolClient,
  planned: readonly PlannedUpsert[],
  now: Date,
): Promise<(Map<string, WrittenPerson> | null)[]> {
  // A call whose people were all refused still uses its Idempotency-Key.
  const uses = planned.flatMap((plan, n): { n: number; row: EndUserRow | null }[] =>
    plan.rows.length > 0 ? plan.rows.map((row) => ({ n, row })) : [{ n, row: null }],
  );
  const query = WRITE_END_USERS({
    n: planned.map((_, n) => n),
    org_id: planned.map((plan) => plan.orgId),
    key_id: planned.map((plan) => plan.keyId),
    scope: planned.map((plan) => plan.idempotency?.scope ?? null),
    request: planned.map((plan) => plan.idempotency?.request ?? null),
    status: planned.map((plan) => plan.answer?.status ?? 0),
    body: planned.map((plan) => plan.answer?.body ?? ''),
    came_from: planned.map((plan) => plan.from),
    import_id: planned.map((plan) => plan.import?.id ?? null),
    import_lease: planned.map((plan) => plan.import?.lease ?? null),
    use_n: uses.map(({ n }) => n),
    use_end_user_id: uses.map(({ row }) => row?.id ?? null),
    use_known: uses.map(({ row }) => row !== null && row.updated_at !== null),
    ...peopleValues(
      uses.map(({ row }) => row),
      now,
    ),
    now,
  });
  const written = await accept<WrittenRow>(client, query);
  const results: (Map<string, WrittenPerson> | null)[] = planned.map(() => null);
  for (const { n, id, updated_at: updatedAt, identities } of written.rows) {
    const people = (results[n] ??= new Map<string, WrittenPerson>());
    people.set(id, { updatedAt, identities: identities ?? [] });
  }
  return results;
}
