import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { newId } from '../../kernel/ids.ts';
import { StartError } from '../../kernel/start-error.ts';
import {
  BACKUP_FORMAT,
  type BackupEnd,
  type BackupHeader,
  type BackupTable,
  qualified,
  quoted,
  readSchemaVersion,
  readTables,
  SEEDED_TABLE,
} from './format.ts';
import { withClient } from '../db.ts';
import { isBeforeFirst, rowChangesSince } from '../migrate.ts';

export type RestoreOptions = {
  /**
   * A backup does not contain revokes after its time, and a revoked key must never work again. All keys in a backup are
   * revoked, unless the operator confirms that no key was revoked since the backup.
   */
  keepKeys: boolean;
  /**
   * A restored copy does not know the messages that the original has sent since the backup, so the copy would send them
   * again. A restored copy is paused, unless the operator confirms that the copy replaces the original.
   */
  resume: boolean;
};
export type Restored = { rows: number; made_at: string; revoked_keys: number; paused: boolean };

const NEWLINE = 0x0a;
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Loads a backup into an empty, migrated database, either completely or not at all. No server may run on the database
 * during the restore.
 */
export async function restore(url: string, file: string, options: RestoreOptions): Promise<Restored> {
  try {
    return await withClient(url, 'restore', (client) => restoreInto(client, file, options));
  } catch (error) {
    throw explained(error, file);
  }
}

async function restoreInto(client: pg.Client, file: string, options: RestoreOptions): Promise<Restored> {
  await client.query('BEGIN');
  await insistOnEmpty(client);
  // Restored rows do not create events.
  await client.query(`SET LOCAL parley.events = 'off'`);
  const { rows, header } = await load(client, file);
  for (const change of await rowChangesSince(header.schema)) await client.query(change);
  await client.query(`SET LOCAL parley.events = 'on'`);
  const revokedKeys = options.keepKeys ? 0 : await revokeAllKeys(client, header.created_at);
  if (!options.keepKeys) await revokeAllTokens(client, header.created_at);
  await endAllInvitations(client, header.created_at);
  await client.query('UPDATE installation SET paused_at = CASE WHEN $1 THEN NULL ELSE now() END', [options.resume]);
  await client.query('COMMIT');
  await client.query('ANALYZE');
  return { rows, made_at: header.created_at, revoked_keys: revokedKeys, paused: !options.resume };
}

/** A new database on Citus has cells, which are empty as long as there is no organization. */
const MADE_AT_START = [SEEDED_TABLE, 'cell'];

/** Locks all tables, so that no server can start on a half-restored database. */
async function insistOnEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  const tables = rows.map(({ name }) => name);
  await client.query(`LOCK TABLE ${tables.map(qualified).join(', ')} IN EXCLUSIVE MODE`);
  for (const table of tables.filter((name) => !MADE_AT_START.includes(name))) {
    const { rowCount } = await client.query(`SELECT FROM ${qualified(table)} LIMIT 1`);
    if (rowCount) {
      throw new StartError(
        `The database is not empty (table ${table}): a backup is loaded into an empty database only.`,
        'Stop Parley, and point DATA_DIR or DATABASE_URL at a new, empty place.',
      );
    }
  }
  await client.query(`DELETE FROM ${qualified(SEEDED_TABLE)}`);
}

async function load(client: pg.Client, file: string): Promise<{ rows: number; header: BackupHeader }> {
  const known = new Map((await readTables(client)).map((table) => [table.table, new Set(table.columns)]));
  const schema = await readSchemaVersion(client);
  let header: BackupHeader | undefined;
  let table: BackupTable | undefined;
  let end: BackupEnd | undefined;
  let rows = 0;
  let batch: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (table && batch.length > 0) await insert(client, table, batch);
    rows += batch.length;
    [batch, bytes] = [[], 0];
  };
  for await (const text of textLines(file)) {
    if (header === undefined) {
      header = await checkHeader(text, schema);
    } else if (text.startsWith('{"table":')) {
      await flush();
      table = checkTable(JSON.parse(text) as BackupTable, known);
    } else if (text.startsWith('{"end":true,')) {
      await flush();
      end = JSON.parse(text) as BackupEnd;
    } else {
      batch.push(text);
      bytes += text.length;
      if (batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES) await flush();
    }
  }
  if (header === undefined || end?.rows !== rows) throw damaged(file);
  return { rows, header };
}

