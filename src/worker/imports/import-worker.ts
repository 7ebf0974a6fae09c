import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { type BulkResult, MAX_BULK } from '../../../contract/end-users.ts';
import { PROBLEMS, Refusal } from '../../../contract/problems.ts';
import type { EndUsersDeps } from '../../features/end-users/deps.ts';
import { bulkDryRun, type BulkRow, bulkUpsert } from '../../features/end-users/write-end-users.ts';
import { personOf } from '../../store/end-users/import-columns.ts';
import { FileFault, readCsv } from '../../kernel/csv/read-csv.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { isDeadlock, isUnreachable } from '../../store/db.ts';
import {
  type ClaimedImport,
  claimImport,
  finishImport,
  releaseImport,
  type RowOutcomes,
  finishRows,
  renewImport,
} from '../../store/imports/queue.ts';
import { readPieces } from '../../store/imports/read.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import type { WhenDue } from '../look-loop.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';

/**
 * Reads files of end users and writes the people through the same verb as `POST /api/end-users/bulk`, 500 rows at a
 * time. The worker streams the file in pieces, so memory does not grow with the file. Each batch has its own
 * Idempotency-Key (import, run, first row). After a crash, the next worker gets the stored answer, so no row is counted
 * twice or lost. The number of finished rows shows where the next worker continues.
 */
export type ImportWorkerDeps = EndUsersDeps & {
  log: Logger;
  whenDue?: WhenDue;
  /**
   * Checks one person as step 14 of the order of checks does (docs/security.md). The method throws a Refusal with the
   * faults.
   */
  check(person: unknown): void;
};

/** At most this many files, of different organizations, are read at the same time. */
const CAPACITY = 2;
const POLL_MS = 1_000;
const RETRY_SECONDS = 5;

export const createImportWorker = (deps: ImportWorkerDeps): PagedLoop =>
  createPagedLoop({
    rows: 'imports',
    log: deps.log,
    pollMs: POLL_MS,
    whenDue: deps.whenDue,
    leaseSeconds: LEASE_SECONDS.end_user_import,
    capacity: CAPACITY,
    claim: (lease) => claimImport(deps.db, lease),
    work: async (claimed, stopping) => {
      if (await readFile(deps, claimed, stopping)) await finishImport(deps.db, claimed, null);
      else if (stopping.aborted) await releaseImport(deps.db, claimed, 0);
    },
    fail: (claimed, error) => handleFailure(deps, claimed, error),
    ids: ({ id }) => ({ import: id }),
  });

async function handleFailure({ db, log }: ImportWorkerDeps, claimed: ClaimedImport, error: unknown): Promise<void> {
  if (error instanceof FileFault) {
    const row = error.line;
    return finishImport(db, claimed, { code: error.code, detail: error.message, row });
  }
  log.warn({ err: error, import: claimed.id }, 'an import was interrupted');
  if (passes(error)) return releaseImport(db, claimed, RETRY_SECONDS);
  return finishImport(db, claimed, { code: 'internal_error', detail: 'An internal error; see the log.', row: null });
}

/**
 * True if a later attempt can succeed. A refusal that a later attempt can avoid has a Retry-After. An example is the
 * refusal of a batch that this node is still writing under a lease that has ended.
 */
const passes = (error: unknown): boolean =>
  isUnreachable(error) ||
  isDeadlock(error) ||
  (error instanceof Refusal && PROBLEMS[error.code].retryAfterSeconds !== undefined);

type NumberedRow = { row: number; cells: string[] };

/** Returns false if the import ended early, because it was stopped, cancelled, or claimed by another worker. */
async function readFile(deps: ImportWorkerDeps, claimed: ClaimedImport, stopping: AbortSignal): Promise<boolean> {
  const { delimiter, encoding } = claimed.settings;
  const pieces = readPieces(deps.db, claimed.org_id, claimed.id);
  let batch: NumberedRow[] = [];
  let read = -1;
  let bytes = 0;
  const finish = async (): Promise<boolean> => {
    const rows = batch;
    batch = [];
    if (rows.length === 0) return true;
    // The pieces of a cancelled import are deleted, so the rows may end in the middle of a piece.
    if (!(await renewImport(deps.db, claimed))) return false;
    return finishRows(deps.db, claimed, await outcomesOf(deps, claimed, rows, { rows: read, bytes }));
  };
  for await (const row of readCsv(pieces, { delimiter, encoding })) {
    bytes = row.bytes;
    // Spreadsheets count the header as row 1, although the header is not a data row.
    read++;
    if (read <= claimed.rows) continue;
    batch.push({ row: read + 1, cells: row.cells });
    if (batch.length < MAX_BULK) continue;
    if (!(await finish()) || stopping.aborted) return false;
  }
  return finish();
}

async function outcomesOf(
  deps: ImportWorkerDeps,
  claimed: ClaimedImport,
  rows: readonly NumberedRow[],
  at: { rows: number; bytes: number },
): Promise<RowOutcomes> {
  const { columns } = claimed.settings;
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const share = createLoopShare();
  const people: BulkRow[] = [];
  for (const { cells } of filled) people.push(await share(() => checked(deps, personOf(cells, columns))));
  const results = people.length === 0 ? [] : await write(deps, claimed, people, rows[0]!.row);
  const count = (status: BulkResult['status']) => results.filter((result) => result.status === status).length;
  return {
    rows: at.rows,
    bytesDone: at.bytes,
    created: count('created'),
    updated: count('updated'),
    invalid: results.flatMap(({ status, errors }, index) =>
      status === 'invalid' ? [{ row: filled[index]!.row, cells: filled[index]!.cells, faults: errors }] : [],
    ),
  };
}

function checked(deps: ImportWorkerDeps, row: ReturnType<typeof personOf>): BulkRow {
  if ('errors' in row) return row;
  try {
    deps.check(row.person);
    return { person: { ...row.person, from_file: true } };
  } catch (error) {
    if (error instanceof Refusal) return { errors: error.extras.errors ?? [] };
    throw error;
  }
}

async function write(
  deps: ImportWorkerDeps,
  claimed: ClaimedImport,
  people: readonly BulkRow[],
  firstRow: number,
): Promise<BulkResult[]> {
  if (claimed.dry_run) return bulkDryRun(deps, claimed.org_id, people);
  const scope = hash('sha256', `import\n${claimed.id}\n${claimed.run}\n${firstRow}`, 'buffer');
  const idempotency = { scope, request: scope };
  const caller = { orgId: claimed.org_id, keyId: null, from: null, idempotency, import: claimed };
  const { body } = await bulkUpsert(deps, caller, people);
  return (JSON.parse(body) as { results: BulkResult[] }).results;
}
