import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../app.ts';
import { burstsOf } from '../bursts.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import type { FakeProvider, Hook } from '../fakes/provider.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';

/** After an outage, a provider sends all stored calls several times each and in random order. */
const PEOPLE = 10;
const CALLS_AT_ONCE = 48;
const STORMS = [
  { messagesEach: 40, repeated: 100, tags: [] },
  { messagesEach: 400, repeated: 1_000, tags: ['long'] },
];

let parley: TestApp;
let provider: FakeProvider;
let orgId: string;
let channelId: string;
beforeEach(async () => {
  [parley, provider] = await Promise.all([startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' }), startWhatsApp()]);
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
});
afterEach(() => Promise.all([parley.stop(), provider.stop()]));

const rows = async <T extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
  (await parley.db.execute<T>(query)).rows;

for (const { messagesEach, repeated, tags } of STORMS)
  test(
    `${PEOPLE * messagesEach + repeated} calls, repeated and out of order, store each message once and answer each burst once`,
    { tags, timeout: 300_000 },
    async () => {
      const from = (person: number) => `+9743${String(person).padStart(7, '0')}`;
      const messages = Array.from({ length: PEOPLE * messagesEach }, (_, index) =>
        provider.says(`message ${index}`, { eventId: `wamid.storm.${index}`, from: from(index % PEOPLE) }),
      );
      const statuses = await callAll(shuffled([...messages, ...shuffled(messages).slice(0, repeated)]));
      expect(statuses).toEqual({ 200: messages.length + repeated });
      const [stored] =
        await rows(sql`SELECT count(*)::int AS all, count(DISTINCT m.content ->> 'text')::int AS different,
      count(DISTINCT m.conversation_id)::int AS conversations, count(DISTINCT c.end_user_id)::int AS people,
      count(DISTINCT m.run_id)::int AS runs
    FROM message m JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id
    WHERE m.org_id = ${orgId} AND m.role = 'end_user'`);
      const once = { all: messages.length, different: messages.length };
      expect(stored).toEqual({ ...once, conversations: PEOPLE, people: PEOPLE, runs: PEOPLE });

      const waiting = () => rows(sql`SELECT id FROM run WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
      await expect.poll(waiting, { timeout: 40_000 }).toEqual([]);
      const talks = await rows<{ id: string; heard: string[]; answers: number }>(sql`SELECT conversation_id AS id,
      array_agg(id ORDER BY id) FILTER (WHERE role = 'end_user') AS heard,
      (count(*) FILTER (WHERE role = 'agent'))::int AS answers
    FROM message WHERE org_id = ${orgId} GROUP BY conversation_id`);
      for (const { heard, answers } of talks) {
        expect(answers).toBeGreaterThan(0);
        expect(answers).toBeLessThanOrEqual(burstsOf(heard));
      }
      const answers = talks.reduce((sum, talk) => sum + talk.answers, 0);
      await expect.poll(() => provider.delivered.length, { timeout: 40_000 }).toBe(answers);
    },
  );

async function callAll(hooks: Hook[]): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const caller = async () => {
    while (next < hooks.length) {
      const { method, headers, body } = hooks[next++]!;
      const answer = await fetch(`${parley.url}/inbound/whatsapp/${channelId}`, { method, headers, body });
      await answer.text();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller));
  return statuses;
}

/** In another order, which is the same in every run of the test. */
function shuffled<T>(all: readonly T[]): T[] {
  const mixed = [...all];
  let seed = 20_261_121;
  for (let index = mixed.length - 1; index > 0; index--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const other = seed % (index + 1);
    [mixed[index], mixed[other]] = [mixed[other]!, mixed[index]!];
  }
  return mixed;
}
