import { type Clock, systemClock } from '../../kernel/clock.ts';
import { SHARDS } from './citus.ts';
import type { CellShards } from './node-statement.ts';
import { REGION_TABLES } from './region-tables.ts';
import { createStatementReader, type StatementKind } from './statement.ts';

/**
 * The first cell is the schema of every installation, so an installation with one cell has the same tables as an
 * installation without cells.
 */
export const DEFAULT_CELL = 'public';

/** Increases the number that makes each process read the cells again. */
export const CELLS_CHANGED = 'UPDATE public.installation SET cells_version = cells_version + 1';

/** What one process knows about the cells of its database. */
export type CellDirectory = {
  readonly cells: readonly string[];
  /** The number of the newest known change. */
  version(): number;
  /** Increases when the known cells of organizations may have changed. */
  changes(): number;
  isSingle(): boolean;
  /** True if this process has not read the changes for some seconds, for example because it was suspended. */
  isStale(): boolean;
  /** True if the rows of the organization are being moved to another cell, so that its calls are refused. */
  isMoving(organization: string): boolean;
  kindOf(text: string): StatementKind;
  /** Null: the cell is not on Citus. */
  shardsOf(cell: string): CellShards | null;
  /** The node of a cell on Citus, otherwise the cell. */
  placeOf(cell: string): string;
  /** Returns the cells of the given organizations. Null if a cell has to be looked up. */
  known(organizations: ReadonlySet<string>): ReadonlySet<string> | null;
  /** The cell of one organization. Null if the cell of the organization has to be looked up. */
  home(organization: string): string | null;
  /** Looks up the cells of organizations. The result leaves out organizations that do not exist. */
  read(organizations: ReadonlySet<string>, look: Look): Promise<Map<string, string>>;
  readOnce(look: Look): Promise<void>;
  /** Reads the cells again, and forgets the cells of organizations if something was changed. */
  refresh(look: Look): Promise<void>;
  /**
   * If the database has several cells, reads the number of the newest change with a cheaper statement. Returns whether
   * the cells were changed.
   */
  pulse(look: Look): Promise<boolean>;
};
type Look = (query: { text: string; values?: unknown[] }) => Promise<{ rows: unknown[] }>;
type State = { version: number; moving: Record<string, number> };
type Cells = { cells: string[]; tables: string[]; citus: boolean };

/**
 * The state contains the remaining time in place of a clock time, because the clocks of this process and of the
 * database differ.
 */
const STATE = `coalesce((SELECT cells_version FROM public.installation), 0) AS version,
  (SELECT coalesce(json_object_agg(organization_id, extract(epoch FROM until - now()) * 1000), '{}')
    FROM public.organization_move WHERE until > now()) AS moving`;

/** A cached organization takes about 100 bytes. */
const MOST_ORGANIZATIONS = 200_000;

/** An organization that is being moved stays closed for longer than this without a renewal (close-organization.ts). */
const STALE_AFTER_MS = 5_000;

/** On Citus, the schema `public` is a cell only if it has organizations of an earlier installation. */
const CELLS = `
  WITH known AS (SELECT ARRAY(SELECT name FROM public.cell WHERE ready ORDER BY created_at, name) AS names,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus)
  SELECT ${STATE}, citus,
    CASE WHEN citus AND names <> '{}' AND NOT EXISTS (SELECT FROM public.organization WHERE cell = 'public') THEN names
      ELSE ARRAY['public'] || names END AS cells,
    ARRAY(SELECT relname::text FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> ALL ($1)) AS tables
  FROM known`;

