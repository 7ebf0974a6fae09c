import { createServer } from 'node:net';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';
import { createTestDatabase } from '../postgres.ts';
import { freePort } from '../program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The metrics that Prometheus reads, while calls are made and a key is revoked. */
let parley: TestApp;
let address: string;
let orgId: string;
let path: string;
let key: { id: string; value: string };

beforeAll(async () => {
  address = `127.0.0.1:${await freePort()}`;
  parley = await startTestApp({ METRICS_ADDRESS: address }, { role: 'api' });
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  key = await parley.key(orgId);
});
afterAll(() => parley.stop());

const scrape = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
const valueOf = (text: string, line: string): number =>
  Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length),
  );

test('the metrics count requests, batches, leases, revokes, queues and connections', async () => {
  for (let n = 0; n < 3; n++) await parley.call('POST', path, { key: key.value, body: {} });
  await parley.call('POST', path, { body: {} });
  await parley.call('GET', '/nothing/here', {});
  await parley.app.access.change({ kind: 'key', id: key.id }, async () => {});
  const route = 'route="/api/triggers/:agent_id/:trigger_id"';
  await expect
    .poll(async () => valueOf(await scrape(), `parley_http_requests_total{method="POST",${route},status="202"}`))
    .toBe(3);
  const text = await scrape();
  expect(valueOf(text, `parley_http_requests_total{method="POST",${route},status="401"}`)).toBe(1);
  expect(valueOf(text, `parley_http_request_duration_seconds_count{${route}}`)).toBe(4);
  expect(valueOf(text, 'parley_accept_batch_calls_sum')).toBe(3);
  expect(valueOf(text, 'parley_revoke_wait_seconds_count')).toBeGreaterThanOrEqual(1);
  expect(valueOf(text, 'parley_live_leases')).toBe(1);
  // The lease is renewed much earlier, but this process may have been stopped just now.
  await expect.poll(async () => valueOf(await scrape(), 'parley_lease_age_seconds')).toBeLessThan(1);
  expect(valueOf(text, 'parley_directory_entries')).toBeGreaterThan(1);
  expect(valueOf(text, 'parley_limits_shared')).toBe(0);
  expect(valueOf(text, 'parley_database_up')).toBe(1);
  expect(valueOf(text, 'parley_database_connections')).toBeGreaterThan(0);
  expect(valueOf(text, 'parley_queue_due{queue="deliveries"}')).toBe(0);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
});

test('the metrics contain the number of due rows and the age of the oldest due row', async () => {
  await parley.db.$client.query(`UPDATE run SET due_at = now() - interval '1 hour'`);
  await expect.poll(async () => valueOf(await scrape(), 'parley_queue_due{queue="turns"}')).toBe(3);
  await expect
    .poll(async () => valueOf(await scrape(), 'parley_queue_oldest_seconds{queue="turns"}'))
    .toBeGreaterThanOrEqual(3_600);
});

test('the metrics contain no ID, key or address', async () => {
  const text = await scrape();
  for (const secret of [orgId, key.id, key.value, path]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/(org|key|agent|trigger|run|conv|enduser|msg|req)_[0-9a-z]{26}/);
});

test('docs/operations.md describes exactly the existing metrics and alarms', async () => {
  const page = readFileSync(`${ROOT}docs/operations.md`, 'utf8');
  const explained = [...page.matchAll(/^\| `(parley_\w+)` \|/gm)].map(([, name]) => name!);
  const given = [...(await scrape()).matchAll(/^# TYPE (parley_\w+) /gm)].map(([, name]) => name!);
  expect(explained.toSorted()).toEqual(given.toSorted());
  const alarms = [...page.matchAll(/^\| `([^`/]+ [^`]+)`.* \|.*\|.*\|$/gm)].map(([, words]) => words!);
  expect(alarms.length).toBeGreaterThan(3);
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${ROOT}src/${file}`, 'utf8'));
  for (const words of alarms) expect([words, sources.some((text) => text.includes(words))]).toEqual([words, true]);
});

test('the dashboard and the alert rules use only existing metrics, and the dashboard shows all of Parley’s', async () => {
  const given = new Set([...(await scrape()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
  const namesIn = (file: string) =>
    new Set(
      (readFileSync(`${ROOT}deploy/${file}`, 'utf8').match(/\b(?:parley|nodejs|process)_[a-z0-9_]+/g) ?? []).map(
        (name) => (given.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')),
      ),
    );
  const shown = namesIn('grafana/parley.json');
  for (const name of [...shown, ...namesIn('prometheus/rules.yaml'), ...namesIn('prometheus/adapter.yaml')])
    expect([name, given.has(name)]).toEqual([name, true]);
  expect([...given].filter((name) => name.startsWith('parley_') && !shown.has(name))).toEqual([]);
});

test('every documented alarm on a metric of Parley has an alert rule', () => {
  const page = readFileSync(`${ROOT}docs/operations.md`, 'utf8');
  const alarming = [...page.matchAll(/^\| `(parley_\w+)` \|.*\| (?!none)[^|]+\|$/gm)].map(([, name]) => name!);
  const rules = readFileSync(`${ROOT}deploy/prometheus/rules.yaml`, 'utf8');
  expect(alarming.length).toBeGreaterThan(8);
  // The depth has no alarm of its own. Its row refers to the age.
  const missing = alarming.filter((name) => name !== 'parley_queue_due' && !rules.includes(name));
  expect(missing).toEqual([]);
});

test('the metrics address has the probes of a worker and nothing else, and the main address has no metrics', async () => {
  expect((await fetch(`http://${address}/api/health`)).status).toBe(200);
  expect((await fetch(`http://${address}/ready`)).status).toBe(200);
  expect((await fetch(`http://${address}/api/me`)).status).toBe(404);
  expect((await parley.call('GET', '/metrics', {})).headers.get('content-type')).not.toContain('version=0.0.4');
});

test('Parley does not start if the metrics address is in use, and explains why', async () => {
  const occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
  const { port } = occupied.address() as { port: number };
  await using database = await createTestDatabase();
  const starting = startTestApp({ METRICS_ADDRESS: `127.0.0.1:${port}` }, { database, role: 'worker' });
  await expect(starting).rejects.toThrow(/METRICS_ADDRESS=127\.0\.0\.1:\d+ cannot be listened on/);
  occupied.close();
});
