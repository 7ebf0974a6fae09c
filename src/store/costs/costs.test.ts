import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { type BudgetOf, listBudgets, writeBudget } from './budgets.ts';
import { endProbe, enterGate, reportFailure, reportSuccess } from './circuit-breaker.ts';
import { markSpent, reserve, chargeLostReservations, type Spending } from './reserve.ts';
import { recordTurnUse } from './record-use.ts';

let db: Db;
let orgId: string;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {});
beforeEach(async () => {
  orgId = await givenOrganization(db);
});

const MODEL = { provider: 'openai', model: 'gpt' };
const NONE: Spending = {
  input: 0,
  cached: 0,
  output: 0,
  unknownInput: 0,
  unknownOutput: 0,
  calls: 1,
  time: 0,
  unknownTime: 0,
};
const payers = () => ({ orgId, agentId: 'agent_1', keyId: 'key_1', campaignId: '' });
const take = (unknownInput: number, id: string = randomUUID(), more = {}) =>
  reserve(db.$client, {
    id,
    payers: payers(),
    ...MODEL,
    upTo: { ...NONE, unknownInput },
    runId: null,
    lease: null,
    ...more,
  });
const settle = (id: string, spent: Partial<Spending>, more = {}) =>
  recordTurnUse(db.$client, {
    id,
    payers: payers(),
    conversationId: null,
    runId: null,
    ...MODEL,
    unmeasured: 0,
    toolCalls: 2,
    spent: { ...NONE, ...spent },
    insteadOf: [],
    ...more,
  });
const budget = (amount: string, of: Partial<BudgetOf> = {}) =>
  writeBudget(db, orgId, {
    id: newId('budget'),
    subject: 'organization',
    subjectId: '',
    period: 'day',
    unit: 'tokens',
    ...of,
    amount,
  });
const price = (currency = 'USD') =>
  db.execute(sql`INSERT INTO model_price (org_id, provider, model, currency, input, output, cached)
    VALUES (${orgId}, 'openai', 'gpt', ${currency}, 0.15, 0.6, 0.075)`);
const state = async () =>
  (await listBudgets(db, orgId)).map(({ spent, reserved }) => [Number(spent), Number(reserved)]);
/** Budgets that were created within one millisecond have no fixed order. */
const byUnit = async () =>
  Object.fromEntries(
    (await listBudgets(db, orgId)).map(({ unit, period, spent, reserved }) => [
      `${unit} ${period}`,
      [Number(spent), Number(reserved)],
    ]),
  );
const usage = async () => (await db.execute(sql`SELECT * FROM model_usage WHERE org_id = ${orgId}`)).rows;

test('fifty simultaneous turns reserve exactly the amount of the budget', async () => {
  await budget('1000');
  const answers = await Promise.all(Array.from({ length: 50 }, () => take(100)));
  expect(answers.filter((refused) => refused.length === 0)).toHaveLength(10);
  expect(new Set(answers.flatMap((refused) => refused.map(({ why }) => why)))).toEqual(new Set(['busy']));
  expect(await state()).toEqual([[0, 1000]]);
});

test('a turn that fits into one budget but not into another reserves from none', async () => {
  await budget('1000');
  await budget('50', { subject: 'key', subjectId: 'key_1' });
  await budget('10', { subject: 'key', subjectId: 'key_of_others' });
  expect(await take(100)).toMatchObject([{ subject: 'key', period: 'day', unit: 'tokens', why: 'spent' }]);
  expect((await state()).map(([, reserved]) => reserved)).toEqual([0, 0, 0]);
});

test('the real usage counts once and ends the reservation', async () => {
  await price();
  await budget('1000');
  await budget('2', { unit: 'USD', period: 'month' });
  const id = randomUUID();
  expect(await take(900, id)).toEqual([]);
  // A second call of the same turn replaces what the turn holds.
  expect(await take(950, id)).toEqual([]);
  await settle(id, { input: 300, cached: 100, output: 50 });
  await settle(id, { input: 300, cached: 100, output: 50 });
  const cost = (200 * 0.15 + 100 * 0.075 + 50 * 0.6) / 1e6;
  expect(await state()).toEqual([
    [350, 0],
    [cost, 0],
  ]);
  expect(await usage()).toMatchObject([
    { turns: 1, calls: 1, input_tokens: '300', cached_tokens: '100', output_tokens: '50', tool_calls: 2 },
  ]);
  expect(Number((await usage())[0]!['cost'])).toBe(cost);
});

test('a call whose usage is unknown costs the upper limit and is counted as unmeasured', async () => {
  await budget('1000');
  const id = randomUUID();
  await take(400, id);
  await settle(id, { unknownInput: 400 }, { unmeasured: 1 });
  expect(await state()).toEqual([[400, 0]]);
  expect(await usage()).toMatchObject([{ input_tokens: '0', unmeasured: 1, currency: '' }]);
});

