import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownFile } from '../src/kernel/own-files.ts';
import { startTestApp, type TestApp } from '../test/app.ts';
import { FAKE_MODEL_KEY, startFakeModel } from '../test/fakes/model.ts';
import { modelTurn } from '../src/store/schema/costs.ts';
import { signedInOwner, type SignedIn } from '../test/signed-in.ts';
import { errorOf, runCli } from './testing/run-cli.ts';

/** The agent of examples/agent-in-ci; test/agent-in-ci.test.ts runs its scripts. */
let parley: TestApp;
let call: SignedIn;
let orgId: string;
let folder: string;
let agent: string;
let env: Record<string, string>;

beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  folder = mkdtempSync(path.join(tmpdir(), 'parley-agent-in-ci-'));
  cpSync(ownFile('examples/agent-in-ci'), folder, { recursive: true });
  const definition = JSON.parse(readFileSync(path.join(folder, 'agent.json'), 'utf8')) as object;
  agent = (await call(`POST /organizations/${orgId}/agents`, { name: 'Doha Books', definition })).body.id;
  const text = 'We open at 9:00 and close at 18:00, every day except Friday.';
  await call(`POST /organizations/${orgId}/agents/${agent}/documents`, { name: 'Opening hours', text });
  env = { PARLEY_URL: parley.url };
});
afterAll(async () => {
  await parley?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const token = async (...verbs: string[]): Promise<string> =>
  (await call(`POST /organizations/${orgId}/access-tokens`, { label: 'CI', verbs, agent_ids: [agent] })).body.value;
const change = (find: string, put: string): void => {
  const file = path.join(folder, 'agent.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(find, put));
};
const live = async (): Promise<string> =>
  (await call(`GET /organizations/${orgId}/agents/${agent}`)).body.published.opening.en;

test('a token with the verb publish can store the tests', async () => {
  const file = path.join(folder, 'suite.yaml');
  const as = { ...env, PARLEY_TOKEN: await token('read', 'push', 'publish') };
  expect(await runCli(['agents', 'suite', 'set', agent, '--file', file], as)).toMatchObject({ code: 0, stderr: '' });
});

test('two test runs print equal bytes and publish nothing', async () => {
  const as = { ...env, PARLEY_TOKEN: await token('read', 'test', 'push') };
  const check = async () => {
    const [update, ran] = [
      await runCli(['agents', 'update', agent, '--file', path.join(folder, 'agent.json'), '--draft'], as),
      await runCli(['agents', 'test', agent], as),
    ];
    expect([update.code, ran.code]).toEqual([0, 0]);
    return ran.stdout;
  };
  change('How can I help?', 'What are you looking for?');
  expect(await check()).toBe(await check());
  expect(await live()).toContain('How can I help?');
});

test('a draft with failed tests is published only with a reason', async () => {
  change('Welcome to Doha Books', 'Welcome');
  const as = { ...env, PARLEY_TOKEN: await token('read', 'test', 'push', 'publish') };
  const file = path.join(folder, 'agent.json');
  expect(await runCli(['agents', 'update', agent, '--file', file, '--draft'], as)).toMatchObject({ code: 0 });
  const report = path.join(folder, 'report.xml');
  const failed = await runCli(['agents', 'test', agent, '--junit', report], as);
  expect(failed).toMatchObject({ code: 5 });
  expect(failed.stdout).toContain('turn 1, says: expected ["Doha Books"]');
  expect(readFileSync(report, 'utf8')).toMatch(/failures="1"[^]*turn 1, says: expected/);
  expect(errorOf(await runCli(['agents', 'publish', agent], as)).code).toBe('tests_not_passed');
  expect(await live()).toContain('Doha Books');
  expect(await runCli(['agents', 'publish', agent, '--without-tests', 'A new name'], as)).toMatchObject({ code: 0 });
  expect(await live()).toMatch(/^Welcome\./);
});

test('pulled tests equal the pushed file, and an invalid file is refused with the reason', async () => {
  const as = { ...env, PARLEY_TOKEN: await token('read', 'push', 'test') };
  const shown = await runCli(['agents', 'suite', 'show', agent, '--json'], as);
  const { cases, required } = JSON.parse(shown.stdout);
  expect([cases.length, required]).toEqual([4, true]);
  const set = (text: string) => runCli(['agents', 'suite', 'set', agent, '--file', '-'], as, text);
  expect(errorOf(await set('cases: [')).message).toContain('is not YAML');
  expect(errorOf(await set('a: &a [1]\ncases: [*a]')).code).toBe('usage_invalid');
  expect(errorOf(await set('case: []')).message).toContain('docs/agent-tests.md');
  expect(errorOf(await set('cases: [{ name: x, turns: [{ expect: { say: hi } }] }]')).code).toBe('validation_failed');
  const schema = JSON.parse((await runCli(['agents', 'suite', 'schema'])).stdout);
  expect(schema.properties.cases.items.properties.turns).toBeDefined();
});

test('an agent is pulled into a folder and pushed to another agent; a dry run changes nothing', async () => {
  const at = `/organizations/${orgId}`;
  const as = { ...env, PARLEY_EMAIL: 'asha@example.com', PARLEY_PASSWORD: 'correct horse battery' };
  const cli = async (...args: string[]) => {
    const ended = await runCli(['agents', ...args], as);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return ended.stdout;
  };
  const variables = [{ name: 'order_id', type: 'string', required: true }];
  await call(`POST ${at}/triggers`, { agent_id: agent, name: 'Order shipped', variables });
  await call(`POST ${at}/agents/${agent}/documents`, { name: 'Prices: 50% off / today.', text: 'Half price.\n' });
  const longName = 'दाम'.repeat(60);
  await call(`POST ${at}/agents/${agent}/documents`, { name: longName, text: 'Long.\n' });
  const pulled = path.join(folder, 'pulled');
  await cli('pull', agent, pulled);
  const files = readdirSync(pulled, { recursive: true }).map(String).toSorted();
  expect(files).toEqual([
    'agent.yaml',
    'documents',
    'documents/Opening hours.md',
    'documents/Prices%3a 50%25 off %2f today%2e.md',
    'documents/names.yaml',
    expect.stringMatching(/^documents\/दाम.*%-[0-9a-f]{16}\.md$/),
    'suite.yaml',
    'triggers.yaml',
  ]);
  expect(
    files.map((file) => (file.endsWith('ml') ? readFileSync(path.join(pulled, file), 'utf8') : '')).join(''),
  ).not.toMatch(/(agent|trigger|doc|channel|org)_0/);
  expect(await cli('push', agent, pulled, '--live')).toBe('');

  const other = (await call(`POST ${at}/agents`, { name: 'Copy' })).body.id as string;
  await call(`POST ${at}/agents/${other}/documents`, { name: 'Opening hours', text: 'Always open.' });
  await call(`POST ${at}/agents/${other}/documents`, { name: 'Old', text: 'Old.' });
  const planned = await cli('push', other, pulled, '--live', '--dry-run');
  expect(
    planned
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).change),
  ).toEqual([
    'draft: opening, rules, steps',
    'tests: 4 cases',
    '~ document Opening hours',
    '+ document Prices: 50% off / today.',
    `+ document ${longName}`,
    '- document Old',
    '+ trigger Order shipped',
  ]);
  // Without --live, the push changes nothing that end users see.
  expect((await cli('push', other, pulled)).split('\n')).toHaveLength(3);
  await cli('push', other, pulled, '--live');
  const again = path.join(folder, 'again');
  await cli('pull', other, again);
  for (const file of files.filter((one) => one.includes('.') && one !== 'agent.yaml' && one !== 'suite.yaml'))
    expect(readFileSync(path.join(again, file), 'utf8'), file).toBe(readFileSync(path.join(pulled, file), 'utf8'));
  writeFileSync(path.join(again, 'documents', 'names.yaml'), '{}\n');
  expect(errorOf(await runCli(['agents', 'push', other, again], as)).message).toContain(
    'needs the name of the document',
  );
  expect(readFileSync(path.join(again, 'agent.yaml'), 'utf8').replace('name: Copy', 'name: Doha Books')).toBe(
    readFileSync(path.join(pulled, 'agent.yaml'), 'utf8'),
  );
  expect((await call(`GET ${at}/agents/${other}`)).body).toMatchObject({ version: 1, unpublished_changes: true });
  expect(errorOf(await runCli(['agents', 'push', other, path.join(folder, 'none')], as)).code).toBe('file_unreadable');
  writeFileSync(path.join(again, 'triggers.yaml'), 'triggers: {name: Order shipped}\n');
  expect(errorOf(await runCli(['agents', 'push', other, again], as)).code).toBe('usage_invalid');
});

test('the file names the person of a case from a conversation, so that an erase finds the case', async () => {
  const at = `/organizations/${orgId}`;
  const as = { ...env, PARLEY_EMAIL: 'asha@example.com', PARLEY_PASSWORD: 'correct horse battery' };
  const person = (await call(`POST ${at}/end-users`, { name: 'Omar' })).body.id as string;
  const one = (await call(`POST ${at}/agents`, { name: 'Shop' })).body.id as string;
  const cases = [{ name: 'hello', from: person, turns: [{ say: 'Hello, I am Omar', expect: { says: 'Omar' } }] }];
  await call(`PUT ${at}/agents/${one}/suite`, { cases });
  const copy = path.join(folder, 'kept');
  expect(await runCli(['agents', 'pull', one, copy], as)).toMatchObject({ code: 0 });
  expect(await runCli(['agents', 'push', one, copy], as)).toMatchObject({ code: 0 });
  await call(`DELETE ${at}/end-users/${person}`);
  expect((await call(`GET ${at}/agents/${one}/suite`)).body.cases).toEqual([]);
});

test('answers of a model are recorded once and replayed without a model', async () => {
  const model = await startFakeModel();
  const models = `/organizations/${orgId}/models/openai_compatible`;
  await call(`PUT ${models}`, { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY });
  const parameters = { type: 'object', properties: { id: { type: 'string' } } };
  const url = 'https://shop.example/orders';
  const tool = { name: 'order_status', description: 'Status of an order.', parameters, url };
  const definition = { provider: 'openai_compatible', model: 'm', instructions: 'Be brief.', tools: [tool] };
  const { id } = (await call(`POST /organizations/${orgId}/agents`, { name: 'On a model', definition })).body;
  const cases = [
    {
      name: 'order',
      tools: [{ tool: 'order_status', answer: { status: 'shipped' } }],
      turns: [
        { say: 'Where is A-1?', expect: { says: 'shipped', calls: [{ tool: 'order_status' }] } },
        { say: 'Thanks', expect: { says: 'welcome' } },
      ],
    },
    { name: 'hello', turns: [{ say: 'Hi there you', expect: { says: 'Hello' } }] },
  ];
  await call(`PUT /organizations/${orgId}/agents/${id}/suite`, { cases, required: true });
  const value = (
    await call(`POST /organizations/${orgId}/access-tokens`, {
      label: 'CI',
      verbs: ['read', 'test', 'push'],
      agent_ids: [id],
    })
  ).body.value;
  const as = { PARLEY_URL: parley.url, PARLEY_TOKEN: value };
  const file = path.join(folder, 'recorded.json');
  const tests = (...more: string[]) => runCli(['agents', 'test', id, ...more], as);
  const open = async () => (await call(`GET /organizations/${orgId}/agents/${id}/suite`)).body.open;

  model.script(
    { tool: 'order_status', args: { id: 'A-1' } },
    { text: 'It has shipped.' },
    { text: 'You are welcome.' },
    { text: 'Hello.' },
  );
  const recorded = await tests('--record', folder);
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  const text = readFileSync(file, 'utf8');
  expect(Object.keys(JSON.parse(text).cases)).toEqual(['order', 'hello']);
  expect(text).toContain('It has shipped.');
  expect(text + recorded.stdout).not.toContain(FAKE_MODEL_KEY);
  expect(await open()).toEqual([]);

  await model.close();
  await call(`DELETE ${models}`);
  const spent = () => parley.db.$count(modelTurn);
  const before = await spent();
  const [first, second] = [await tests('--replay', file), await tests('--replay', file)];
  expect(first).toEqual({ code: 0, stderr: '', stdout: recorded.stdout });
  expect(second).toEqual(first);
  expect(await spent()).toBe(before);

  // Only the first case now sends a different request. Its instructions are the same, but the answer of its tool
  // changed.
  const changed = [{ ...cases[0]!, tools: [{ tool: 'order_status', answer: { status: 'lost' } }] }, cases[1]!];
  await call(`PUT /organizations/${orgId}/agents/${id}/suite`, { cases: changed });
  const missing = await tests('--replay', file);
  expect(missing.code).toBe(6);
  expect(missing.stderr).toContain('recorded: order.');
  // A pass on recorded answers does not count, because the caller could have written them.
  await call(`PATCH /organizations/${orgId}/agents/${id}`, {
    definition: { ...definition, temperature: 0.5 },
    publish: false,
  });
  expect(await open()).toEqual(['order', 'hello']);
  const one = { case: cases[1]!, record: true, recorded: {} };
  expect((await call(`POST /organizations/${orgId}/agents/${id}/test`, one)).body.code).toBe('validation_failed');
  expect((await tests('--replay', file, '--record', file)).code).toBe(1);
});
