import pg from 'pg';
import { type CellSlots, createCellSlots } from './cell-slots.ts';
import { type CellDirectory, createCellDirectory } from './directory.ts';
import { createNodeStatements } from './node-statements.ts';
import { knownCell, queryOf, routeConnection } from './route-connection.ts';
import type { RoutedClient } from './routed-client.ts';
import { keepsConnection } from './send-in-time.ts';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * The pool of a database with cells (docs/adr/0501). A cell is a schema with all tenant tables. A statement runs with
 * the search path of the cell that contains the organization. No other code knows about cells, except batches and work
 * on all organizations (by-cell.ts). If the installation has one cell, which is the schema `public`, statements pass
 * through unchanged.
 */
export class CellPool extends pg.Pool {
  readonly directory: CellDirectory = createCellDirectory();
  readonly slots: CellSlots;
  private uses = 0;

  constructor({
    onConnect,
    ...config
  }: Omit<pg.PoolConfig, 'onConnect'> & { onConnect(client: pg.ClientBase): Promise<void> }) {
    const onNodes = createNodeStatements(config, (cell) => this.directory.shardsOf(cell));
    const slots = createCellSlots(config.max ?? 10, (cell) => this.directory.placeOf(cell));
    super({
      ...config,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, although its types do not say so
      onConnect: async (client) => {
        await onConnect(client);
        const look = (query: pg.QueryConfig) => client.query(query);
        await this.directory.readOnce(look);
        // After a suspended process continues, an organization may have been moved and the old connections ended.
        await this.directory.pulse(look);
        routeConnection(client as RoutedClient, this.directory, slots, onNodes);
      },
    });
    this.slots = slots;
    for (const use of ['acquire', 'release'] as const)
      this.on(use, () => {
        this.uses++;
      });
    const { query } = this;
    // oxlint-disable-next-line func-names -- `this` may be the pool of one cell
    this.query = function (this: CellPool, ...args: unknown[]) {
      const send = (): unknown => query.apply(this, args as never);
      const cell = this.cellWithoutRoom(args);
      return cell === undefined ? send() : this.slots.room(cell).then(send);
    } as pg.Pool['query'];
  }

  /**
   * How often a connection was taken or given back. With several cells, how often the cell of this pool was used. If
   * two calls return an equal number, this process sent nothing between the calls. Null: a connection is in use.
   */
  useCount(): number | null {
    if (this.cell !== null && !this.directory.isSingle()) return this.slots.useCount(this.cell);
    return this.totalCount > this.idleCount ? null : this.uses;
  }

  /** A statement that has to wait for its cell takes no connection while it waits. */
  private cellWithoutRoom(args: unknown[]): string | undefined {
    if (this.directory.isSingle()) return undefined;
    const query = queryOf(args);
    if (query === null || !this.directory.kindOf(query.text).isOfTenants) return undefined;
    const cell = knownCell(this.directory, query);
    return cell === undefined || this.slots.hasRoom(cell) ? undefined : cell;
  }

  /**
   * The cell of statements that name no organization. The cell is null if there are several cells, and then the pool
   * refuses statements that name no organization.
   */
  get cell(): string | null {
    return null;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    if (callback === undefined) return super.connect().then((client) => fixed(client, this.cell));
    super.connect((error, client, done) => {
      const ours = client && fixed(client, this.cell);
      callback(error, ours, ours?.release ?? done);
    });
  }

  /** Returns the same pool for work on one cell. Work for a cell that hangs waits without a connection. */
  inCell(cell: string): CellPool {
    const connect = (callback?: Connected): unknown => {
      if (callback === undefined) return this.slots.room(cell).then(async () => inside(await this.connect(), cell));
      /* oxlint-disable promise/no-callback-in-promise -- `pool.query` of the driver waits with a function */
      return this.slots.room(cell).then(
        () => this.connect((error, client, done) => callback(error, client && inside(client, cell), done)),
        (error: Error) => callback(error, undefined, () => {}),
      );
      /* oxlint-enable promise/no-callback-in-promise */
    };
    return Object.create(this, { cell: { value: cell }, connect: { value: connect } }) as CellPool;
  }

  /** Reads the list of cells from the database. */
  refreshCells(): Promise<void> {
    return this.directory.refresh((query) => this.query(query));
  }

  /** Reads whether the cells, or the cells of organizations, have changed. */
  pulseCells(): Promise<boolean> {
    return this.directory.pulse((query) => this.query(query));
  }

  /** Returns the cells of the given organizations. The result leaves out unknown organizations. */
  async cellsOf(organizations: ReadonlySet<string>): Promise<Map<string, string>> {
    const cells = new Map<string, string>();
    const unknown = new Set<string>();
    for (const id of organizations) {
      const home = this.directory.home(id);
      if (home === null) unknown.add(id);
      else cells.set(id, home);
    }
    if (unknown.size === 0) return cells;
    return new Map([...cells, ...(await this.directory.read(unknown, (query) => this.query(query)))]);
  }
}

/** True if the database has more than one cell. */
export const hasCells = (pool: pg.Pool): boolean => pool instanceof CellPool && !pool.directory.isSingle();

/** Returns a connection for one use in this cell. */
function fixed(client: RoutedClient, cell: string | null): pg.PoolClient {
  const { release } = client;
  // The driver notices a destroyed connection only later, when another user could have it.
  client.release = (error) => release(client.connection.stream.destroyed || (keepsConnection(error) ? false : error));
  return inside(client, cell);
}

function inside(client: RoutedClient, cell: string | null): pg.PoolClient {
  if (client.path)
    Object.assign(client.path, { fixed: cell, isInTransaction: false, locksRegion: false, written: new Set() });
  return client;
}
