import { sql } from 'drizzle-orm';
import { type ChainKey, moveAlong } from '../../kernel/key-chain.ts';
import { dataKeyPlace, type Key, newDataKey, open, openDirectly, placeOf, seal, SealError } from '../../kernel/seal.ts';
import {
  credentialIn,
  openCredential,
  sealCredential,
  SEALED_BY_INSTALLATION,
  SEALED_COLUMNS,
} from '../credentials.ts';
import { cellsOf } from '../cells/by-cell.ts';
import { REGION_TABLES } from '../cells/region-tables.ts';
import type { Db } from '../db.ts';

/**
 * Moves all data from an older PARLEY_SECRET to the current secret: digests get one more HMAC, data keys are replaced,
 * and sealed texts are sealed again. The rotation consists of small transactions and may stop after any of them. The
 * next run finds and moves the remaining data, by its mark or because the newest key does not open it. Servers keep
 * running during the rotation, because they read both forms of the data.
 */
export type MoveKeys = {
  generation: number;
  apiKeyPepper: ChainKey;
  suppressionKey: ChainKey;
  sealingKey: Key;
  mailKey: Key;
};
export type Moved = {
  api_keys: number;
  access_tokens: number;
  opt_outs: number;
  organizations: number;
  credentials: number;
};

const BATCH = 500;

/** `onStep` is called after each transaction. */
export async function moveSecrets(db: Db, keys: MoveKeys, onStep: () => void = () => {}): Promise<Moved> {
  const digests = async (table: keyof typeof DIGESTED): Promise<number> =>
    sumOf(REGION_TABLES.includes(table) ? [db] : cellsOf(db), (one) =>
      moveDigests(one, { table, key: keys[DIGESTED[table]], to: keys.generation }, onStep),
    );
  const apiKeys = await digests('api_key_digest');
  const accessTokens = await digests('access_token_digest');
  const optOuts = await digests('suppression');
  let [organizations, credentials] = [0, 0];
  for (const one of cellsOf(db)) {
    const moved = await moveCredentials(one, keys.sealingKey, onStep);
    organizations += moved.organizations;
    credentials += moved.credentials;
  }
  let own = 0;
  for (const column of SEALED_BY_INSTALLATION) own += await moveOwn(db, column, keys[column.key], onStep);
  return {
    api_keys: apiKeys,
    access_tokens: accessTokens,
    opt_outs: optOuts,
    organizations,
    credentials: credentials + own,
  };
}

async function sumOf<Some>(all: readonly Some[], count: (one: Some) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const one of all) sum += await count(one);
  return sum;
}

/** Tables of digests under keys of PARLEY_SECRET, with the columns `org_id`, `digest` and `generation`. */
export const DIGESTED = {
  api_key_digest: 'apiKeyPepper',
  access_token_digest: 'apiKeyPepper',
  suppression: 'suppressionKey',
} as const;
type Digests = { table: keyof typeof DIGESTED; key: ChainKey; to: number };

async function moveDigests(db: Db, digests: Digests, onStep: () => void): Promise<number> {
  for (let moved = 0; ;) {
    const rows = await moveBatch(db, digests);
    onStep();
    moved += rows;
    if (rows === 0) return moved;
  }
}

const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

const moveBatch = (db: Db, { table, key, to }: Digests): Promise<number> =>
  db.transaction(async (tx) => {
    const name = sql.identifier(table);
    const { rows } = await tx.execute<{ org_id: string; digest: Buffer; generation: number }>(
      sql`SELECT org_id, digest, generation FROM ${name} WHERE generation < ${to} LIMIT ${BATCH} FOR UPDATE`,
    );
    if (rows.length === 0) return 0;
    const next = rows.map(({ digest, generation }) => hex(moveAlong(key.chain ?? [key], generation, to, digest)));
    const before = rows.map(({ digest }) => hex(digest));
    const listed = sql`unnest(${sql.param(rows.map((row) => row.org_id))}::text[], ${sql.param(before)}::bytea[],
      ${sql.param(next)}::bytea[]) AS m (org, before, next)`;
    // A person may have been erased twice, before and after the switch. The row from after the switch stays.
    await tx.execute(
      sql`DELETE FROM ${name} t USING ${listed} WHERE t.org_id = m.org AND t.digest = m.before
        AND EXISTS (SELECT 1 FROM ${name} n WHERE n.org_id = m.org AND n.digest = m.next)`,
    );
    await tx.execute(
      sql`UPDATE ${name} t SET digest = m.next, generation = ${to} FROM ${listed}
        WHERE t.org_id = m.org AND t.digest = m.before`,
    );
    return rows.length;
  });

