import { type CellDirectory, DEFAULT_CELL } from './directory.ts';
import { type CellSlots, doesNotRespond } from './cell-slots.ts';
import { writesBeforeCommit } from './citus.ts';
import type { NodeStatements } from './node-statements.ts';
import { OrganizationMoving } from './organization-moving.ts';
import { ALL_NODES, closingAfterTimeouts, isAway, prepareInTime, sendToAllNodes } from './send-in-time.ts';
import type { Path, Query, RoutedClient, Send } from './routed-client.ts';
import { organizationsIn } from './statement.ts';

type Answered = (error: unknown, result?: unknown) => void;

export const pathOf = (cell: string): string => (cell === DEFAULT_CELL ? 'public' : `"${cell}", public`);

const newPath = (): Path => ({
  current: DEFAULT_CELL,
  fixed: null,
  isInTransaction: false,
  locksRegion: false,
  written: new Set(),
  pending: null,
});

/**
 * Replaces `query` of a new connection by a function that selects the cell. The change of the path and the statement
 * are sent together, so statements keep the order of their calls.
 */
export function routeConnection(
  client: RoutedClient,
  directory: CellDirectory,
  slots: CellSlots,
  onNodes: NodeStatements,
): void {
  const send = closingAfterTimeouts(client);
  const path = newPath();
  client.path = path;

  const sendIn = (cell: string | null, query: Query, rest: unknown[] = []): Promise<unknown> => {
    if (cell === null) return send(query, ...rest);
    enter(path, cell, send);
    if (directory.kindOf(query.text).isWrite) path.written.add(cell);
    const leave = slots.enter(cell);
    const ended = (error: unknown): void => leave(isAway(error));
    const [tell] = rest as [Answered?];
    const told: Answered | undefined =
      tell &&
      ((error, result) => {
        ended(error);
        // A caller with a callback rolls back its own transaction.
        tell(error, result);
      });
    const sent = onNodes.send(cell, withNameOf(cell, query), told ? [told] : [], send);
    if (sent instanceof Promise)
      sent.then(
        () => ended(null),
        (error: unknown) => {
          ended(error);
          path.current = null;
        },
      );
    return sent;
  };

  const look = (text: unknown) => send(text) as never;
  const find = async (query: Query): Promise<string | null> => {
    const { isOfTenants, isRead, organizations: at } = directory.kindOf(query.text);
    if (!isOfTenants) return null;
    if (directory.isStale()) await directory.pulse(look);
    const organizations = organizationsIn(query.values ?? [], at);
    const homes = organizations.size > 0 ? await directory.read(organizations, look) : null;
    const known = directory.changes();
    if (!isRead && path.fixed === null && organizations.values().some((id) => directory.isMoving(id)))
      throw new OrganizationMoving();
    const cell = onlyOf(new Set(homes?.values()), path.fixed, query);
    if (path.locksRegion && slots.hangs(cell)) throw doesNotRespond();
    await slots.room(cell);
    if (!onNodes.isReady(cell, query.text)) await prepareInTime(cell, slots, () => onNodes.prepare(cell, query.text));
    // An organization may have been closed or moved while the statement waited for the cell.
    return directory.changes() === known ? cell : find(query);
  };

  const routed = (...args: unknown[]): unknown => {
    if (directory.isSingle()) return send(...args);
    const query = queryOf(args);
    if (query === null) return send(...args);
    const rest = args.slice(1).filter((arg) => typeof arg === 'function');
    const kind = directory.kindOf(query.text);
    const { isOfTenants, isRollback, isCommit, isWrite } = kind;
    if (isRollback) path.current = null;
    const tell = rest[0] as Answered | undefined;
    if (isRollback && client.connection.stream.destroyed) return answered(Promise.resolve({ rows: [] }), tell);
    if (kind.isBegin || isCommit) path.isInTransaction = kind.isBegin;
    const nodes = kind.writesOnAllNodes ? onCitus(directory, directory.cells) : [];
    if (nodes.length > 0 && [ALL_NODES, ...nodes].some(slots.hangs))
      return answered(Promise.reject(doesNotRespond()), tell);
    if (isCommit && path.written.size > 0) return answered(commitOn(path, directory, slots, query, send), tell);
    if (isWrite && !isOfTenants) path.locksRegion = true;
    if (path.pending === null) {
      if (!isOfTenants && nodes.length > 0) return answered(sendToAllNodes(client, query, slots, send), tell);
      if (!isOfTenants) return sendIn(null, query, rest);
      // Just after a move, a worker of one cell may find an organization of another cell.
      const only = knownCell(directory, query);
      const isSent = only !== undefined && (path.fixed ?? only) === only;
      if (isSent && slots.hangs(only) && (path.locksRegion || !slots.hasRoom(only)))
        return answered(Promise.reject(doesNotRespond()), tell);
      if (isSent && slots.hasRoom(only) && onNodes.isReady(only, query.text)) return sendIn(only, query, rest);
    }
    const sent = afterPending(path, () => find(query)).then((cell) => sendIn(cell, query));
    return answered(sent, tell);
  };
  client.query = routed as typeof client.query;
}

