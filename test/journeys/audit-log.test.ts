import { sql } from 'drizzle-orm';
import { Compile } from 'typebox/compile';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { EVENT_DATA } from '../../contract/events.ts';
import { newId } from '../../src/kernel/ids.ts';
import { recordAudit, SYSTEM } from '../../src/store/organizations/audit.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenOrganization } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { callWith, type SignedIn, signedInOwner } from '../signed-in.ts';

/** The audit log, exported as a file and received as events. */
let parley: TestApp;
let receiver: Receiver;
let call: SignedIn;
let orgId: string;
let at: string;
let viewer: SignedIn;
let member: SignedIn;

beforeAll(async () => {
  receiver = await startReceiver();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  at = `/organizations/${orgId}`;
  viewer = await invited('viewer');
  member = await invited('member');
});
afterAll(async () => {
  await parley?.stop();
  await receiver?.stop();
});
afterEach(async () => {
  for (const { id } of (await call(`GET ${at}/webhooks`)).body.data) await call(`DELETE ${at}/webhooks/${id}`);
  await parley.db.execute(sql`DELETE FROM event_tail`);
});

async function invited(role: string): Promise<SignedIn> {
  const { body } = await call(`POST ${at}/invitations`, { email: `${role}@example.com`, role });
  const accepted = await parley.call('POST', `/dashboard/api${new URL(body.url).pathname}`, {
    body: { name: role, password: 'correct horse battery' },
  });
  const cookies = accepted.headers.getSetCookie().map((line) => line.split(';', 1)[0]!);
  return callWith(parley, cookies.join('; '));
}

const newKey = async (label: string) =>
  (await call(`POST ${at}/keys`, { label, scope: 'organization', permissions: ['triggers'] })).body as { id: string };
type Line = { id: string; action: string; actor: string; subject_id: string; [name: string]: unknown };
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const cellsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true });
const received = (type: string, path?: string) =>
  receiver.calls
    .filter((one) => path === undefined || one.path === path)
    .map(({ body }) => JSON.parse(body.toString()))
    .filter((event) => event.type === type);

test('the audit log names the records of its entries', async () => {
  const { id } = await newKey('Till');
  const agent = (await call(`POST ${at}/agents`, { name: 'Porter', definition: {} })).body.id;
  await call(`PATCH ${at}/agents/${agent}`, { definition: { instructions: 'Be brief.' } });
  const lines: Line[] = (await call(`GET ${at}/audit?limit=100`)).body.data;
  const nameOf = (subject: string) => lines.find(({ subject_id }) => subject_id === subject)?.['subject_name'];
  expect([nameOf(id), nameOf(agent)]).toEqual(['Till', 'Porter']);
  const hook = (await call(`POST ${at}/webhooks`, { url: receiver.url, types: [] })).body.id;
  const person = (await call(`POST ${at}/end-users`, { external_id: 'crm-7' })).body.id;
  const limit = { subject: 'agent', subject_id: agent, period: 'day', unit: 'tokens', amount: 10 };
  const budget = (await call(`PUT ${at}/budgets`, limit)).body.id;
  await call(`POST ${at}/invitations`, { email: 'noor@example.com', role: 'viewer' });
  await call(`PUT ${at}/end-users/${person}/consent/sandbox`, { status: 'opted_out' });
  const more: Line[] = (await call(`GET ${at}/audit?limit=100`)).body.data;
  const names = (subject: string) => more.find(({ subject_id }) => subject_id === subject)?.['subject_name'];
  expect([names(hook), names(budget)]).toEqual([receiver.url, 'Porter']);
  // Every record that exists has a name, so no row shows only an ID.
  expect(
    more.filter(({ subject_name, subject_id }) => subject_name === null && /_[0-9a-z]{26}$/.test(subject_id)),
  ).toEqual([]);
});