test('a budget of money permits no call to a model without a price in its currency', async () => {
  await price('EUR');
  await budget('5', { unit: 'USD' });
  expect(await take(1)).toMatchObject([{ unit: 'USD', why: 'unpriced' }]);
});

test('calls and seconds are reserved up to the time limit, and then counted with their real values', async () => {
  await budget('3', { unit: 'calls' });
  await budget('60', { unit: 'seconds' });
  const id = randomUUID();
  expect(await take(0, id, { upTo: { ...NONE, unknownTime: 30_000 } })).toEqual([]);
  expect(await byUnit()).toEqual({ 'calls day': [0, 1], 'seconds day': [0, 30] });
  await settle(id, { calls: 2, time: 1_500, unknownTime: 20_000 });
  expect(await byUnit()).toEqual({ 'calls day': [2, 0], 'seconds day': [21.5, 0] });
  expect(await usage()).toMatchObject([{ calls: 2, milliseconds: '1500' }]);
  const refused = await take(0, undefined, { upTo: { ...NONE, calls: 1, unknownTime: 39_000 } });
  expect(refused).toMatchObject([{ unit: 'seconds', why: 'spent' }]);
  await budget('100', { unit: 'calls', period: 'month' });
  await budget('100', { unit: 'seconds', period: 'month' });
  expect(await byUnit()).toMatchObject({
    'calls day': [2, 0],
    'seconds day': [21.5, 0],
    'calls month': [2, 0],
    'seconds month': [1.5, 0],
  });
});

test('own code uses only budgets of calls and of time', async () => {
  await budget('0');
  await budget('0', { unit: 'USD' });
  const code = { provider: 'http', model: 'agent.example' };
  expect(await take(100, undefined, code)).toEqual([]);
  await budget('0', { unit: 'calls' });
  expect(await take(100, undefined, code)).toMatchObject([{ unit: 'calls', why: 'spent' }]);
});

/** Moves the budget and its reservations to the period before, in which 900 were spent. */
async function endPeriod(): Promise<void> {
  await db.execute(sql`UPDATE budget SET period_start = period_start - 1, spent = 900 WHERE org_id = ${orgId}`);
  await db.execute(sql`UPDATE budget_reservation SET period_start = period_start - 1 WHERE org_id = ${orgId}`);
}

test('a new period begins with nothing spent, and a turn from before does not count in it', async () => {
  await budget('1000');
  const id = randomUUID();
  await take(600, id);
  await endPeriod();
  expect(await take(300)).toEqual([]);
  expect(await state()).toEqual([[0, 900]]);
  await settle(id, { input: 500 });
  expect(await state()).toEqual([[0, 300]]);
});

test('a turn from before counts in the new period if it makes another call there', async () => {
  await budget('1000');
  const id = randomUUID();
  await take(200, id);
  await endPeriod();
  expect(await take(400, id)).toEqual([]);
  await settle(id, { input: 300 });
  expect(await state()).toEqual([[300, 0]]);
});

test('a new budget includes the usage of its day so far', async () => {
  await settle(randomUUID(), { input: 70, output: 30 });
  await budget('1000');
  await budget('1000', { subject: 'agent', subjectId: 'agent_2' });
  expect((await state()).map(([spent]) => spent)).toEqual([100, 0]);
});

test('a reservation whose worker died counts as spent, and a late answer of that worker adds nothing', async () => {
  await budget('1000');
  const id = randomUUID();
  await take(300, id, { runId: 'run_gone', lease: 'node_gone' });
  await take(200);
  expect(await chargeLostReservations(db.$client, 10, orgId)).toBe(1);
  expect(await state()).toEqual([[300, 200]]);
  await settle(id, { input: 10 });
  expect(await state()).toEqual([[300, 200]]);
  expect(await usage()).toMatchObject([{ input_tokens: '10' }]);
});

/** As with a watcher, without an endpoint. */
const listen = () =>
  db.execute(sql`INSERT INTO event_tail (org_id, wanted_until) VALUES (${orgId}, now() + interval '1 hour')`);
const reportedShares = async () =>
  (
    await db.execute<{ type: string; data: { spent: number; subject_id: string | null } }>(
      sql`SELECT type, data FROM event WHERE org_id = ${orgId} ORDER BY tx, id`,
    )
  ).rows;
const types = async () => (await reportedShares()).map(({ type }) => type);

