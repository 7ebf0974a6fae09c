import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { newId } from '../../kernel/ids.ts';
import { recordTurnUse } from '../../store/costs/record-use.ts';

let server: DashboardServer;
let call: Client;
let viewer: Client;
let orgId: string;
let at: string;
let agentId: string;

beforeAll(async () => {
  server = await startDashboard();
  const owner = await setUpOwner(server);
  ({ orgId } = owner);
  call = owner.call;
  at = `/organizations/${orgId}`;
  viewer = (await addMember(server, call, orgId, 'viewer')).call;
  agentId = (await call(`POST ${at}/agents`, { name: 'Concierge' })).body.id;
});
afterAll(() => server.stop());

const use = (input: number, more: { model?: string; keyId?: string } = {}) =>
  recordTurnUse(server.db.$client, {
    id: randomUUID(),
    payers: { orgId, agentId, keyId: more.keyId ?? '', campaignId: '' },
    conversationId: null,
    runId: null,
    provider: 'openai',
    model: more.model ?? 'gpt',
    unmeasured: 0,
    toolCalls: 0,
    spent: { input, cached: 0, output: 0, unknownInput: 0, unknownOutput: 0, calls: 1, time: 250, unknownTime: 0 },
    insteadOf: [],
  });
const pointers = (answer: { body: { errors?: { pointer: string }[] } }) =>
  answer.body.errors?.map((each) => each.pointer);

test('admins set, change and remove prices, and a turn costs the price that is valid at its time', async () => {
  const body = { provider: 'openai', model: 'gpt', price: { currency: 'USD', input: 0.15, output: 0.6 } };
  expect((await viewer(`PUT ${at}/model-prices`, body)).status).toBe(403);
  expect((await call(`PUT ${at}/model-prices`, body)).body.data).toMatchObject([{ input: 0.15, cached: null }]);
  await use(1_000_000);
  await call(`PUT ${at}/model-prices`, { ...body, price: { ...body.price, input: 3 } });
  await use(1_000_000);
  await use(70, { model: 'unpriced' });
  const { body: usage } = await viewer(`GET ${at}/usage?by=model`);
  expect(usage.total).toMatchObject({
    turns: 3,
    input_tokens: 2_000_070,
    cost: [{ amount: '3.15', currency: 'USD' }],
    unpriced_tokens: 70,
  });
  expect(usage.data.map((row: { group: string }) => row.group)).toEqual(['openai/gpt', 'openai/unpriced']);
  expect((await call(`PUT ${at}/model-prices`, { ...body, price: null })).body.data).toEqual([]);
});

test('usage is summed by day, agent and key, and can be filtered', async () => {
  const keyId = newId('key');
  await use(30, { keyId });
  const byKey = (await call(`GET ${at}/usage?by=key&agent_id=${agentId}`)).body;
  expect(byKey.data.find((row: { group: string }) => row.group === keyId)).toMatchObject({ use: { input_tokens: 30 } });
  expect((await call(`GET ${at}/usage?key_id=${keyId}`)).body.data).toHaveLength(1);
  // PostgreSQL has no year 0000, and its dates are not text before the year 0001.
  for (const query of ['since=0000-01-01', 'until=0001-01-01', 'until=2200-01-01'])
    expect(await call(`GET ${at}/usage?${query}`), query).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: `/${query.split('=')[0]}` }] },
    });
  const byAgent = (await call(`GET ${at}/usage?by=agent`)).body;
  expect(byAgent.data).toMatchObject([{ group: agentId, name: 'Concierge' }]);
  expect((await call(`GET ${at}/usage?until=2020-01-31`)).body).toMatchObject({ since: '2020-01-02', data: [] });
  expect(pointers(await call(`GET ${at}/usage?since=yesterday`))).toEqual(['/since']);
});

test('each subject has at most one budget, which includes the usage of its period and can be removed', async () => {
  const budget = { subject: 'agent', subject_id: agentId, period: 'day', unit: 'tokens', amount: 5_000_000 };
  expect((await viewer(`PUT ${at}/budgets`, budget)).status).toBe(403);
  const { body: made } = await call(`PUT ${at}/budgets`, budget);
  expect(made).toMatchObject({ amount: 5_000_000, reserved: 0 });
  expect(made.spent).toBeGreaterThan(2_000_000);
  expect((await call(`PUT ${at}/budgets`, { ...budget, amount: 1 })).body).toMatchObject({ id: made.id, amount: 1 });
  expect((await viewer(`GET ${at}/budgets`)).body.data).toHaveLength(1);
  for (const subject_id of [newId('agent'), newId('key'), null]) {
    expect(pointers(await call(`PUT ${at}/budgets`, { ...budget, subject_id }))).toEqual(['/subject_id']);
  }
  expect((await call(`DELETE ${at}/budgets/${made.id}`)).status).toBe(204);
  expect((await call(`DELETE ${at}/budgets/${made.id}`)).body.code).toBe('budget_not_found');
  const { body: audit } = await call(`GET ${at}/audit?limit=3`);
  expect(audit.data.map((row: { action: string }) => row.action)).toEqual([
    'budget.removed',
    'budget.set',
    'budget.set',
  ]);
});
