import { adoptNextSecret, hasNextSecret, makeNextSecret } from '../config/secret-file.ts';
import type { Config } from '../config/config.ts';
import { pastSecretKey, type SecretHistory, secretsOf } from '../config/secrets.ts';
import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { type Db, openDb, type Queryable } from '../store/db.ts';
import { readInstallation } from '../store/installation/installation.ts';
import { type Moved, moveSecrets } from '../store/installation/move-secrets.ts';
import { switchSecret } from '../store/installation/past-secrets.ts';
import { countProcessesWithout } from '../store/installation/processes.ts';
import { checkOf, historyOf } from '../app/load-secrets.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

type Given = Pick<Config, 'secret' | 'previousSecret'>;

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * The command `./parley secrets rotate` works with or without running servers. If the command is killed, the next run
 * continues. If the secret is in DATA_DIR, the command creates the new secret. For a secret from the environment, the
 * operator sets the successor.
 */
export async function runRotateSecrets(): Promise<void> {
  const config = readConfig(warn, { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    const given = config.hasOwnSecret ? await withNextSecret(db, config) : config;
    const { generation, ...moved } = await rotateSecrets(db, given);
    if (config.hasOwnSecret) adoptNextSecret(config.dataDir);
    process.stdout.write(`${JSON.stringify({ rotations: generation, moved })}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
}

/**
 * A rotation in progress, or a rotation after the time of a restored backup, is finished before another rotation
 * starts.
 */
async function withNextSecret(db: Db, config: Config): Promise<Given> {
  if (hasNextSecret(config.dataDir)) return config;
  const { chain, generation } = await readHistory(db, config);
  if (chain.length - 1 > generation) return config;
  makeNextSecret(config.dataDir);
  return readConfig(() => {}, { mustExist: true });
}

/** `onStep` is called between the transactions. */
export async function rotateSecrets(
  db: Db,
  config: Given,
  onStep: () => void = () => {},
): Promise<Moved & { generation: number }> {
  const history = await readHistory(db, config);
  const newest = history.chain.length - 1;
  if (newest > history.generation) await begin(db, history, newest, onStep);
  else if (config.previousSecret === null && newest === 0) {
    throw new StartError(
      'No new secret is set.',
      'On every process, set PARLEY_SECRET to a new secret and PARLEY_SECRET_PREVIOUS to the current secret (docs/operations.md).',
    );
  }
  const keys = secretsOf({ ...history, generation: newest });
  return { generation: newest, ...(await moveSecrets(db, keys, onStep)) };
}

async function readHistory(db: Db, given: Given): Promise<SecretHistory> {
  const row = await readInstallation(db);
  if (!row) throw new StartError('The database contains no installation.', 'Start Parley on this database first.');
  return historyOf(db, row, given);
}

/**
 * Data that an earlier rotation has not moved yet is moved first, because servers can read data of only one earlier
 * secret.
 */
async function begin(db: Db, history: SecretHistory, newest: number, onStep: () => void): Promise<void> {
  await insistOnProcesses(db, newest);
  await moveSecrets(db, secretsOf(history), onStep);
  const past = history.chain.slice(0, newest);
  const next = history.chain[newest]!;
  await db.transaction(async (tx) => {
    await switchSecret(tx, {
      from: history.generation,
      checkBefore: checkOf(past.at(-1)!),
      check: checkOf(next),
      key: pastSecretKey(next),
      past,
    });
    // A process that has started since the first count is counted here, or it reads the new generation and ends.
    await insistOnProcesses(tx, newest);
  });
  onStep();
}

/** Throws if a running process could not read data under the new secret. */
async function insistOnProcesses(db: Queryable, newest: number): Promise<void> {
  const without = await countProcessesWithout(db, newest);
  if (without === 0) return;
  throw new StartError(
    `${without === 1 ? 'A process runs that does' : `${without} processes run that do`} not know the new secret: nothing was changed.`,
    'Restart every process with PARLEY_SECRET and PARLEY_SECRET_PREVIOUS set (with a secret in DATA_DIR: restart without a change), then run the command again.',
  );
}
