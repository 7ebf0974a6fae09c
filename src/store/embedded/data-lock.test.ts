import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findHolder, lockDataFolder } from './data-lock.ts';

let dataDir: string;
const elsewhere = { pid: process.pid, started: '1', world: 'another container', since: '2026-01-01T00:00:00.000Z' };
const lockFile = (): string => path.join(dataDir, 'parley.lock');

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-lock-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('exactly one of many simultaneous starters gets the lock', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataFolder(dataDir)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(dataDir)).toEqual(['parley.lock']);
});

test('the lock is free again after its release, and names its holder before', async () => {
  const lock = await lockDataFolder(dataDir);
  expect(await findHolder(dataDir)).toEqual({ pid: process.pid });
  lock.release();
  expect(await findHolder(dataDir)).toBeNull();
  (await lockDataFolder(dataDir)).release();
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a start replaces an unreadable lock', async () => {
  writeFileSync(lockFile(), 'half a lo');
  const lock = await lockDataFolder(dataDir);
  expect(await findHolder(dataDir)).toEqual({ pid: process.pid });
  lock.release();
});

test('the lock stays with a process in another container while that process renews it', async () => {
  writeFileSync(lockFile(), JSON.stringify(elsewhere));
  const heartbeat = setInterval(() => utimesSync(lockFile(), new Date(), new Date()), 500);
  await expect(lockDataFolder(dataDir)).rejects.toThrow(/Another Parley/);
  clearInterval(heartbeat);
});

test('the lock is taken over from a process in another container that no longer renews it', async () => {
  writeFileSync(lockFile(), JSON.stringify(elsewhere));
  const lock = await lockDataFolder(dataDir);
  expect(await findHolder(dataDir)).toEqual({ pid: process.pid });
  lock.release();
});
