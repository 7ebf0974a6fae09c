import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { signedInOwner, type SignedIn } from '../test/signed-in.ts';
import { errorOf, runCli } from './testing/run-cli.ts';

/** Versions on the command line, with an access token for one agent. */
let parley: TestApp;
let call: SignedIn;
let orgId: string;
let agent: string;
let trigger: string;

beforeAll(async () => {
  parley = await startTestApp();
  ({ call, orgId } = await signedInOwner(parley));
  const at = `/organizations/${orgId}/agents`;
  agent = (await call(`POST ${at}`, { name: 'Concierge', definition: { opening: { default: 'one' } } })).body.id;
  await call(`PATCH ${at}/${agent}`, { definition: { opening: { default: 'two' } }, publish: false });
  trigger = (await call(`POST /organizations/${orgId}/triggers`, { agent_id: agent, name: 'Order update' })).body.id;
});
afterAll(() => parley?.stop());

/** With a token that has these verbs. */
async function as(...verbs: string[]) {
  const body = { label: 'CI', verbs };
  const { value } = (await call(`POST /organizations/${orgId}/access-tokens`, body)).body;
  const env = { PARLEY_URL: parley.url, PARLEY_TOKEN: value as string };
  return {
    run: (...words: string[]) => runCli(words, env),
    read: async (...words: string[]) => JSON.parse((await runCli(words, env)).stdout) as Record<string, unknown>,
  };
}

test('a version is added and rolled out, and the rollout is changed and finished', async () => {
  const { run, read } = await as('read', 'publish');
  expect(errorOf(await run('agents', 'rollout', agent)).code).toBe('rollout_not_found');
  expect(await read('agents', 'publish', agent, '--not-live')).toMatchObject({ version: 1, newest_version: 2 });
  const limit = { worse_by: 0.05, confidence: 0.95 };
  const set = ['agents', 'rollout', agent, '--version', '2', '--percent', '10', '--stop-when', JSON.stringify(limit)];
  expect(await read(...set)).toMatchObject({ version: 2, base_version: 1, percent: 10, stop_when: limit });
  expect(await read('agents', 'rollout', agent)).toMatchObject({ status: 'active', percent: 10 });
  expect(await read('agents', 'compare', agent)).toMatchObject({ rollout: { percent: 10 }, data: [] });
  expect(await read('agents', 'rollout', agent, '--finish')).toMatchObject({ status: 'finished' });
  expect(await read('agents', 'show', agent)).toMatchObject({ version: 2 });
});

test('a rollout needs the verb publish, and a rollout command has only one action', async () => {
  const { run } = await as('read');
  const set = ['agents', 'rollout', agent, '--version', '1', '--percent', '10'];
  expect(errorOf(await run(...set)).code).toBe('token_too_narrow');
  expect(errorOf(await run(...set, '--stop')).code).toBe('usage_invalid');
  expect(errorOf(await run('agents', 'rollout', agent, '--percent', '10')).code).toBe('usage_invalid');
});

test('a trigger chooses a version, and "live" removes the choice', async () => {
  const { read } = await as('read', 'publish');
  expect(await read('triggers', 'update', trigger, '--agent-version', '1')).toMatchObject({ agent_version: 1 });
  expect(await read('triggers', 'update', trigger, '--agent-version', 'live')).toMatchObject({ agent_version: null });
});

test('runs are listed by status and time', async () => {
  const env = { PARLEY_URL: parley.url, PARLEY_EMAIL: 'asha@example.com', PARLEY_PASSWORD: 'correct horse battery' };
  const started = await runCli(['trigger', agent, trigger, '--agent-version', '1'], env);
  const { id, created_at: at } = JSON.parse(started.stdout) as { id: string; created_at: string };
  const list = async (...words: string[]) => {
    const { stdout } = await runCli(['runs', 'list', '--trigger', trigger, ...words], env);
    return (JSON.parse(stdout) as { data: { id: string }[] }).data.map((run) => run.id);
  };
  await expect.poll(() => list('--status', 'waiting_for_user')).toEqual([id]);
  expect(await list('--status', 'failed')).toEqual([]);
  expect(await list('--created-after', at)).toEqual([id]);
  expect(await list('--created-before', at)).toEqual([]);
});
