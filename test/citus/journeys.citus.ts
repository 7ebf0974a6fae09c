import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareInstallation } from '../prepare-installation.ts';
import { type CellRecord, listCells } from '../../src/store/cells/list-cells.ts';
import { moveOrganization } from '../../src/store/cells/move-organization.ts';
import { placeCell } from '../../src/store/cells/place-cells.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { ownFile } from '../../src/kernel/own-files.ts';
import { runProgram } from '../program.ts';
import { type CitusCluster, type CitusNode, inDatabase, readTables, startCitus } from './cluster.ts';
import { type Transaction, watchTransactions } from './watch-transactions.ts';

/**
 * The complete program on a cluster, with one organization on each worker. The test sets only the URL of the
 * coordinator.
 */
const SECRET = randomBytes(48).toString('base64');
let cluster: CitusCluster;
let parley: TestApp;
let cookie: string;
const orgs: string[] = [];
const committed: Transaction[] = [];
let insertedOrganizations = 0;
watchTransactions(
  (transaction) => void (transaction.isRouted && committed.push(transaction)),
  (text) => void (text.startsWith('insert into "organization"') && insertedOrganizations++),
);

const nodeOf = ({ port }: CitusNode): string => `127.0.0.1:${port}`;

const dashboard = async (call: string, body?: unknown): Promise<Answer> => {
  const [method, path] = call.split(' ') as [string, string];
  const answer = await parley.call(method, `/dashboard/api${path}`, { body, headers: { cookie: cookie ?? '' } });
  expect(answer.status, `${call}: ${answer.text}`).toBeLessThan(300);
  return answer;
};

beforeAll(async () => {
  cluster = await startCitus(process.env.CITUS_TREE!);
  parley = await startTestApp({ PARLEY_SECRET: SECRET }, { database: { url: cluster.url } as never });
  const { setupUrl } = await prepareInstallation({
    db: parley.db,
    sessions: parley.app.sessions,
    setupKey: parley.secrets.setupKey,
    baseUrl: parley.url,
    region: 'us',
    owner: null,
  });
  const signedUp = await dashboard('POST /setup', {
    token: new URL(setupUrl!).searchParams.get('token'),
    name: 'Asha Rao',
    email: 'asha@example.com',
    password: 'correct horse battery',
    organization_name: 'Northwind',
  });
  cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  orgs.push(signedUp.body.organizations[0].id);
  orgs.push((await dashboard('POST /organizations', { name: 'Southwind', plan: 'paid' })).body.id);
}, 300_000);
afterAll(async () => {
  await parley?.stop();
  await cluster?.stop();
});

test('a first start has made all cells, so "cells enable" makes no more', async () => {
  const command = runProgram(
    { DATABASE_URL: cluster.url, PARLEY_SECRET: SECRET },
    ['enable-cells', '2'],
    ownFile('dist/src/main.js'),
  );
  await command.printed('{"data":[]}');
  expect((await listCells(parley.db)).map(({ cell }) => cell)).toEqual(['cell_2', 'cell_3']);
});

test('the first start makes the cells, and organizations are on both workers', async () => {
  const cells = await listCells(parley.db);
  expect(cells.map(({ cell }) => cell)).toEqual(['cell_2', 'cell_3']);
  expect(new Set(cells.map(({ node }) => node)).size).toBe(2);
  expect(cells.map(({ organizations }) => organizations.length)).toEqual([1, 1]);
});

