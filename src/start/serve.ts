import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type App, createApp, type Role } from '../app/app.ts';
import type { Secrets } from '../config/secrets.ts';
import { type Config, withPort } from '../config/config.ts';
import { createLogger, type Logger } from '../kernel/log.ts';
import { ownVersion } from '../kernel/own-files.ts';
import { StartError } from '../kernel/start-error.ts';
import { type Db, openDb } from '../store/db.ts';
import { moveSecrets } from '../store/installation/move-secrets.ts';
import { withoutPrepared } from '../store/pooler.ts';
import { openDatabase } from './open-database.ts';
import { greet } from './greet.ts';
import { prepareStart } from './prepare-start.ts';
import { readConfig } from './read-config.ts';

/** A load balancer has this time to notice that `/ready` fails, before connections are refused. */
const NOTICE_MS = 1_500;
/** A stop that hangs is ended after this time, because the documentation promises "drained in 30 s". */
const STOP_WITHIN_MS = 29_000;
/** The limit is needed because the reader of the log may have stopped reading. */
const LAST_LINES_WITHIN_MS = 1_000;

/** Starts all parts for this process's role, prints the address, and stops cleanly on SIGTERM, SIGINT and SIGHUP. */
export async function serve(role: Role): Promise<void> {
  let config = readConfig((text) => process.stderr.write(`${text}\n`));
  const pretty = config.logFormat === null ? process.stdout.isTTY : config.logFormat === 'pretty';
  const log = createLogger({ level: config.logLevel, pretty });
  if (role !== 'worker') config = withPort(config, await findPort(config));

  let app: App | null = null;
  // The stop functions of all started parts, in the order of the start. Services are stopped in reverse order, even if
  // a signal arrives during the start.
  const started: (() => Promise<unknown>)[] = [];
  const stopStarted = async (noticeMs = 0) => {
    app?.leave();
    await pause(app ? noticeMs : 0);
    for (const stop of started.splice(0).toReversed()) {
      await stop().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
    }
  };
  const end = createEnd(log, stopStarted);

  try {
    const database = await openDatabase(config, log);
    started.push(() => database.stop());
    const db = openDb(database.pooler?.url ?? database.url, {
      role,
      // The embedded database ends connections that the pool has not closed yet.
      onError: ({ message }) =>
        log[end.isEnding() ? 'debug' : 'warn']({ reason: message }, 'a database connection broke'),
    });
    if (database.pooler?.keepsPrepared === false) withoutPrepared(db);
    started.push(() => db.$client.end());
    app = await createApp({ config, db, databaseUrl: database.url, log, role, version: ownVersion() });
    const { stop } = app;
    started.push(stop);
    const prepared = await prepareStart({
      config,
      db,
      secrets: app.secrets,
      sessions: app.sessions,
      role,
      fresh: database.fresh,
    });
    const address = await app.start();
    if (role !== 'api') void moveWhatIsLeft(db, app.secrets, log);
    await greet({ config, db, role, address, prepared });
  } catch (error) {
    await stopStarted();
    // A start that is interrupted by a stop reports no error.
    if (!end.isEnding()) throw portProblem(config, error);
  }
}

/**
 * A process that ran during a rotation of PARLEY_SECRET wrote the old form until its end. The next start moves the data
 * of such a process.
 */
async function moveWhatIsLeft(db: Db, secrets: Secrets, log: Logger): Promise<void> {
  if (secrets.generation === 0 || secrets.generation !== secrets.newestGeneration) return;
  await moveSecrets(db, secrets).catch((error: unknown) =>
    log.warn(
      { err: error },
      'what is left under an older PARLEY_SECRET could not be moved; the next start tries again',
    ),
  );
}

/** Ends the process in order and within the time limit, after signals and unexpected errors. */
function createEnd(log: Logger, stopStarted: (noticeMs: number) => Promise<void>) {
  let isEnding = false;
  const end = async (why: string, code: number, noticeMs = 0) => {
    if (isEnding) return;
    isEnding = true;
    log.info(`stopping: ${why}`);
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await stopStarted(noticeMs);
    setTimeout(leaveAtOnce, LAST_LINES_WITHIN_MS);
    log.flush(() => process.exit(code));
  };
  process.on('SIGTERM', () => void end('SIGTERM', 0, NOTICE_MS));
  // A user at a terminal either waits for the stop or has closed the terminal.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(signal, 0));
  // The greeting may be written to a closed terminal or to a file on a full disk. The log handles failures of the
  // standard output separately.
  process.stdout.on('error', () => {});
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an unexpected error');
    void end('an unexpected error', 1);
  });
  return { isEnding: () => isEnding };
}

/** A line that waits for its reader in write(2) blocks exit(3) forever, so the process ends itself with a signal. */
function leaveAtOnce(): void {
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}

/**
 * The port is checked before anything is started or created, so that an accidental second start has no effect. Port 0
 * becomes the port that the system chooses.
 */
async function findPort({ host, port }: Config): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  }).catch((error: unknown) => {
    throw portProblem({ host, port }, error);
  });
}

function portProblem({ host, port }: Pick<Config, 'host' | 'port'>, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is used by another program, perhaps by another Parley.`,
        `Stop the other program, or start with another port: PORT=${port + 1} npm start`,
      );
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}.`, 'Use a port above 1023: PORT=4000 npm start');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST=${host} is not an address of this machine.`,
        'Use 127.0.0.1 or 0.0.0.0, or unset HOST.',
      );
    default:
      return error;
  }
}
