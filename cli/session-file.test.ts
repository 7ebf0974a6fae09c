import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, errorOf, runCli, type Stage, stageSignedIn } from './testing/run-cli.ts';

let home: string;
let server: Stage;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'parley-cli-'));
  server = await stageSignedIn((_seen, reply) => answer(reply, 204, null));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const LOGIN = ['login', '--email', 'asha@example.qa', '--password-stdin'];
const login = (env: Record<string, string>) => runCli(LOGIN, { PARLEY_URL: server.url, ...env }, 'correct horse\n');

describe('login', () => {
  test('login stores a session that only its owner can read, and no password', async () => {
    expect(await login({ HOME: home })).toMatchObject({ code: 0, stderr: '' });
    const folder = path.join(home, '.config', 'parley');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['sessions.json']);
    const file = path.join(folder, 'sessions.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('correct horse');
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ email: 'asha@example.qa', password: 'correct horse' });
  });

  test('later commands use the session of their server', async () => {
    await login({ HOME: home });
    expect((await runCli(['whoami'], { HOME: home, PARLEY_URL: server.url })).code).toBe(0);
    await using other = await stageSignedIn((_seen, reply) => answer(reply, 204, null));
    expect(errorOf(await runCli(['whoami'], { HOME: home, PARLEY_URL: other.url })).code).toBe('session_missing');
    expect(other.seen).toEqual([]);
  });

  test('PARLEY_CONFIG_DIR has priority over XDG_CONFIG_HOME for the folder of the session', async () => {
    await login({ HOME: home, XDG_CONFIG_HOME: path.join(home, 'xdg') });
    expect(existsSync(path.join(home, 'xdg', 'parley', 'sessions.json'))).toBe(true);
    await login({ XDG_CONFIG_HOME: path.join(home, 'no'), PARLEY_CONFIG_DIR: path.join(home, 'own') });
    expect(existsSync(path.join(home, 'own', 'sessions.json'))).toBe(true);
    expect(existsSync(path.join(home, 'no'))).toBe(false);
  });

  test('the error names the variable to set if there is no folder for the session', async () => {
    const error = errorOf(await login({}));
    expect(error).toEqual({ code: 'config_unusable', message: expect.stringContaining('Set PARLEY_CONFIG_DIR') });
    // A place where even root cannot create a folder.
    expect(errorOf(await login({ PARLEY_CONFIG_DIR: '/proc/parley' })).code).toBe('config_unusable');
  });

  test('logout ends the session, on the server too', async () => {
    await login({ HOME: home });
    expect((await runCli(['logout'], { HOME: home, PARLEY_URL: server.url })).code).toBe(0);
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', url: '/dashboard/api/sign-out' });
    expect(errorOf(await runCli(['whoami'], { HOME: home, PARLEY_URL: server.url })).code).toBe('session_missing');
  });

  test('without a terminal for a prompt, the error names the flag for the e-mail address or password', async () => {
    expect(errorOf(await runCli(['login'], { HOME: home })).message).toContain('--email');
    expect(errorOf(await runCli(['login', '--email', 'a@b.c'], { HOME: home })).message).toContain('--password-stdin');
  });
});

describe('the file of sessions', () => {
  test('a damaged or unreadable session file is reported and never replaced silently', async () => {
    const file = path.join(home, 'sessions.json');
    writeFileSync(file, '{"http');
    const env = { PARLEY_CONFIG_DIR: home, PARLEY_URL: server.url };
    expect(errorOf(await runCli(['whoami'], env))).toEqual({
      code: 'config_unusable',
      message: expect.stringContaining('damaged'),
    });
    expect(errorOf(await login({ PARLEY_CONFIG_DIR: home })).code).toBe('config_unusable');
    expect(readFileSync(file, 'utf8')).toBe('{"http');
  });

  test('two logins at the same time store both sessions', async () => {
    const file = path.join(home, 'sessions.json');
    const other = { 'http://other.example': { email: 'asha@example.qa', cookie: 'c', saved_at: '' } };
    // Another login holds the lock.
    writeFileSync(`${file}.lock`, '');
    const second = login({ PARLEY_CONFIG_DIR: home });
    await expect.poll(() => server.seen.length).toBe(1);
    await pause(500);
    expect(readdirSync(home)).toEqual(['sessions.json.lock']);
    writeFileSync(`${file}.lock`, JSON.stringify(other));
    renameSync(`${file}.lock`, file);
    expect(await second).toMatchObject({ code: 0, stderr: '' });
    const stored = JSON.parse(readFileSync(file, 'utf8')) as object;
    expect(Object.keys(stored)).toEqual(['http://other.example', server.url]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(['sessions.json']);
  });

  test('the error names the lock of a login that crashed', { tags: ['long'] }, async () => {
    const lock = path.join(home, 'sessions.json.lock');
    writeFileSync(lock, '');
    const { code, message } = errorOf(await login({ PARLEY_CONFIG_DIR: home }));
    expect([code, message]).toEqual(['config_unusable', expect.stringContaining(lock)]);
  });

  test('a session file that others could read becomes private', async () => {
    const file = path.join(home, 'sessions.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o644);
    await login({ PARLEY_CONFIG_DIR: home });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