/** Looks up the cell of a statement after the cells of the statements that were called earlier. */
function afterPending(path: Path, find: () => Promise<string | null>): Promise<string | null> {
  const found = (path.pending ?? Promise.resolve()).catch(() => {}).then(find);
  path.pending = found;
  const clear = (): void => {
    if (path.pending === found) path.pending = null;
  };
  found.then(clear, clear);
  return found;
}

const onCitus = (directory: CellDirectory, cells: Iterable<string>): string[] =>
  [...cells].filter((cell) => directory.shardsOf(cell) !== null);

async function commitOn(
  { locksRegion, written }: Path,
  directory: CellDirectory,
  slots: CellSlots,
  query: Query,
  send: Send,
): Promise<unknown> {
  try {
    const cells = locksRegion ? onCitus(directory, written) : [];
    if (cells.length > 0) for (const text of writesBeforeCommit(cells)) await send(text);
    return await send(query);
  } finally {
    for (const cell of written) slots.committed(cell);
  }
}

/**
 * The cell of the organization that the statement names. The result is undefined if the cell has to be looked up, or
 * the statement names organizations of several cells.
 */
export function knownCell(directory: CellDirectory, { text, values = [] }: Query): string | undefined {
  if (directory.isStale()) return undefined;
  const named = organizationsIn(values, directory.kindOf(text).organizations);
  if (named.values().some((id) => directory.isMoving(id))) return undefined;
  const homes = directory.known(named);
  const [only] = homes?.size === 1 ? homes : [];
  return only;
}

/** Null: a stream or a cursor, which only tasks with a connection of their own use. */
export function queryOf([first, values]: unknown[]): Query | null {
  const query = typeof first === 'string' ? { text: first } : (first as Query | null);
  if (typeof query?.text !== 'string') return null;
  return Array.isArray(values) ? { ...query, values } : query;
}

function enter(path: Path, cell: string, send: Send): void {
  if (path.current === cell) return;
  path.current = cell;
  send(`SET search_path TO ${pathOf(cell)}`).catch(() => (path.current = null));
}

/** A prepared statement belongs to one cell, so PostgreSQL does not plan the statement again for another cell. */
const withNameOf = (cell: string, query: Query): Query =>
  query.name === undefined || cell === DEFAULT_CELL ? query : { ...query, name: `${query.name}@${cell}` };

/** `pool.query` of the driver passes a callback, and all other callers use the promise. */
function answered(sent: Promise<unknown>, tell: Answered | undefined): Promise<unknown> | undefined {
  if (tell === undefined) return sent;
  sent.then((result) => tell(null, result), tell);
  return undefined;
}

function onlyOf(cells: ReadonlySet<string>, fixed: string | null, query: Query): string {
  // A worker of a cell may store the outcome of work that it began before an organization was moved.
  if (fixed !== null && cells.size > 1 && cells.has(fixed)) return fixed;
  const [cell = fixed] = cells;
  if (cells.size <= 1 && cell !== null) return cell;
  const what = cells.size === 0 ? 'names no organization' : 'names organizations of several cells';
  throw new UnroutedError(`The statement ${query.name ?? ''} ${what}: ${query.text.slice(0, 300)}`);
}

/** A statement that does not say in which cell it runs is a defect of the program. */
class UnroutedError extends Error {
  override name = 'UnroutedError';
}