describe.each([0, 1])('in the organization on worker %i', (index) => {
  let at: string;
  let agent: string;
  let trigger: string;
  let key: string;
  let keyId: string;
  const api = (method: string, path: string, body?: unknown, headers = {}) =>
    parley.call(method, path, { key, body, headers });
  const callWith = (headers: object) =>
    api(
      'POST',
      `/api/triggers/${agent}/${trigger}`,
      { message: 'When do you open?', end_user: { external_id: 'e1' } },
      headers,
    );

  beforeAll(async () => {
    at = `/organizations/${orgs[index]}`;
    agent = (await dashboard(`POST ${at}/agents`, { name: 'Helper', definition: {} })).body.id;
    await dashboard(`POST ${at}/agents/${agent}/documents`, { name: 'Hours', text: 'We open at 9:00.' });
    trigger = (await dashboard(`POST ${at}/triggers`, { agent_id: agent, name: 'Chat' })).body.id;
    const made = await dashboard(`POST ${at}/keys`, {
      label: 'CRM',
      scope: 'organization',
      permissions: ['triggers', 'channels', 'end_users'],
    });
    key = made.body.value ?? made.body.key;
    keyId = made.body.id;
  });

  test('a call is accepted, answered by the worker, and replayed by its Idempotency-Key', async () => {
    const answered = await callWith({ prefer: 'wait=20' });
    expect([answered.status, answered.body.outcome]).toEqual([200, 'answered']);
    const first = await callWith({ 'idempotency-key': `once-${index}` });
    const second = await callWith({ 'idempotency-key': `once-${index}` });
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id]);
  });

  test('end users are created, changed in bulk and found', async () => {
    expect((await api('POST', '/api/end-users', { external_id: 'e2', name: 'Bo' })).status).toBe(201);
    const bulk = await api('POST', '/api/end-users/bulk', { end_users: [{ external_id: 'e2', name: 'Bo Li' }] });
    expect(bulk.status).toBe(200);
    const { body } = await api('GET', '/api/end-users?limit=10');
    expect(body.data.map(({ name }: { name: string | null }) => name)).toContain('Bo Li');
  });

  test('people are imported from a file', async () => {
    const file = 'external_id,name\ni1,Ida\ni2,Ivo\n';
    const imports = `${at}/end-user-imports`;
    const { id } = (await dashboard(`POST ${imports}`, { name: 'people.csv', bytes: file.length })).body;
    const sent = await parley.call('PUT', `/dashboard/api${imports}/${id}/pieces/0`, {
      body: file,
      headers: { cookie, 'content-type': 'application/octet-stream' },
    });
    expect(sent.status).toBe(204);
    const { columns, delimiter, encoding } = (await dashboard(`GET ${imports}/${id}/preview`)).body;
    await dashboard(`POST ${imports}/${id}/run`, { columns, delimiter, encoding, dry_run: false });
    await expect
      .poll(async () => (await dashboard(`GET ${imports}/${id}`)).body, { timeout: 60_000 })
      .toMatchObject({ state: 'done', created: 2, invalid: 0 });
  });

  test('a message is sent on a channel, and a campaign reaches its recipient', async () => {
    const [channel] = (await api('GET', `/api/channels/${agent}`)).body.data;
    const sent = await api('POST', `/api/channels/${agent}/${channel.id}/messages`, {
      to: { end_user: { external_id: 'e2' } },
      content: { type: 'text', text: 'Your order is ready.' },
    });
    expect(sent.status).toBe(202);
    const campaign = (
      await dashboard(`POST ${at}/campaigns`, { agent_id: agent, channel_id: channel.id, name: 'Autumn' })
    ).body.id;
    await dashboard(`POST ${at}/campaigns/${campaign}/start`, {});
    const made = await dashboard(`POST ${at}/keys`, {
      label: 'Campaign',
      scope: 'campaign',
      campaign_id: campaign,
      permissions: ['campaigns'],
    });
    const campaignKey = made.body.value ?? made.body.key;
    const recipients = `/api/campaigns/${campaign}/recipients`;
    const pushed = await parley.call('POST', recipients, {
      key: campaignKey,
      body: { recipients: [{ end_user: { external_id: 'e2' } }] },
    });
    expect(pushed.status).toBe(202);
    await expect
      .poll(async () => (await parley.call('GET', recipients, { key: campaignKey })).body.data[0]?.status, {
        timeout: 60_000,
      })
      .toBe('delivered');
  });

  test('pages of the dashboard are read', async () => {
    for (const page of ['members', 'conversations', 'analytics', 'questions', 'usage', 'audit', 'webhooks', 'segments'])
      expect((await dashboard(`GET ${at}/${page}`)).status).toBe(200);
  });

  test('a revoked key is refused from the response on', async () => {
    await dashboard(`POST ${at}/keys/${keyId}/revoke`);
    expect((await api('POST', `/api/triggers/${agent}/${trigger}`, {})).status).toBe(401);
  });
});

test('while a worker hangs, changes of its organization are refused, and keys of others are revoked', async () => {
  const keys = await Promise.all(orgs.map((orgId) => parley.key(orgId, { permissions: ['end_users'] })));
  const change = async (index: number, verb: string, body?: unknown): Promise<unknown[]> => {
    const path = `/dashboard/api/organizations/${orgs[index]}/keys/${keys[index]!.id}/${verb}`;
    const answer = await parley.call('POST', path, { body, headers: { cookie } });
    return [answer.status, answer.body.code ?? answer.body.state, answer.headers.get('retry-after')];
  };
  const home = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgs[0]!))!;
  const worker = await serverOf(home.cell);
  worker.pause();
  try {
    // A change in the first moment is sent to the worker.
    await pause(300);
    const refused = [change(0, 'revoke'), change(0, 'rotate', { overlap: '1h' })];
    await pause(1_000);
    const { rowCount } = await parley.db.execute(sql`SELECT FROM authz_clock FOR UPDATE SKIP LOCKED`);
    expect(rowCount).toBe(1);
    expect(await change(1, 'revoke')).toEqual([200, 'revoked', null]);
    // The time limit of a statement is 20 s.
    const late = pause(15_000, 'no response');
    for (const answer of refused) expect(await Promise.race([answer, late])).toEqual([503, 'unavailable', '1']);
  } finally {
    worker.resume();
  }
  const call = () => parley.call('GET', '/api/end-users', { key: keys[0]!.value });
  await expect.poll(async () => (await call()).status, { timeout: 30_000 }).toBe(200);
  expect(await change(0, 'revoke')).toEqual([200, 'revoked', null]);
  expect((await call()).status).toBe(401);
});

