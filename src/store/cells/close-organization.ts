import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { StartError } from '../../kernel/start-error.ts';
import { GONE_AFTER_SECONDS } from '../installation/processes.ts';
import { CELLS_CHANGED } from './directory.ts';
import { moveFault } from './move-fault.ts';

/** If the command was killed, processes refuse the calls of the organization for this long after the last renewal. */
const CLOSED_SECONDS = 10;
const RENEW_MS = 2_000;
const PATIENCE_MS = 30_000;
const LOOK_MS = 50;

type Closed = {
  /** Stops the renewals of the closed time. The organization stays closed for some seconds after the last renewal. */
  stop(): Promise<void>;
};

/** Makes all processes refuse the calls of an organization, and returns when no such call is in progress. */
export async function closeOrganization(client: pg.Client, orgId: string, to: string): Promise<Closed> {
  let failed: unknown = null;
  let renewing: Promise<void> = Promise.resolve();
  /** After the closed time has ended, processes accept calls, so a late renewal must not hide the gap. */
  const renew = async (): Promise<void> => {
    const { rowCount } = await client.query(
      `UPDATE public.organization_move SET until = now() + make_interval(secs => $2)
       WHERE organization_id = $1 AND until > clock_timestamp()`,
      [orgId, CLOSED_SECONDS],
    );
    if (rowCount !== 1) throw interrupted();
  };
  await client.query(
    `INSERT INTO public.organization_move (organization_id, to_cell, until)
     VALUES ($1, $2, now() + make_interval(secs => $3))
     ON CONFLICT (organization_id) DO UPDATE SET to_cell = excluded.to_cell, until = excluded.until`,
    [orgId, to, CLOSED_SECONDS],
  );
  await client.query(CELLS_CHANGED);
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch((error: unknown) => void (failed ??= error));
  }, RENEW_MS);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await renewing;
    // oxlint-disable-next-line typescript/only-throw-error -- the error of the renewal
    if (failed !== null) throw failed;
  };
  try {
    await allProcessesKnow(client);
    await endSilentConnections(client);
    await transactionsEnd(client);
    return { stop };
  } catch (error) {
    clearInterval(timer);
    throw error;
  }
}

const interrupted = (): StartError => moveFault('The move was interrupted for too long.');

/**
 * Ends the closed time inside the transaction of the move. The function fails if processes may have accepted calls
 * during the move, because the renewals were late. If the function fails, the organization is still in its old cell.
 */
export async function openInNewCell(client: pg.Client, orgId: string): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE public.organization_move SET until = '-infinity' WHERE organization_id = $1 AND until > clock_timestamp()`,
    [orgId],
  );
  if (rowCount !== 1) throw interrupted();
  await client.query(CELLS_CHANGED);
}

export async function openAgain(client: pg.Client, orgId: string): Promise<void> {
  await client.query(`UPDATE public.organization_move SET until = '-infinity' WHERE organization_id = $1`, [orgId]);
  await client.query(CELLS_CHANGED);
}

const notNoticed = (): StartError =>
  moveFault('A process of Parley does not notice the move.', 'Restart the process and try again.');

/** Returns when all running processes know the newest change of the cells. Throws `late()` after 30 s. */
export async function allProcessesKnow(client: pg.Client, late: () => StartError = notNoticed): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const { rowCount } = await client.query(
      `SELECT FROM public.running_process p JOIN public.installation i ON p.cells_version < i.cells_version
       WHERE p.seen_at > now() - make_interval(secs => $1) LIMIT 1`,
      [GONE_AFTER_SECONDS],
    );
    if (rowCount === 0) return;
    if (performance.now() > end) throw late();
  }
}

/**
 * A suspended process knows the old cell and has open connections. After its connections were ended, the suspended
 * process reads the cells again before its next statement. A running process opens a new connection without a failure.
 */
async function endSilentConnections(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
       AND application_name LIKE 'parley%' AND state LIKE 'idle%' AND state_change < now() - make_interval(secs => $1)
       AND EXISTS (SELECT FROM public.running_process WHERE seen_at < now() - make_interval(secs => $1))`,
    [GONE_AFTER_SECONDS],
  );
}

/** Returns when all transactions have ended that are in progress now. */
async function transactionsEnd(client: pg.Client): Promise<void> {
  const open = async (pids: readonly number[] | null): Promise<Map<number, string>> => {
    const { rows } = await client.query<{ pid: number; at: string }>(
      `SELECT pid, xact_start::text AS at FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
         AND application_name LIKE 'parley%' AND application_name NOT LIKE 'parley backup%'
         AND ($1::int[] IS NULL OR pid = ANY ($1))`,
      [pids],
    );
    return new Map(rows.map(({ pid, at }) => [pid, at]));
  };
  const before = await open(null);
  for (const end = performance.now() + PATIENCE_MS; before.size > 0; await pause(LOOK_MS)) {
    const now = await open([...before.keys()]);
    for (const [pid, at] of before) if (now.get(pid) !== at) before.delete(pid);
    if (performance.now() > end) throw moveFault('A transaction of Parley does not end.');
  }
}
