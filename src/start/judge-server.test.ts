import { describe, expect, test } from 'vitest';
import type { ServerReport } from '../store/installation/server-report.ts';
import { judgeServer } from './judge-server.ts';

const here = new Date('2026-11-22T12:00:00Z');
const well: ServerReport = {
  version: 150_018,
  settings: {
    server_version: '15.18',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    synchronous_standby_names: '',
    autovacuum: 'on',
    jit: 'on',
    max_connections: '100',
    superuser_reserved_connections: '3',
    max_wal_size: '1024',
  },
  encoding: 'UTF8',
  now: here,
  roundTripMs: 0.2,
  standbys: 0,
  connections: 20,
  processes: 2,
  pausedAt: null,
  neverAnalyzed: [],
  checkpoints: { requested: 0, timed: 30 },
};
const judged = (change: Partial<ServerReport>) => judgeServer({ ...well, ...change }, { place: 'db/parley', here });
const set = (settings: Partial<ServerReport['settings']>) => ({ settings: { ...well.settings, ...settings } });

test('a server with the settings of its package has no findings', () => {
  const findings = judged({});
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([]);
});

describe('a finding with its solution:', () => {
  test.each<[string, Partial<ServerReport>, string, string]>([
    ['an old version', { version: 140_000 }, 'database', 'fail'],
    ['another encoding', { encoding: 'SQL_ASCII' }, 'database', 'fail'],
    ['a far database', { roundTripMs: 12 }, 'database', 'warn'],
    ['fsync = off', set({ fsync: 'off' }), 'durability', 'fail'],
    ['full_page_writes = off', set({ full_page_writes: 'off' }), 'durability', 'fail'],
    ['an asynchronous standby', { standbys: 1 }, 'replication', 'warn'],
    ['a synchronous standby that is gone', set({ synchronous_standby_names: 'b' }), 'replication', 'fail'],
    [
      'commits that do not wait for the standby',
      { ...set({ synchronous_standby_names: 'b', synchronous_commit: 'local' }), standbys: 1 },
      'replication',
      'warn',
    ],
    ['another time', { now: new Date(here.getTime() + 9_000) }, 'database clock', 'warn'],
    ['a pause', { pausedAt: '2026-11-25T06:00:00Z' }, 'sending', 'warn'],
    ['too few connections', { processes: 6 }, 'connections', 'warn'],
    ['autovacuum = off', set({ autovacuum: 'off' }), 'statistics', 'fail'],
    ['tables without statistics', { neverAnalyzed: [{ name: 'run', rows: 5_000 }] }, 'statistics', 'warn'],
    ['checkpoints by size', { checkpoints: { requested: 40, timed: 3 } }, 'checkpoints', 'warn'],
  ])('the finding has a solution: %s', (_what, change, name, status) => {
    const found = judged(change).filter((finding) => finding.status !== 'ok');
    expect(found).toEqual([{ name, status, detail: expect.any(String), fix: expect.any(String) }]);
  });
});

test('a synchronous standby has no findings', () => {
  const found = judged({ ...set({ synchronous_standby_names: 'b' }), standbys: 1 });
  expect(found.find(({ name }) => name === 'replication')).toMatchObject({ status: 'ok' });
});
