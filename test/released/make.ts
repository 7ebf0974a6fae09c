import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hashesOf } from '../../scripts/check-migrations.ts';
import { createWorld } from '../attack/world.ts';
import { startWatchedServer } from '../attack/watched-server.ts';
import { runProgram } from '../program.ts';
import type { Facts } from './facts.ts';

/**
 * The command `node test/released/make.ts` stores the data of this version in test/released/VERSION/. A real server
 * gets one record of each kind through its own API, and `backup` writes the file. `npm run release` calls this script
 * (README.md).
 */
const HERE = import.meta.dirname;
const { version } = JSON.parse(readFileSync(path.join(HERE, '../../package.json'), 'utf8')) as { version: string };
const secret = randomBytes(48).toString('base64');
const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-released-'));
chmodSync(dataDir, 0o711);
const env = { DATA_DIR: dataDir, PARLEY_SECRET: secret };
const server = await startWatchedServer({ ...env, PARLEY_EGRESS_ALLOW: '127.0.0.1' });

try {
  const world = await createWorld(server, secret);
  const headersOf = (name: string) => Object.fromEntries(world.actors.find((one) => one.name === name)!.headers);
  const call = async (method: string, to: string, headers: Record<string, string>, body: object) => {
    const answer = await fetch(server.url + to, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${to} answers ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const first = (kind: string): string => world.planted[kind]![0]!;
  const trigger = `/api/triggers/${first('agent')}/${first('trigger')}`;
  const key = headersOf('key');
  await call(
    'POST',
    trigger,
    { ...key, prefer: 'wait=20', 'idempotency-key': 'once' },
    { message: 'When do you open?' },
  );
  await call('POST', '/api/end-users', key, { external_id: 'p-1', name: 'Asha', email: 'asha@shop.example' });

  const signedIn = await call('POST', '/dashboard/api/sign-in', {}, server.owner);
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';', 1)[0]!).join('; '); // prettier-ignore
  const orgId = first('org');
  const campaign = `/organizations/${orgId}/campaigns/${first('campaign')}`;
  await call('POST', `/dashboard/api${campaign}/start`, { cookie }, {});
  const person = { end_user: { external_id: 'p-2', name: 'Ravi' } };
  await call('POST', `/api/campaigns/${first('campaign')}/recipients`, headersOf('campaign key'), {
    recipients: [person],
  });

  const file = path.join(dataDir, 'backup.gz');
  const backup = runProgram(env, ['backup', file]);
  if ((await backup.stop('SIGCONT')) !== 0) throw new Error(backup.output());
  await world.close();
  const folder = path.join(HERE, version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copyFileSync(file, path.join(folder, 'backup.gz'));
  chmodSync(path.join(folder, 'backup.gz'), 0o644);
  const facts: Facts = {
    version,
    secret,
    owner: server.owner,
    authorization: key['Authorization']!,
    trigger,
    org_id: orgId,
    migrations: hashesOf(),
    rows: rowsIn(file),
  };
  writeFileSync(path.join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  console.log(`test/released/${version}: ${Object.keys(facts.rows).length} tables with rows`);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Returns the number of rows per table in a backup, without empty tables. */
function rowsIn(file: string): Record<string, number> {
  const rows: Record<string, number> = {};
  let table = '';
  for (const line of gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(1, -1)) {
    const read = JSON.parse(line) as { table?: string; columns?: unknown };
    if (read.table !== undefined && read.columns !== undefined) table = read.table;
    else rows[table] = (rows[table] ?? 0) + 1;
  }
  return rows;
}
