import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { signedInOwner, type SignedIn } from '../test/signed-in.ts';
import { errorOf, runCli } from './testing/run-cli.ts';

/** Tests the daily actions of members, with the command line against a real server. */
let parley: TestApp;
let call: SignedIn;
let at: string;
let env: Record<string, string>;

beforeAll(async () => {
  parley = await startTestApp();
  const owner = await signedInOwner(parley);
  call = owner.call;
  at = `/organizations/${owner.orgId}`;
  env = { PARLEY_URL: parley.url, PARLEY_EMAIL: 'asha@example.com', PARLEY_PASSWORD: 'correct horse battery' };
});
afterAll(() => parley?.stop());

// oxlint-disable-next-line typescript/no-explicit-any -- answers of many commands, read by tests
async function json(...args: string[]): Promise<any> {
  const ended = await runCli(args, env);
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

test('the commands take over, answer, note, assign, tag, snooze and resolve a conversation', async () => {
  const agent = (await call(`POST ${at}/agents`, { name: 'Shop' })).body.id as string;
  const trigger = (await call(`POST ${at}/triggers`, { agent_id: agent, name: 'Hello' })).body.id as string;
  const elsewhere = await runCli(['trigger', 'agent_other', trigger, '--message', 'Hi'], env);
  expect(errorOf(elsewhere)).toMatchObject({ code: 'usage_invalid', message: expect.stringContaining(agent) });
  await json('trigger', agent, trigger, '--message', 'Hi', '--external-id', 'crm-1');
  const [{ id }] = (await json('conversations', 'list', '--agent', agent)).data;
  const work = (name: string, ...args: string[]) => json('conversations', name, id, ...args);
  expect(await work('take-over')).toMatchObject({ status: 'handed_off' });
  expect(await work('reply', '--text', 'Your order leaves today.')).toMatchObject({ role: 'member' });
  const note = await work('note', '--text', 'Called.');
  expect(note).toMatchObject({ text: 'Called.' });
  expect(await work('delete-note', note.id)).toEqual({ id: note.id, deleted: true });
  expect(await work('assign', 'nobody')).toMatchObject({ assignee_id: null });
  expect((await work('assign', 'me')).assignee_id).toMatch(/^user_/);
  expect(await work('tags', 'vip', 'refund')).toMatchObject({ tags: ['vip', 'refund'] });
  expect((await json('conversations', 'list', '--tag', 'vip')).data).toHaveLength(1);
  expect(await work('tags')).toMatchObject({ tags: [] });
  const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toISOString();
  expect(await work('snooze', inThirtyDays)).toMatchObject({ snoozed_until: inThirtyDays });
  expect(await work('snooze', 'off')).toMatchObject({ snoozed_until: null });
  expect(await work('hand-back')).toMatchObject({ status: 'open' });
  await work('take-over');
  expect(await work('resolve')).toMatchObject({ status: 'resolved' });
});

test('the commands manage webhook endpoints and deliveries', async () => {
  const made = await json(
    'webhooks',
    'create',
    '--endpoint-url',
    'https://shop.example.com/e',
    '--types',
    'run.completed',
  );
  expect(made).toMatchObject({ types: ['run.completed'], secret: expect.stringMatching(/^whsec_/) });
  expect((await json('webhooks', 'list')).data).toMatchObject([{ id: made.id }]);
  expect(await json('webhooks', 'update', made.id, '--types', 'all', '--disable')).toMatchObject({
    types: [],
    enabled: false,
  });
  expect((await json('webhooks', 'rotate', made.id)).secret).not.toBe(made.secret);
  await json('webhooks', 'update', made.id, '--enable');
  const delivery = await json('webhooks', 'test', made.id);
  expect((await json('webhooks', 'deliveries', '--endpoint', made.id)).data).toMatchObject([
    { event_id: delivery.event_id },
  ]);
  expect(await json('webhooks', 'delivery', delivery.event_id, made.id)).toMatchObject({ endpoint_id: made.id });
  expect(await json('webhooks', 'recover', made.id, '--since', '2026-01-01T00:00:00Z')).toEqual({
    recovered: expect.any(Number),
  });
  expect(await json('webhooks', 'delete', made.id, '--yes')).toEqual({ id: made.id, deleted: true });
});

test('the commands manage members and invitations', async () => {
  const [owner] = (await json('members', 'list')).data;
  expect(errorOf(await runCli(['members', 'role', owner.id, 'viewer'], env)).code).toBe('last_owner');
  const made = await json('invitations', 'create', '--email', 'omar@example.com', '--role', 'member');
  expect(made.url).toContain('/invitations/');
  expect((await json('invitations', 'renew', made.id)).url).not.toBe(made.url);
  expect(await json('invitations', 'withdraw', made.id, '--yes')).toEqual({ id: made.id, withdrawn: true });
  expect((await json('invitations', 'list')).data).toEqual([]);
});

test('the figures of Analytics are printed, also as CSV', async () => {
  expect(await json('analytics', '--by', 'agent', '--days', '7')).toMatchObject({ by: 'agent', complete: true });
  const csv = await runCli(['analytics', '--by', 'member', '--csv'], env);
  expect([csv.code, csv.stdout]).toEqual([0, expect.stringMatching(/^\uFEFFmember,name,agent_id,conversations,/)]);
  expect(errorOf(await runCli(['analytics', '--days', '185'], env)).code).toBe('usage_invalid');
  const versions = await runCli(['analytics', '--agent-version', '2'], env);
  expect(errorOf(versions).code).toBe('validation_failed');
});

test('the commands show versions, unanswered questions and the report of a campaign', async () => {
  const agent = (await call(`POST ${at}/agents`, { name: 'Versions' })).body.id as string;
  await call(`PATCH ${at}/agents/${agent}`, { definition: { opening: { en: 'New.' } } });
  expect((await json('agents', 'versions', agent)).data.map((one: { version: number }) => one.version)).toEqual([2, 1]);
  expect(await json('agents', 'restore', agent, '1')).toMatchObject({ version: 3 });
  expect(errorOf(await runCli(['agents', 'restore', agent, '9'], env)).code).toBe('version_not_found');
  expect(await json('questions', 'list', '--agent', agent)).toEqual({ data: [] });
  const settings = { url: 'https://shop.example.com/hook' };
  const channel = (await call(`POST ${at}/channels`, { agent_id: agent, kind: 'webhook', name: 'W', settings })).body
    .id;
  const campaign = (await json('campaigns', 'create', '--agent', agent, '--channel', channel, '--name', 'C')).id;
  expect(await json('campaigns', 'report', campaign, '--time-zone', 'Asia/Qatar')).toMatchObject({ points: [] });
});