/** Only \n ends a line, because user text may contain the other line ends of Unicode. */
async function* textLines(file: string): AsyncGenerator<string> {
  const unpacked = createGunzip();
  // A failure of either stream ends the loop below. Leaving the loop early closes both streams.
  pipeline(createReadStream(file), unpacked).catch(() => {});
  let rest: Buffer[] = [];
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString();
      rest = [];
      from = at + 1;
    }
    rest.push(chunk.subarray(from));
  }
}

async function checkHeader(text: string, schema: number): Promise<BackupHeader> {
  let header: Partial<BackupHeader> = {};
  try {
    header = JSON.parse(text) as Partial<BackupHeader>;
  } catch {
    // The check of `header.format` reports the error.
  }
  if (header.format !== BACKUP_FORMAT)
    throw new StartError('The file is not a backup of Parley.', 'Use a file that "./parley backup" created.');
  if (header.schema! > schema) {
    throw new StartError(
      'The backup was created by a newer version of Parley.',
      'Restore it with that version or a newer one.',
    );
  }
  if (await isBeforeFirst(Number(header.schema))) {
    throw new StartError(
      'The backup was created by an early development version.',
      'Restore it with the version that created it.',
    );
  }
  return header as BackupHeader;
}

/** A name from the file becomes part of SQL, so it must be a name of the schema. */
function checkTable(table: BackupTable, known: Map<string, Set<string>>): BackupTable {
  const columns = known.get(table.table);
  const unknown = table.columns.find((column) => !columns?.has(column));
  if (columns && unknown === undefined) return table;
  throw new StartError(
    `The backup contains ${table.table}${columns ? `.${unknown}` : ''}, which this Parley does not know.`,
    'Restore it with the version that created it.',
  );
}

/** Columns that are newer than the backup get their default values. */
async function insert(client: pg.Client, { table, columns }: BackupTable, batch: string[]): Promise<void> {
  const list = columns.map(quoted).join(', ');
  await client.query(
    `INSERT INTO ${qualified(table)} (${list}) SELECT ${list}
      FROM json_populate_recordset(NULL::${qualified(table)}, $1::json)`,
    [`[${batch.join(',')}]`],
  );
}

async function revokeAllKeys(client: pg.Client, madeAt: string): Promise<number> {
  const { rows } = await client.query<Ended>(`
    UPDATE api_key SET revoked_at = now(), revoked_by = 'system', effective_at = now()
    WHERE revoked_at IS NULL RETURNING org_id, id`);
  await tellAudit(client, 'api_key.revoked', rows, madeAt);
  return rows.length;
}

/** A token that was revoked after the backup must not work again. A restore must not make revoked keys work again. */
async function revokeAllTokens(client: pg.Client, madeAt: string): Promise<void> {
  const { rows } = await client.query<Ended>(`
    UPDATE access_token SET revoked_at = now(), revoked_by = 'system'
    WHERE revoked_at IS NULL RETURNING org_id, id`);
  await tellAudit(client, 'access_token.revoked', rows, madeAt);
}

/** An invitation that was withdrawn or used after the backup would grant access again. */
async function endAllInvitations(client: pg.Client, madeAt: string): Promise<void> {
  const { rows } = await client.query<Ended>(`
    UPDATE invitation SET status = 'canceled' WHERE status = 'pending' RETURNING organization_id AS org_id, id`);
  await tellAudit(client, 'invitation.withdrawn', rows, madeAt);
}

type Ended = { org_id: string; id: string };

async function tellAudit(client: pg.Client, action: string, rows: readonly Ended[], madeAt: string): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const part = rows.slice(from, from + BATCH_ROWS);
    await client.query(
      `INSERT INTO audit (org_id, id, actor, action, subject_id, facts)
       SELECT org_id, id, 'system', $5, subject_id, jsonb_build_object('restored_from', $4::text)
       FROM unnest($1::text[], $2::text[], $3::text[]) AS t (org_id, id, subject_id)`,
      [part.map((row) => row.org_id), part.map(() => newId('audit')), part.map((row) => row.id), madeAt, action],
    );
  }
}

const damaged = (file: string): StartError =>
  new StartError(`${file} is damaged or was cut off: nothing was restored.`, 'Use another backup.');

function explained(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code.startsWith('Z_')) return damaged(file);
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') {
    return new StartError(`${file} cannot be read (${code}).`, 'Check the name and the rights of the file.');
  }
  return error;
}