async function moveCredentials(
  db: Db,
  sealingKey: Key,
  onStep: () => void,
): Promise<{ organizations: number; credentials: number }> {
  const { rows } = await db.execute<{ org_id: string; wrapped: string; moving: boolean }>(
    sql`SELECT org_id, wrapped, moving FROM data_key ORDER BY org_id`,
  );
  const left = rows.filter(({ org_id: orgId, wrapped, moving }) => moving || !isOfNow(sealingKey, wrapped, orgId));
  let credentials = 0;
  for (const { org_id: orgId } of left) {
    await rekey(db, orgId, sealingKey);
    onStep();
    credentials += await resealOf(db, orgId, sealingKey);
    await db.execute(sql`UPDATE data_key SET moving = false WHERE org_id = ${orgId}`);
    onStep();
  }
  return { organizations: left.length, credentials };
}

const isOfNow = (sealingKey: Key, wrapped: string, orgId: string): boolean =>
  openDirectly(sealingKey, wrapped, dataKeyPlace(orgId)) !== null;

/**
 * Creates a new data key and stores it and the old key under the new secret. The function waits for transactions that
 * seal with the old key.
 */
const rekey = (db: Db, orgId: string, sealingKey: Key): Promise<void> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ wrapped: string }>(
      sql`SELECT wrapped FROM data_key WHERE org_id = ${orgId} FOR UPDATE`,
    );
    const before = rows[0]?.wrapped;
    if (before === undefined || isOfNow(sealingKey, before, orgId)) return;
    const place = dataKeyPlace(orgId);
    const key = openOrNull(sealingKey, before, place);
    if (key === null) return;
    const previous = seal(sealingKey, key, place);
    const { wrapped } = newDataKey(sealingKey, orgId);
    await tx.execute(
      sql`UPDATE data_key SET wrapped = ${wrapped}, previous = ${previous}, moving = true WHERE org_id = ${orgId}`,
    );
  });

/**
 * The function loses no change, because a text that was replaced in the meantime is already sealed with the new key.
 */
async function resealOf(db: Db, orgId: string, sealingKey: Key): Promise<number> {
  let moved = 0;
  for (const name of Object.keys(SEALED_COLUMNS) as (keyof typeof SEALED_COLUMNS)[]) {
    const { table, column, id } = SEALED_COLUMNS[name];
    const [from, field] = [sql.identifier(table), sql.identifier(column)];
    const { rows } = await db.execute<Record<string, unknown> & { org_id: string }>(
      sql`SELECT * FROM ${from} WHERE org_id = ${orgId} AND ${field} IS NOT NULL`,
    );
    for (const row of rows) {
      const credential = credentialIn(name, row);
      const before = String(row[column]);
      const text = await openCredential(db, sealingKey, credential, before).catch(unreadable);
      // A text that does not open was already unreadable before the rotation, and the channel's page shows this.
      if (text === null) continue;
      const sealed = await sealCredential(db, sealingKey, credential, text);
      await db.execute(sql`UPDATE ${from} SET ${field} = ${sealed}
        WHERE org_id = ${orgId} AND ${sql.identifier(id)} = ${credential.row} AND ${field} = ${before}`);
      moved++;
    }
  }
  return moved;
}

type Own = (typeof SEALED_BY_INSTALLATION)[number];

async function moveOwn(db: Db, { table, column, id }: Own, key: Key, onStep: () => void): Promise<number> {
  const [from, named, field] = [sql.identifier(table), sql.identifier(id), sql.identifier(column)];
  const { rows } = await db.execute<{ row: string; sealed: string }>(
    sql`SELECT ${named} AS row, ${field} AS sealed FROM ${from}`,
  );
  let moved = 0;
  for (const { row, sealed } of rows) {
    const place = placeOf({ table, column, row, organization: '' });
    if (openDirectly(key, sealed, place) !== null) continue;
    const text = openOrNull(key, sealed, place);
    if (text === null) continue;
    await db.execute(
      sql`UPDATE ${from} SET ${field} = ${seal(key, text, place)} WHERE ${named} = ${row} AND ${field} = ${sealed}`,
    );
    moved++;
  }
  onStep();
  return moved;
}

function openOrNull(key: Key, sealed: string, place: readonly string[]): string | null {
  try {
    return open(key, sealed, place);
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): null {
  if (error instanceof SealError) return null;
  throw error;
}
