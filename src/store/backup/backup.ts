import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { StartError } from '../../kernel/start-error.ts';
import {
  BACKUP_FORMAT,
  type BackupEnd,
  type BackupHeader,
  type BackupTable,
  quoted,
  readSchemaVersion,
  readTables,
} from './format.ts';
import { DEFAULT_CELL } from '../cells/directory.ts';
import { REGION_TABLES } from '../cells/region-tables.ts';
import { withClient } from '../db.ts';

/** Rows are fetched in batches of about this size. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** A batch has at most this many rows, because large rows of several megabytes each may follow many small rows. */
const MAX_BATCH_ROWS = 50;
/**
 * A file of a conversation may have 10 MiB, which are 20 MiB as JSON. Fifty of them are longer than the longest string
 * of Node, so a batch has fewer files.
 */
const MAX_BATCH_FILES = 4;

/**
 * Writes every record into a new file that only its owner can read. All records have the state of a single moment.
 * Servers may keep running, because the transaction of the backup sees none of their writes. Secrets stay sealed with
 * PARLEY_SECRET, which is not in the file.
 */
export async function backup(url: string, file: string): Promise<{ rows: number }> {
  const counted: BackupEnd = { end: true, rows: 0 };
  let made = false;
  try {
    await withClient(url, 'backup', async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
      target.once('open', () => (made = true));
      await pipeline(Readable.from(lines(client, counted), { objectMode: true }), createGzip(), target);
      await client.query('COMMIT');
    });
    return { rows: counted.rows };
  } catch (error) {
    if (made) await rm(file, { force: true });
    throw explained(error, file);
  }
}

async function* lines(client: pg.Client, counted: BackupEnd): AsyncGenerator<string> {
  const header: BackupHeader = {
    format: BACKUP_FORMAT,
    created_at: new Date().toISOString(),
    schema: await readSchemaVersion(client),
  };
  yield line(header);
  const cells = await client.query<{ name: string }>('SELECT name FROM cell ORDER BY name');
  for (const table of await readTables(client)) {
    yield line(table);
    const isOne = cells.rows.length === 0 || REGION_TABLES.includes(table.table);
    for (const cell of isOne ? [null] : [DEFAULT_CELL, ...cells.rows.map(({ name }) => name)]) {
      for await (const batch of rowsOf(client, table, cell)) {
        counted.rows += batch.length;
        yield `${batch.join('\n')}\n`;
      }
    }
  }
  yield line(counted);
}

const line = (value: BackupHeader | BackupTable | BackupEnd): string => `${JSON.stringify(value)}\n`;

/** Each row is JSON from Postgres that is passed on without parsing, so that no number or time is rounded. */
async function* rowsOf(client: pg.Client, { table }: BackupTable, cell: string | null): AsyncGenerator<string[]> {
  // While an organization is moved, another cell may have copies of its rows.
  const isHere = cell && ` WHERE t.org_id IN (SELECT id FROM public.organization WHERE cell = '${cell}')`;
  await client.query(
    `DECLARE rows NO SCROLL CURSOR FOR
     SELECT row_to_json(t)::text AS row FROM ${quoted(cell ?? DEFAULT_CELL)}.${quoted(table)} t${isHere ?? ''}`,
  );
  const most = table === 'attachment' ? MAX_BATCH_FILES : MAX_BATCH_ROWS;
  for (let count = Math.min(16, most); ;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${count} FROM rows`);
    if (rows.length === 0) break;
    const batch = rows.map(({ row }) => row);
    yield batch;
    const bytes = batch.reduce((sum, row) => sum + row.length, 0);
    count = Math.max(1, Math.min(most, Math.floor((batch.length * BATCH_BYTES) / bytes)));
  }
  await client.query('CLOSE rows');
}

function explained(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST')
    return new StartError(`${file} exists already.`, 'A backup never overwrites anything: choose another name.');
  if (code === 'ENOSPC')
    return new StartError(
      `The disk is full: ${file} was not created.`,
      'Free some space, or choose a file on another disk.',
    );
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EISDIR') {
    return new StartError(
      `${file} cannot be made (${code}).`,
      'Choose a folder that exists and that you may write to.',
    );
  }
  return error;
}