test.each(['hangs', 'is killed'])(
  'while a worker %s, a statement that needs a new function is refused',
  async (how) => {
    const [orgId] = orgs as [string];
    const { cell } = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgId))!;
    const worker = await serverOf(cell);
    const write = () =>
      parley.db
        .execute(
          sql`INSERT INTO saved_reply (org_id, id, name, shortcut, text)
          SELECT ${orgId}, ${how}, ${how}, ${how}, '{}' FROM agent WHERE org_id = ${orgId} LIMIT 1 ${sql.raw(`/* ${how} */`)}`,
        )
        .then(
          ({ rowCount }) => rowCount,
          ({ cause }) => cause.code,
        );
    await (how === 'hangs' ? worker.pause() : worker.kill());
    try {
      // The time limit of a statement is 20 s.
      expect(await Promise.race([write(), pause(15_000, 'no response')])).toBe('unavailable');
    } finally {
      await (how === 'hangs' ? worker.resume() : worker.start());
    }
    await expect.poll(write, { timeout: 30_000 }).toBe(1);
  },
);

test('a cell moves to another node while calls arrive, and no accepted call is lost', async () => {
  const at = `/organizations/${orgs[0]}`;
  const agent = (await dashboard(`POST ${at}/agents`, { name: 'Mover', definition: {} })).body.id;
  const trigger = (await dashboard(`POST ${at}/triggers`, { agent_id: agent, name: 'Chat' })).body.id;
  const { value: key } = await parley.key(orgs[0]!);
  const cells = await listCells(parley.db);
  const from = cells.find(({ organizations }) => organizations.includes(orgs[0]!))!;
  const to = cells.find(({ node }) => node !== from.node)!.node;
  let isMoving = true;
  const accepted: string[] = [];
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (isMoving) {
        const { status, body } = await parley.call('POST', `/api/triggers/${agent}/${trigger}`, { key, body: {} });
        if (status === 202) accepted.push(body.id);
      }
    }),
  );
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await placeCell(client, from.cell, to);
  isMoving = false;
  await load;
  expect((await listCells(parley.db)).find(({ cell }) => cell === from.cell)!.node).toBe(to);
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${from.cell}.run WHERE trigger_id = $1`, [
    trigger,
  ]);
  await client.end();
  expect(accepted.length).toBeGreaterThan(0);
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(accepted));
});

const serverOf = async (cell: string): Promise<CitusNode> => {
  const { node } = (await listCells(parley.db)).find((one) => one.cell === cell) ?? { node: '' };
  return cluster.nodes.find((one) => nodeOf(one) === node) ?? cluster.nodes[0]!;
};
const newestOn = async (cell: string): Promise<number> =>
  inDatabase((await serverOf(cell)).url, async (client) => {
    const { rows } = await client.query<{ at: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot()) AS at');
    return Number(rows[0]!.at);
  });

/** The node of the organization's cell uses up numbers of transactions until it is ahead of the other node. */
async function runAhead(to: string): Promise<number> {
  const from = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgs[1]!))!.cell;
  const many = Math.max(1, (await newestOn(to)) - (await newestOn(from)) + 1_000);
  if ((await serverOf(from)) !== (await serverOf(to)))
    await inDatabase((await serverOf(from)).url, (client) =>
      client.query(`DO $$ BEGIN SET synchronous_commit = off;
        FOR i IN 1..${many} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`),
    );
  return newestOn(from);
}

test('a cell returns to its former node as soon as no transaction uses its old copy there', async () => {
  const [{ cell, node: from }] = (await listCells(parley.db)) as [CellRecord];
  const client = new pg.Client({ connectionString: cluster.url });
  const reader = new pg.Client({ connectionString: cluster.nodes.find((node) => nodeOf(node) === from)!.url });
  await Promise.all([client.connect(), reader.connect()]);
  const to = cluster.nodes
    .slice(1)
    .map(nodeOf)
    .find((node) => node !== from)!;
  await placeCell(client, cell, to);
  const { rows } = await client.query<{ copy: string }>(
    `SELECT object_name AS copy FROM pg_dist_cleanup WHERE starts_with(object_name, $1)`,
    [`${cell}.run_`],
  );
  await reader.query(`BEGIN; SELECT FROM ${rows[0]!.copy} LIMIT 1`);
  const returned = placeCell(client, cell, from);
  await pause(3_000);
  await reader.query('COMMIT');
  await returned;
  await Promise.all([client.end(), reader.end()]);
  expect((await listCells(parley.db)).find((one) => one.cell === cell)!.node).toBe(from);
});

test('an organization moves between the cells of both workers and the coordinator, with its keys and people', async () => {
  const at = `/organizations/${orgs[1]}`;
  const agent = (await dashboard(`POST ${at}/agents`, { name: 'Traveller', definition: {} })).body.id;
  const trigger = (await dashboard(`POST ${at}/triggers`, { agent_id: agent, name: 'Chat' })).body.id;
  const { value: key } = await parley.key(orgs[1]!);
  const call = (headers = {}) => parley.call('POST', `/api/triggers/${agent}/${trigger}`, { key, body: {}, headers });
  const people = async () => (await dashboard(`GET ${at}/end-users?limit=100`)).body.data;
  expect((await call()).status).toBe(202);
  const before = (await people()).length;
  const cells = (await listCells(parley.db)).map(({ cell }) => cell);
  for (const to of [...cells, 'public', cells[0]!]) {
    let late = 0;
    const least = await runAhead(to);
    await moveOrganization(cluster.url, orgs[1]!, to, async (step) => {
      // The move has copied the rows, and the organization is still open.
      if (step === 'close') late = (await call()).status;
    });
    expect(late).toBe(202);
    expect(await newestOn(to)).toBeGreaterThanOrEqual(least);
    const home = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgs[1]!))!;
    expect(home.cell).toBe(to);
    expect((await call({ prefer: 'wait=20' })).status).toBe(200);
    expect((await people()).length).toBeGreaterThanOrEqual(before);
  }
});

test('a change of a cell and of the region is undone when the worker is lost before the commit', async () => {
  const [orgId] = orgs as [string];
  const seq = () => parley.db.execute(sql`SELECT seq FROM authz_clock`).then(({ rows }) => rows);
  const before = await seq();
  const { cell } = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgId))!;
  const { url } = await serverOf(cell);
  const change = parley.db.transaction(async (tx) => {
    await tx.execute(sql`UPDATE authz_clock SET seq = seq + 1`);
    // This request needs a statement that runs in a function.
    await tx.execute(sql`INSERT INTO saved_reply (org_id, id, name, shortcut, text)
      SELECT ${orgId}, 'x', 'x', 'x', '{}' FROM agent WHERE org_id = ${orgId} LIMIT 1`);
    await inDatabase(url, (client) =>
      client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'citus%' AND state = 'idle in transaction'`),
    );
  });
  await expect(change).rejects.toThrow('Failed query: commit');
  expect(await seq()).toEqual(before);
});

