import { type Batcher, type BatcherOptions, createBatcher } from '../../kernel/batcher.ts';
import type pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseOf, type Db, type Queryable } from '../db.ts';
import { CellPool } from './cell-pool.ts';
import { DEFAULT_CELL } from './directory.ts';
import { doesNotRespond } from './cell-slots.ts';
import { OrganizationMoving } from './organization-moving.ts';
import { inTime } from './send-in-time.ts';

/**
 * Runs work on rows of many organizations once for each cell that has at least one of these organizations. The outcomes
 * have the same order as the rows. If the installation has one cell, the work is called once. In a transaction, the
 * statement has to name organizations of one cell.
 */
export async function byCell<Row, Out>(
  db: pg.Pool | Queryable,
  rows: readonly Row[],
  orgOf: (row: Row) => string,
  work: (rows: Row[]) => Promise<readonly Out[]>,
): Promise<Out[]> {
  const pool = poolOf(db);
  if (pool === null) return [...(await work([...rows]))];
  const outcomes: Out[] = [];
  const run = async (indexes: readonly number[]): Promise<void> => {
    const done = await work(indexes.map((index) => rows[index]!));
    for (const [at, outcome] of done.entries()) outcomes[indexes[at]!] = outcome;
  };
  const place = async (indexes: readonly number[]): Promise<void> => {
    const organizations = indexes.map((index) => orgOf(rows[index]!));
    const cells = await pool.cellsOf(new Set(organizations));
    const groups = Map.groupBy(indexes, (index) => {
      const org = orgOf(rows[index]!);
      return pool.directory.isMoving(org) ? org : (cells.get(org) ?? DEFAULT_CELL);
    });
    const ended = await Promise.allSettled(
      groups.values().map((group) => run(group).catch((error: unknown) => wait(group, error))),
    );
    // An error is thrown only after the work in all cells has ended.
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  };
  /** Waits for organizations that are being moved, for which the call did nothing, and repeats only their work. */
  const wait = async (indexes: readonly number[], error: unknown): Promise<void> => {
    if (!isOfMove(error)) throw error;
    while (indexes.some((index) => pool.directory.isMoving(orgOf(rows[index]!)))) await pause(LOOK_MS);
    await place(indexes);
  };
  await place([...rows.keys()]);
  return outcomes;
}

const LOOK_MS = 100;

/** Drizzle wraps the errors of statements. */
const isOfMove = (error: unknown): boolean =>
  error instanceof OrganizationMoving || (error instanceof Error && error.cause instanceof OrganizationMoving);

