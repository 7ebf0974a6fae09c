import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../kernel/make-folder.ts';
import type { ConfigFault } from './environment.ts';

/**
 * PARLEY_SECRET is the root of every derived key. An embedded installation creates its own PARLEY_SECRET on the first
 * start. With an external database, the operator must set PARLEY_SECRET, because all nodes need the same secret. Text
 * that is not random (an example from a manual, a word, a pattern) is refused.
 */
const MIN_CHARACTERS = 32;
const MIN_DIFFERENT = 10;
/**
 * Matches words with six letters or more, or a single word as the whole secret. Only one of about a million random
 * secrets contains such a word.
 */
const PLACEHOLDER =
  /secret|change.?me|replace|placeholder|example|password|insert|openssl|default|letmein|0123456789|123456789|abcdefgh|qwerty|\b(your|paste|todo|dummy|test)\b/i;
const REPEATED = /^(.{1,16}?)\1+.{0,15}$/s;
const MAKE_ONE = 'Set PARLEY_SECRET to the output of "openssl rand -base64 48" (the same on every node).';

export function checkSecret(given: string | null, isNeeded: boolean): ConfigFault[] {
  const variable = 'PARLEY_SECRET';
  if (given === null) {
    return isNeeded ? [{ variable, fault: 'is missing, and DATABASE_URL is set', fix: MAKE_ONE }] : [];
  }
  if (given.length < MIN_CHARACTERS) {
    return [{ variable, fault: `is too short (fewer than ${MIN_CHARACTERS} characters)`, fix: MAKE_ONE }];
  }
  const isPattern = new Set(given).size < MIN_DIFFERENT || REPEATED.test(given) || PLACEHOLDER.test(given);
  return isPattern ? [{ variable, fault: 'is a placeholder or a pattern, not a random secret', fix: MAKE_ONE }] : [];
}

export function checkPrevious(given: string | null, previous: string | null): ConfigFault[] {
  const variable = 'PARLEY_SECRET_PREVIOUS';
  if (previous === null) return [];
  if (given === null) {
    const fix =
      'Set PARLEY_SECRET to the new secret, or remove PARLEY_SECRET_PREVIOUS: without the two variables, the secret in DATA_DIR is used.';
    return [{ variable, fault: 'is set, and PARLEY_SECRET is not', fix }];
  }
  if (given !== previous) return [];
  return [{ variable, fault: 'is the same as PARLEY_SECRET', fix: 'Set PARLEY_SECRET to the new secret.' }];
}

/** Checks that this folder contains an embedded installation. */
export const checkDatabase = (dataDir: string): ConfigFault[] =>
  existsSync(path.join(dataDir, 'postgres'))
    ? []
    : [
        {
          variable: 'DATA_DIR',
          fault: `names ${dataDir}, where there is no database`,
          fix: 'Set the DATA_DIR or the DATABASE_URL of the right installation.',
        },
      ];

type Own = { secret: string; previousSecret: string | null };

/** Visitors of web chats stay signed in for this time, which is the longest validity of any signature. */
const PREVIOUS_DAYS = 30;

/**
 * Reads the secrets of the embedded installation. During a rotation, the result is the next secret, with the current
 * secret as the previous secret. For some time after a rotation, the result is the new secret, with the old secret as
 * the previous secret.
 */
export function ownSecrets(dataDir: string): Own | ConfigFault {
  const current = secretOf(dataDir);
  if (typeof current !== 'string') return current;
  const { secret, next, previous } = filesIn(dataDir);
  const other = existsSync(next) ? next : existsSync(previous) ? previous : null;
  if (other === null) return { secret: current, previousSecret: null };
  if (other === previous && Date.now() - statSync(secret).mtimeMs > PREVIOUS_DAYS * 86_400_000) {
    unlinkSync(previous);
    return { secret: current, previousSecret: null };
  }
  const read = readSecret(other);
  if (typeof read !== 'string') return read;
  return other === next ? { secret: read, previousSecret: current } : { secret: current, previousSecret: read };
}

const filesIn = (dataDir: string) => ({
  secret: path.join(dataDir, 'secret'),
  next: path.join(dataDir, 'secret.next'),
  previous: path.join(dataDir, 'secret.previous'),
});

/** Reads the next secret of a rotation in progress. */
export const hasNextSecret = (dataDir: string): boolean => existsSync(filesIn(dataDir).next);

/** Creates the next secret of an embedded installation. The current secret becomes the previous secret. */
export function makeNextSecret(dataDir: string): void {
  writeNew(filesIn(dataDir).next);
}

/**
 * Replaces the current secret by the next secret, and stores the replaced secret in another file. The function is safe
 * to repeat after an interruption at any point.
 */
export function adoptNextSecret(dataDir: string): void {
  const { secret, next, previous } = filesIn(dataDir);
  if (!existsSync(next)) return;
  rmSync(previous, { force: true });
  linkSync(secret, previous);
  renameSync(next, secret);
}

/** Writes a file under another name first, so that no process reads an incomplete file. */
function writeNew(file: string): void {
  const own = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(own, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(own);
  }
}

/**
 * Reads the secret of the embedded installation. The first start creates the secret. Simultaneous starts agree on one
 * secret.
 */
function secretOf(dataDir: string): string | ConfigFault {
  const file = path.join(dataDir, 'secret');
  try {
    if (existsSync(file)) return readSecret(file);
    if (existsSync(path.join(dataDir, 'postgres'))) {
      return {
        variable: 'PARLEY_SECRET',
        fault: `is missing: there is a database in ${dataDir}, but the file "secret" beside it is gone`,
        fix: 'Restore the file from a backup, or set PARLEY_SECRET to its content. Without the secret, API keys and stored credentials do not work.',
      };
    }
    makeFolder(dataDir, 0o711);
    writeNew(file);
    return readSecret(file);
  } catch (error) {
    return {
      variable: 'DATA_DIR',
      fault: `names ${dataDir}, which cannot be used: ${words(error)}`,
      fix: 'Give this user write permission to the folder, or set another folder.',
    };
  }
}

function readSecret(file: string): string | ConfigFault {
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  const [fault] = checkSecret(secret, true);
  if (!fault) return secret;
  return {
    variable: 'PARLEY_SECRET',
    fault: `is wrong in the file ${file}: it ${fault.fault}`,
    fix: 'Restore the file from a backup. If there is no data yet, remove the file, and Parley creates a new one.',
  };
}

function words(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'there is a file of that name';
  if (code === 'ENOENT') return 'nothing can be made there';
  return message;
}