export function createCellDirectory(clock: Clock = systemClock): CellDirectory {
  let cells: readonly string[] = [DEFAULT_CELL];
  let version: number | null = null;
  let reading: Promise<void> | null = null;
  let kindOf: (text: string) => StatementKind = createStatementReader(new Set());
  const homes = createHomes();
  let readAt = { monotonic: -Infinity, wall: -Infinity };
  let shards: ReadonlyMap<string, CellShards> = new Map();

  const moving = new Map<string, number>();
  // Once a process has used several cells, the process always sets the search path of its connections.
  let isSingle = true;

  const now = () => ({ monotonic: clock.monotonic(), wall: clock.wall() });

  /** Returns whether the cells, or the cells of organizations, were changed. */
  const note = (state: State, sentAt: typeof readAt): boolean => {
    // An older state is ignored, because an earlier statement on another connection read it.
    if (version !== null && state.version < version) return false;
    readAt = sentAt;
    moving.clear();
    for (const [id, remainingMs] of Object.entries(state.moving)) moving.set(id, clock.monotonic() + remainingMs);
    if (state.version === version) return false;
    homes.clear();
    return true;
  };

  const refresh = async (look: Look): Promise<void> => {
    const { rows } = await look({ text: `SELECT to_regclass('public.organization_move') IS NOT NULL AS known` });
    // The tables of cells do not exist in the database of an older version.
    if (!(rows as { known: boolean }[])[0]!.known) return;
    const sentAt = now();
    const read = await look({ text: CELLS, values: [REGION_TABLES] });
    const row = (read.rows as (State & Cells)[])[0]!;
    if (!note(row, sentAt) && row.cells.length === cells.length) return;
    if (version !== null && row.version < version) return;
    if (row.citus) shards = await readAllShards(look);
    version = row.version;
    cells = row.cells;
    isSingle &&= cells.length === 1 && cells[0] === DEFAULT_CELL;
    homes.clear();
    kindOf = createStatementReader(new Set(row.tables));
  };

  const pulse = async (look: Look): Promise<boolean> => {
    if (isSingle) return false;
    const sentAt = now();
    const { rows } = await look({ text: `SELECT ${STATE}` });
    if (!note((rows as State[])[0]!, sentAt)) return false;
    await refresh(look);
    return true;
  };

  return {
    get cells() {
      return cells;
    },
    version: () => version ?? 0,
    changes: homes.changes,
    isSingle: () => isSingle,
    // The monotonic clock stops while the machine is suspended.
    isStale: () => Math.max(clock.monotonic() - readAt.monotonic, clock.wall() - readAt.wall) > STALE_AFTER_MS,
    isMoving: (organization) => moving.size > 0 && (moving.get(organization) ?? 0) > clock.monotonic(),
    kindOf: (text) => kindOf(text),
    shardsOf: (cell) => shards.get(cell) ?? null,
    placeOf: (cell) => shards.get(cell)?.node ?? cell,
    known: homes.known,
    home: homes.home,
    read: homes.read,
    readOnce: (look) => {
      reading ??= refresh(look).catch((error: unknown) => {
        reading = null;
        throw error;
      });
      return reading;
    },
    refresh,
    pulse,
  };
}

type Homes = Pick<CellDirectory, 'changes' | 'known' | 'home' | 'read'> & { clear(): void };

/** The cells of organizations. */
function createHomes(): Homes {
  const homes = new Map<string, string>();
  let changes = 0;
  return {
    clear: () => {
      changes++;
      homes.clear();
    },
    changes: () => changes,
    known(organizations) {
      const found = new Set<string>();
      for (const id of organizations) {
        const home = homes.get(id);
        if (home === undefined) return null;
        found.add(home);
      }
      return found;
    },
    home: (organization) => homes.get(organization) ?? null,
    async read(organizations, look) {
      for (;;) {
        const known = changes;
        const found = await look({
          text: 'SELECT id, cell FROM public.organization WHERE id = ANY ($1)',
          values: [[...organizations]],
        });
        // An organization may have been moved since the statement ran.
        if (known !== changes) continue;
        const rows = found.rows as { id: string; cell: string }[];
        if (homes.size > MOST_ORGANIZATIONS) homes.clear();
        for (const { id, cell } of rows) homes.set(id, cell);
        return new Map(rows.map(({ id, cell }) => [id, cell]));
      }
    },
  };
}

async function readAllShards(look: Look): Promise<ReadonlyMap<string, CellShards>> {
  const { rows } = await look({ text: SHARDS });
  const found = rows as { cell: string; name: string; shard: string; id: string; node: string }[];
  const region = found.filter(({ cell }) => cell === DEFAULT_CELL);
  const byCell = Map.groupBy(
    found.filter(({ cell }) => cell !== DEFAULT_CELL),
    ({ cell }) => cell,
  );
  return new Map(
    [...byCell].map(([cell, own]) => [
      cell,
      {
        names: new Map([...region, ...own].map(({ name, shard }) => [name, shard])),
        shardId: own[0]!.id,
        node: own[0]!.node,
      },
    ]),
  );
}