/** Runs work whose result is a list of found rows, in any order, once for each cell. */
export async function foundByCell<Row, Found>(
  db: pg.Pool | Queryable,
  rows: readonly Row[],
  orgOf: (row: Row) => string,
  find: (rows: Row[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const pool = poolOf(db);
  if (pool === null) return [...(await find([...rows]))];
  const groups = await groupByCell(pool, rows, orgOf);
  return (await Promise.all(groups.map((group) => find(group.rows)))).flat();
}

/** An organization that is being moved has its own group, because its cell may change before the statement is sent. */
async function groupByCell<Row>(pool: CellPool, rows: readonly Row[], orgOf: (row: Row) => string) {
  const cells = await pool.cellsOf(new Set(rows.map(orgOf)));
  const cellOf = (row: Row): string => cells.get(orgOf(row)) ?? DEFAULT_CELL;
  const groups = Map.groupBy(rows, (row) => (pool.directory.isMoving(orgOf(row)) ? orgOf(row) : cellOf(row)));
  return groups
    .values()
    .map((group) => ({ cell: cellOf(group[0]!), rows: group }))
    .toArray();
}

/**
 * Reads rows by cell, and leaves out cells that do not answer in time. The caller must be able to repeat the read soon.
 * Fails if no cell answers.
 */
export async function foundInReachableCells<Row, Found>(
  db: pg.Pool | Queryable,
  rows: readonly Row[],
  orgOf: (row: Row) => string,
  find: (rows: Row[], cell: string) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const pool = poolOf(db);
  if (pool === null) return [...(await find([...rows], DEFAULT_CELL))];
  const groups = await groupByCell(pool, rows, orgOf);
  return (await answersOf(groups.map(({ cell, rows: some }) => soon(pool, cell, () => find(some, cell))))).flat();
}

/** The time limit of reads that are repeated soon. */
const SOON_MS = 1_000;
/** The time limit of a check that decides whether a call is refused. */
const LOOK_ANSWERED_MS = 3_000;

async function soon<Out>(pool: CellPool, cell: string, work: () => Promise<Out>): Promise<Out> {
  if (pool.slots.hangs(cell)) throw doesNotRespond();
  return inTime(SOON_MS, work);
}

/**
 * Throws `unavailable` if the cell of this organization does not answer. If a change of the region waits for a node of
 * Citus that hangs, the coordinator keeps its locks until the node answers, even after the time limit of the statement.
 * So all other changes would wait too. For a read, it is sufficient that the cell answered a moment ago.
 */
export async function insistOnAnswer(db: Db, orgId: string, before: 'read' | 'change'): Promise<void> {
  const pool = poolOf(db);
  const cell = (await pool?.cellsOf(new Set([orgId])))?.get(orgId);
  if (pool === null || cell === undefined || (before === 'read' && pool.slots.answersNow(cell))) return;
  await inTime(LOOK_ANSWERED_MS, () => pool.inCell(cell).query(ANY_ROW));
}

/** A statement that needs the node of the cell. */
const ANY_ROW = `SELECT FROM weekly_mail WHERE org_id = ''`;

async function answersOf<Out>(all: Iterable<Promise<Out>>): Promise<Out[]> {
  const ended = await Promise.allSettled(all);
  const answers = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (answers.length === 0 && ended.length > 0) throw (ended[0] as PromiseRejectedResult).reason;
  return answers;
}

/** Runs work on all organizations once in each cell. If `db` is the database of one cell, the work runs only there. */
export async function inEachCell<Some extends Queryable, Out>(
  db: Some,
  work: (db: Some | Db) => Promise<Out>,
): Promise<Out[]> {
  return Promise.all(isDb(db) ? cellsOf(db).map(work) : [work(db)]);
}

/** Runs repeated work in each cell, and leaves out cells that do not answer in time. Fails if no cell answers. */
export async function inEachReachableCell<Some extends Queryable, Out>(
  db: Some,
  work: (db: Some | Db) => Promise<Out>,
): Promise<Out[]> {
  if (!isDb(db) || poolOf(db) === null) return [await work(db)];
  return answersOf(cellsOf(db).map((one) => soon(one.$client, one.$client.cell!, () => work(one))));
}

/** The database `db`, limited to one cell. */
export const inCell = (db: Db, cell: string): Db => databaseOf(db.$client.inCell(cell));

/** Returns one database for each cell, for work on one cell after the other. */
export function cellsOf(db: Db): Db[] {
  const pool = poolOf(db);
  return pool === null || pool.cell !== null ? [db] : pool.directory.cells.map((cell) => inCell(db, cell));
}

/** Null if nothing has to be split: there is one cell, or the statements are parts of a transaction. */
const isDb = (db: Queryable): db is Db => '$client' in db;

function poolOf(db: pg.Pool | Queryable): CellPool | null {
  const pool = '$client' in db ? db.$client : db;
  return pool instanceof CellPool && !pool.directory.isSingle() ? pool : null;
}

/** Leaves out the rows of organizations of other cells, which a move has copied to this cell or has not deleted yet. */
export async function atHome<Row extends { orgId: string }>(db: Queryable, rows: readonly Row[]): Promise<Row[]> {
  const pool = poolOf(db);
  if (pool === null || pool.cell === null) return [...rows];
  const cells = await pool.cellsOf(new Set(rows.map(({ orgId }) => orgId)));
  return rows.filter(({ orgId }) => cells.get(orgId) === pool.cell);
}

/** Leaves out the rows of organizations that are being moved. The caller must be able to repeat its work soon. */
export function staying<Row extends { orgId: string }>(db: Queryable, rows: readonly Row[]): Row[] {
  const pool = poolOf(db);
  return pool === null ? [...rows] : rows.filter(({ orgId }) => !pool.directory.isMoving(orgId));
}

/**
 * A batcher for each cell, so that a batch never contains organizations of two cells and no cell delays another. Items
 * of an organization that is being moved are refused, without effect on other items of the batch.
 */
export function createBatcherByCell<In, Out>(
  pool: pg.Pool,
  orgOf: (item: In) => string,
  options: BatcherOptions<In, Out>,
): Batcher<In, Out> {
  if (!(pool instanceof CellPool)) return createBatcher(options);
  const { directory } = pool;
  const send = async (items: In[]): Promise<(Out | Error)[]> => {
    const present = items.filter((item) => !directory.isMoving(orgOf(item)));
    const sent =
      present.length === 0 ? [] : await options.send(present).catch((error: unknown) => again(error, present));
    if (present.length === items.length) return sent;
    const places = new Map(present.map((item, place) => [item, place]));
    return items.map((item) => (places.has(item) ? sent[places.get(item)!]! : new OrganizationMoving()));
  };
  const again = async (error: unknown, items: In[]): Promise<(Out | Error)[]> => {
    if (!isOfMove(error)) throw error;
    // If a move has just ended, the callers try again.
    return items.some((item) => directory.isMoving(orgOf(item))) ? send(items) : items.map(() => error as Error);
  };
  const first = createBatcher({ ...options, send });
  const others = new Map<string, Batcher<In, Out>>();
  const all = () => [first, ...others.values()];
  const of = (cell: string): Batcher<In, Out> => {
    if (cell === DEFAULT_CELL) return first;
    const known = others.get(cell);
    if (known) return known;
    const made = createBatcher({ ...options, send });
    others.set(cell, made);
    return made;
  };
  return {
    add: (item) => {
      if (directory.isSingle()) return first.add(item);
      const org = orgOf(item);
      const known = directory.home(org);
      if (known !== null) return of(known).add(item);
      return pool.cellsOf(new Set([org])).then((cells) => of(cells.get(org) ?? DEFAULT_CELL).add(item));
    },
    drain: async () => void (await Promise.all(all().map((batcher) => batcher.drain()))),
    load: () => all().reduce((sum, batcher) => sum + batcher.load(), 0),
  };
}