test('each transaction of these journeys that wrote to a cell and to the region was committed in two phases', async () => {
  const tables = await inDatabase(cluster.url, (client) => readTables(client, 'cell_2'));
  const both = committed.filter(
    ({ region, others }) =>
      region.length > 0 && others.some((table) => tables.has(table) || table.startsWith('on_node_')),
  );
  expect(both.length).toBeGreaterThan(10);
  for (const { texts } of both) {
    const [first, ...cells] = texts.slice(texts.indexOf('DELETE FROM drizzle.citus_commit'));
    expect(first).toBe('DELETE FROM drizzle.citus_commit');
    expect(cells.length).toBeGreaterThan(0);
    for (const text of cells) expect(text).toContain(`weekly_mail WHERE org_id = ''`);
  }
});

test.each(['without cells', 'with a cell'])('while a worker %s hangs, a new organization is refused', async (kind) => {
  const worker = kind === 'with a cell' ? await serverOf('cell_2') : await addIdleWorker();
  worker.pause();
  try {
    const before = insertedOrganizations;
    for (let n = 0; n < 3; n++) expect(await tryToCreate()).toEqual([503, 'unavailable', true]);
    // At most the first call waits for the worker. The other calls are refused before they send a statement to the worker.
    expect(insertedOrganizations - before).toBeLessThan(2);
  } finally {
    worker.resume();
  }
  await expect.poll(tryToCreate, { timeout: 60_000 }).toEqual([201, undefined, false]);
});

/** The idle worker has a copy of the tables that every node has. */
async function addIdleWorker(): Promise<CitusNode> {
  const worker = await cluster.addWorker();
  await inDatabase(cluster.url, (client) => client.query('SELECT replicate_reference_tables()'));
  return worker;
}

async function tryToCreate(): Promise<unknown[]> {
  const { status, body, headers } = await parley.call('POST', '/dashboard/api/organizations', {
    body: { name: 'N' },
    headers: { cookie },
  });
  return [status, body.code, headers.get('retry-after') !== null];
}
