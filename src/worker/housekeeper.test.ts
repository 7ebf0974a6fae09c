import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../test/factories.ts';
import { useDatabase } from '../../test/use-database.ts';
import type { Db } from '../store/db.ts';
import { createQueueMail } from '../store/mail.ts';
import { newId } from '../kernel/ids.ts';
import { deriveKey } from '../kernel/seal.ts';
import { member } from '../store/schema/identity.ts';
import { writeBudget } from '../store/costs/budgets.ts';
import { createHousekeeper } from './housekeeper.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

const queueMail = createQueueMail(deriveKey('a secret', 'mail'));
const housekeeper = () =>
  createHousekeeper({
    db,
    log: pino({ level: 'silent' }),
    queueMail,
    setupKey: deriveKey('a secret', 'setup'),
    baseUrl: 'https://parley.example',
  });

/** More than one statement removes. */
const MANY = 5_500;

test('one round removes all expired data, however much, and nothing else', async () => {
  const orgId = await givenOrganization(db);
  const { channelId } = await givenAgent(db, orgId);
  const old = sql`now() - CASE WHEN n = 0 THEN interval '1 hour' ELSE interval '40 days' END FROM generate_series(0, ${MANY}) n`;
  await db.execute(sql`INSERT INTO inbound_event (org_id, channel_id, event_id, created_at)
    SELECT ${orgId}, ${channelId}, n::text, ${old}`);
  await db.execute(sql`INSERT INTO receipt (org_id, channel_id, provider_message_id, status, created_at)
    SELECT ${orgId}, ${channelId}, n::text, 'read', ${old}`);
  await db.execute(
    sql`INSERT INTO event (org_id, id, type, data, created_at) SELECT ${orgId}, n::text, 'run.failed', '{}', ${old}`,
  );
  await db.execute(sql`INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
    SELECT ${orgId}, n::text::bytea, '', 202, '{}', ${old}`);
  await db.execute(sql`INSERT INTO request_log (org_id, id, key_id, method, route, status, ms, at)
    SELECT ${orgId}, n::text, 'key', 'GET', '/', 200, 1, ${old}`);
  await db.execute(sql`INSERT INTO model_turn (org_id, id, agent_id, provider, model, created_at)
    SELECT ${orgId}, n::text, 'agent', 'openai', 'gpt', ${old}`);
  await housekeeper().tidy();
  for (const table of ['inbound_event', 'receipt', 'event', 'idempotency', 'request_log', 'model_turn']) {
    const { rows } = await db.execute(sql`SELECT count(*)::int AS n FROM ${sql.identifier(table)}`);
    expect([table, rows]).toEqual([table, [{ n: 1 }]]);
  }
});

test('the reservation of a dead worker is settled, although no turn waits for it', async () => {
  const orgId = await givenOrganization(db);
  await db.execute(sql`INSERT INTO budget (org_id, id, subject, subject_id, period, unit, amount, period_start, reserved)
    VALUES (${orgId}, 'budget_1', 'organization', '', 'month', 'tokens', 1000, current_date, 300)`);
  await db.execute(sql`INSERT INTO budget_reservation (org_id, id, budget_id, run_id, lease, period_start, amount)
    VALUES (${orgId}, 'r', 'budget_1', 'run_gone', 'node_gone', current_date, 300)`);
  await housekeeper().tidy();
  const { rows } = await db.execute(sql`SELECT spent, reserved FROM budget WHERE org_id = ${orgId}`);
  expect(rows).toEqual([{ spent: '300', reserved: '0' }]);
});

test('owners get one mail for each threshold of a budget, on any number of nodes', async () => {
  const orgId = await givenOrganization(db);
  const userId = newId('user');
  await db.execute(sql`INSERT INTO "user" (id, name, email) VALUES (${userId}, 'Asha', ${`${userId}@example.qa`})`);
  await db.insert(member).values({ id: newId('member'), organizationId: orgId, userId, role: 'owner' });
  const budget = { id: newId('budget'), subject: 'organization', subjectId: '', period: 'day', unit: 'tokens' };
  await writeBudget(db, orgId, { ...budget, amount: '1000' });
  const spend = (spent: number) => db.execute(sql`UPDATE budget SET spent = ${spent} WHERE org_id = ${orgId}`);
  const mails = async () => {
    await Promise.all(Array.from({ length: 4 }, () => housekeeper().tidy()));
    const { rows } = await db.execute(sql`SELECT id FROM mail WHERE recipient = ${`${userId}@example.qa`}`);
    return rows.length;
  };
  expect(await mails()).toBe(0);
  await spend(810);
  expect(await mails()).toBe(1);
  await spend(900);
  expect(await mails()).toBe(1);
  await spend(1000);
  expect(await mails()).toBe(2);
});