test('80 and 100 % of a budget are reported once in each period, by any node', async () => {
  await listen();
  await budget('1000');
  await settle(randomUUID(), {});
  const spend = async (input: number) => {
    const id = randomUUID();
    await take(input, id);
    await settle(id, { input });
  };
  await spend(700);
  expect(await types()).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => spend(10)));
  expect(await types()).toEqual(['budget.warning']);
  expect((await reportedShares())[0]!.data).toMatchObject({
    subject: 'organization',
    subject_id: null,
    amount: 1000,
    spent: 800,
  });
  await spend(100);
  await Promise.all(Array.from({ length: 4 }, () => spend(40)));
  expect(await types()).toEqual(['budget.warning', 'budget.spent']);
  // A new day.
  await db.execute(sql`UPDATE budget SET period_start = period_start - 1 WHERE org_id = ${orgId}`);
  await spend(10);
  expect(await types()).toHaveLength(2);
  await spend(900);
  expect((await types()).slice(2)).toEqual(['budget.warning']);
});

test('a budget that cannot pay a further call is reported as used up, although a small amount is left', async () => {
  await listen();
  await budget('1000');
  const [refused] = await take(1_001);
  await Promise.all(Array.from({ length: 10 }, () => markSpent(db.$client, orgId, [refused!.id])));
  expect(await reportedShares()).toMatchObject([{ type: 'budget.spent', data: { spent: 0 } }]);
  await db.execute(sql`UPDATE budget SET period_start = period_start - 1, spent = 600 WHERE org_id = ${orgId}`);
  await markSpent(db.$client, orgId, [refused!.id]);
  expect(await types()).toEqual(['budget.spent', 'budget.spent']);
  expect(await state()).toEqual([[0, 0]]);
  expect((await reportedShares())[1]!.data.spent).toBe(0);
});

test('a budget is reported again only if its amount has changed', async () => {
  await settle(randomUUID(), { input: 90 });
  await listen();
  await budget('100');
  await budget('100');
  expect(await types()).toEqual(['budget.warning']);
  await budget('1000');
  expect(await types()).toEqual(['budget.warning']);
  await budget('90');
  expect(await types()).toEqual(['budget.warning', 'budget.spent']);
});

test('a change of a budget after the end of its period reports nothing of that period', async () => {
  await budget('1000');
  await endPeriod();
  await listen();
  await budget('1100');
  expect(await types()).toEqual([]);
  expect(await state()).toEqual([[0, 0]]);
  await endPeriod();
  const reported = await types();
  await budget('1100');
  expect(await types()).toEqual(reported);
  const id = randomUUID();
  await take(900, id);
  await settle(id, { input: 900 });
  expect((await types()).slice(reported.length)).toEqual(['budget.warning']);
});

const gate = () => enterGate(db.$client, { orgId, ...MODEL });
const fail = (waitMs: number | null = null, probed = false) =>
  reportFailure(db.$client, { orgId, ...MODEL }, { code: 'provider_timeout', waitMs, probed });
const later = () =>
  db.execute(sql`UPDATE model_gate SET closed_until = now() - interval '1 second' WHERE org_id = ${orgId}`);

test('after five failures in a row, a provider is not called until one probe succeeds', async () => {
  for (let failure = 1; failure <= 4; failure++) await fail();
  expect(await gate()).toMatchObject({ entered: 'open', known: true });
  await fail();
  expect(await gate()).toMatchObject({ entered: 'closed', reason: 'provider_timeout' });
  // A call that was under way is answered: the gate stays closed.
  await reportSuccess(db.$client, { orgId, ...MODEL }, false);
  expect((await gate()).entered).toBe('closed');
  await later();
  const entered = (await Promise.all(Array.from({ length: 20 }, gate))).map((each) => each.entered);
  expect(entered.filter((each) => each === 'probe')).toHaveLength(1);
  expect(entered.filter((each) => each === 'open')).toEqual([]);
  await reportSuccess(db.$client, { orgId, ...MODEL }, true);
  expect(await gate()).toMatchObject({ entered: 'open', known: false });
});

test('after a failed probe the pause is longer, and an abandoned probe permits the next one', async () => {
  for (let failure = 1; failure <= 5; failure++) await fail();
  const first = (await gate()).waitMs;
  await later();
  expect((await gate()).entered).toBe('probe');
  await endProbe(db.$client, { orgId, ...MODEL });
  expect((await gate()).entered).toBe('probe');
  await fail(null, true);
  const second = await gate();
  expect(second.entered).toBe('closed');
  expect(second.waitMs).toBeGreaterThan(first);
});

test('a provider is not called during the pause that it requested, and the longest pause counts', async () => {
  await fail(20_000);
  await fail(60_000);
  await fail(1_000);
  const { entered, waitMs } = await gate();
  expect(entered).toBe('closed');
  expect(waitMs).toBeGreaterThan(50_000);
});
