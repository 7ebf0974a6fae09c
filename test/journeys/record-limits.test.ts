import { expect, test } from 'vitest';
import { MAX_BUDGETS, MAX_PRICES } from '../../contract/dashboard/costs.ts';
import { MAX_OPEN_IMPORTS } from '../../contract/dashboard/imports.ts';
import { createAgent } from '../../src/features/agents/create-agent.ts';
import { MAX_AGENTS } from '../../src/features/agents/deps.ts';
import { setBudget } from '../../src/features/costs/budgets.ts';
import { setPrice } from '../../src/features/costs/prices.ts';
import { createImport } from '../../src/features/imports/upload-import.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Db } from '../../src/store/db.ts';
import { agent } from '../../src/store/schema/agent.ts';
import { budget, modelPrice } from '../../src/store/schema/costs.ts';
import { givenOrganization } from '../factories.ts';
import { useDatabase } from '../use-database.ts';

const CALLS = 8;
const ROOM = 3;
const ACTOR = { userId: 'user_test', address: null, requestId: null };
let db: Db;
useDatabase((own) => {
  db = own;
});

/** Makes calls at the same time, with room for a few records. Returns how many calls succeed. */
async function atOnce(call: (n: number) => Promise<unknown>): Promise<number> {
  const made = await Promise.allSettled(Array.from({ length: CALLS }, (_, n) => call(n)));
  return made.filter(({ status }) => status === 'fulfilled').length;
}

test('simultaneous calls create no more imports than may wait', async () => {
  const orgId = await givenOrganization(db);
  expect(await atOnce((n) => createImport({ db }, orgId, { name: `${n}.csv`, bytes: 10 }, ACTOR))).toBe(
    MAX_OPEN_IMPORTS,
  );
});

test('simultaneous calls create no more agents than an organization may have', async () => {
  const orgId = await givenOrganization(db);
  const known = Array.from({ length: MAX_AGENTS - ROOM }, () => newId('agent'));
  await db.insert(agent).values(known.map((id) => ({ orgId, id, name: id, draft: {}, published: {} })));
  const deps = { db, egress: { check: async () => {}, fetchWith: () => fetch } };
  expect(await atOnce((n) => createAgent(deps, orgId, { name: `Agent ${n}` }, ACTOR))).toBe(ROOM);
});

test('simultaneous calls set no more budgets than an organization may have', async () => {
  const orgId = await givenOrganization(db);
  const of = { orgId, subject: 'organization', subjectId: '', period: 'day', amount: '1', periodStart: '2026-01-01' };
  const unitOf = (n: number) => `X${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}`;
  await db
    .insert(budget)
    .values(Array.from({ length: MAX_BUDGETS - ROOM }, (_, n) => ({ ...of, id: newId('budget'), unit: unitOf(n) })));
  const set = (n: number) =>
    setBudget({ db }, orgId, { subject: 'organization', period: 'month', unit: unitOf(n), amount: 1 }, ACTOR);
  expect(await atOnce(set)).toBe(ROOM);
});

test('simultaneous calls set no more prices than an organization may have', async () => {
  const orgId = await givenOrganization(db);
  const price = { currency: 'USD', input: 1, output: 1 };
  const row = { orgId, provider: 'openai', currency: 'USD', input: '1', output: '1', cached: null };
  await db
    .insert(modelPrice)
    .values(Array.from({ length: MAX_PRICES - ROOM }, (_, n) => ({ ...row, model: `known-${n}` })));
  expect(await atOnce((n) => setPrice({ db }, orgId, { provider: 'openai', model: `new-${n}`, price }, ACTOR))).toBe(
    ROOM,
  );
});