test('the filtered export is complete and newest first, and creates an audit entry itself', async () => {
  const { id } = await newKey('=HYPERLINK("https://evil.example")');
  const other = await givenOrganization(parley.db);
  await recordAudit(parley.db, { orgId: other, actor: SYSTEM, action: 'agent.created', subjectId: 'agent_foreign' });
  const jsonl = await call(`GET ${at}/audit/export?format=jsonl`);
  expect(jsonl.headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"');
  const lines = linesOf(jsonl.text);
  expect(lines[0]).toMatchObject({
    action: 'audit.exported',
    facts: { format: 'jsonl' },
    actor_email: 'asha@example.com',
  });
  expect(lines.map((line) => line.id)).toEqual(
    lines
      .map((line) => line.id)
      .toSorted()
      .toReversed(),
  );
  expect(lines.some(({ subject_id }) => subject_id === 'agent_foreign')).toBe(false);
  expect(lines.some(({ subject_id }) => subject_id === id)).toBe(true);
  expect(lines.every(({ address }) => address === null || typeof address === 'string')).toBe(true);

  const csv = await call(`GET ${at}/audit/export?format=csv&subject_id=${id}`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [row, ...rest] = cellsOf(csv.text);
  expect([row, rest.length]).toMatchObject([{ action: 'api_key.created', subject_id: id, address: '127.0.0.1' }, 0]);
  expect(JSON.parse(row!['facts']!)).toMatchObject({ label: '=HYPERLINK("https://evil.example")' });
});

test('exported cells that a spreadsheet could run begin with an apostrophe', async () => {
  const subjectId = '=1+2';
  await recordAudit(parley.db, { orgId, actor: SYSTEM, action: 'agent.created', subjectId });
  const { text } = await call(`GET ${at}/audit/export?subject_id=${encodeURIComponent(subjectId)}`);
  expect(cellsOf(text).map((row) => row['subject_id'])).toEqual(["'=1+2"]);
});

test('the audit log is filtered by time to the millisecond, in the list and in the export', async () => {
  const marks = [];
  for (const n of [0, 1, 2]) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    marks.push(
      (await parley.db.execute<{ at: Date }>(sql`SELECT clock_timestamp()::timestamptz(3)::text AS at`)).rows[0]!.at,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    await recordAudit(parley.db, { orgId, actor: SYSTEM, action: 'agent.created', subjectId: `agent_${n}` });
  }
  const [, since, until] = marks.map((mark) => new Date(mark).toISOString());
  const query = `since=${since}&until=${until}&actor=system`;
  const { text } = await call(`GET ${at}/audit/export?format=jsonl&${query}`);
  expect(linesOf(text).map((line) => line.subject_id)).toEqual(['agent_1']);
  const listed = await call(`GET ${at}/audit?${query}`);
  expect(listed.body.data.map((line: Line) => line.subject_id)).toEqual(['agent_1']);
});

test('an export of more than one page is complete', async () => {
  const subject = 'agent_many';
  await parley.db.execute(sql`INSERT INTO audit (org_id, id, actor, action, subject_id)
    SELECT ${orgId}, ${newId('audit').slice(0, -5)} || lpad(n::text, 5, '0'), 'system', 'agent.updated', ${subject}
    FROM generate_series(1, 2500) n`);
  const { text } = await call(`GET ${at}/audit/export?format=jsonl&subject_id=${subject}`);
  expect(new Set(linesOf(text).map((line) => line.id)).size).toBe(2500);
});

test('only owners and admins can read the audit log', async () => {
  for (const who of [viewer, member]) {
    const refused = await who(`GET ${at}/audit/export`);
    expect([refused.status, refused.body.code]).toEqual([403, 'role_missing']);
  }
});

test('an endpoint that selects audit.recorded receives each entry; an endpoint with all types does not', async () => {
  const named = await call(`POST ${at}/webhooks`, { url: `${receiver.url}/named`, types: ['audit.recorded'] });
  await call(`POST ${at}/webhooks`, { url: `${receiver.url}/all` });
  const { id } = await newKey('CRM');
  await expect.poll(() => received('audit.recorded', '/named').some(({ data }) => data.subject_id === id)).toBe(true);
  const { data } = received('audit.recorded', '/named').find((event) => event.data.subject_id === id);
  expect([...Compile(EVENT_DATA['audit.recorded']).Errors(data)]).toEqual([]);
  expect(data).toMatchObject({
    action: 'api_key.created',
    actor_name: 'Asha',
    actor_email: 'asha@example.com',
    address: '127.0.0.1',
  });
  await expect.poll(() => received('api_key.created', '/all').length).toBe(1);
  expect(received('audit.recorded', '/all')).toEqual([]);
  // A person who may not see addresses receives the event without the address.
  const { rows } = await parley.db.execute<{ id: string }>(
    sql`SELECT id FROM event WHERE org_id = ${orgId} AND data ->> 'subject_id' = ${id} AND type = 'audit.recorded'`,
  );
  const delivery = `GET ${at}/event-deliveries/${rows[0]!.id}/${named.body.id}`;
  expect(JSON.parse((await call(delivery)).body.body).data.address).toBe('127.0.0.1');
  expect(JSON.parse((await viewer(delivery)).body.body).data.address).toBeNull();
});

test('audit events are stored only if an endpoint selects them, and their addresses are only for admins', async () => {
  await call(`POST ${at}/webhooks`, { url: `${receiver.url}/quiet` });
  const { id: quiet } = await newKey('quiet');
  const count = await parley.db.execute<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM event WHERE type = 'audit.recorded' AND data ->> 'subject_id' = ${quiet}`,
  );
  expect(count.rows).toEqual([{ n: 0 }]);
  const cursor = (await viewer(`GET ${at}/events?type=audit.recorded`)).body.cursor;
  const { id } = await newKey('watched');
  const look = async (who: SignedIn) => {
    const { body } = await who(`GET ${at}/events?type=audit.recorded&after=${encodeURIComponent(cursor)}`);
    return body.data.find(({ data }: { data: Line }) => data.subject_id === id)?.data.address;
  };
  await expect.poll(() => look(call)).toBe('127.0.0.1');
  expect(await look(viewer)).toBeNull();
});

test('an endpoint that returns 410 is disabled once, and does not receive the audit entry about it', async () => {
  receiver.answer = () => ({ status: 410 });
  const gone = await call(`POST ${at}/webhooks`, { url: `${receiver.url}/gone`, types: ['audit.recorded'] });
  const alive = await call(`POST ${at}/webhooks`, { url: `${receiver.url}/gone-too`, types: ['audit.recorded'] });
  await newKey('for the gone');
  const disabled = async () =>
    (
      await parley.db.execute<{ subject_id: string }>(
        sql`SELECT subject_id FROM audit WHERE action = 'webhook.disabled' AND org_id = ${orgId}`,
      )
    ).rows;
  await expect.poll(async () => (await disabled()).length).toBe(2);
  const ids = (await disabled()).map((row) => row.subject_id);
  expect(new Set(ids)).toEqual(new Set([gone.body.id, alive.body.id]));
  receiver.answer = () => ({ status: 200 });
  const before = (await parley.db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM audit`)).rows[0]!.n;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await parley.db.execute(sql`SELECT count(*)::int AS n FROM audit`)).rows).toEqual([{ n: before }]);
});

test('endpoints that are deleted at the same time do not block each other', async () => {
  const ids = [];
  for (let n = 0; n < 8; n++)
    ids.push((await call(`POST ${at}/webhooks`, { url: `${receiver.url}/${n}`, types: ['audit.recorded'] })).body.id);
  const answers = await Promise.all(ids.map((id) => call(`DELETE ${at}/webhooks/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204));
});
