import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId, timeOfId } from '../../kernel/ids.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { lockConversation } from '../../store/conversations/write.ts';
import { lockAddress } from '../../store/inbound/find-receiver.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { MORE_MESSAGES_MS } from '../../store/runs/more-messages-wait.ts';
import { type InboundQueue, createInboundQueue } from './inbound-queue.ts';

/** After a message is stored the agent waits for more, no matter how long storing took. */
let db: Db;
let queue: InboundQueue;
let orgId: string;
let agent: { agentId: string; channelId: string };
useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
  orgId = await givenOrganization(db);
  agent = await givenAgent(db, orgId);
});

const says = (address: string, more: { providerMessageId?: string; text?: string } = {}) => {
  const { agentId, channelId: id } = agent;
  const eventId = newId('msg');
  const { text = 'hello', ...named } = more;
  return queue.store(
    { orgId, id, agentId, kind: 'telegram', enabled: true, settings: {}, sealed: null },
    { type: 'message', eventId, ...named, address, person: {}, content: { type: 'text', text } },
    'req_test',
  );
};

/** Holds what `lock` takes for longer than a turn waits, while `work` is queued for it. */
async function whileHeld<T>(lock: (tx: Queryable) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let waiting: Promise<T>;
  await db.transaction(async (tx) => {
    await lock(tx);
    waiting = work();
    const blocked = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await db.execute(blocked)).rows).toHaveLength(1);
    await sleep(MORE_MESSAGES_MS + 100);
  });
  return waiting!;
}

/** How long after the message was stored its turn may start. */
async function waits({ messageId, runId }: { messageId: string; runId: string | null }): Promise<number> {
  const { rows } = await db.execute<{ due: number }>(
    sql`SELECT (extract(epoch FROM due_at) * 1000)::float8 AS due FROM run WHERE org_id = ${orgId} AND id = ${runId}`,
  );
  return rows[0]!.due - timeOfId(messageId);
}

test('the turn for a new person waits for further messages, however long storing took', async () => {
  const stored = await whileHeld(
    (tx) => lockAddress(tx, agent.channelId, 'new'),
    () => says('new'),
  );
  expect(await waits(stored!)).toBeGreaterThanOrEqual(MORE_MESSAGES_MS);
});

test('the turn for a known person waits for further messages, however long storing took', async () => {
  const first = await says('known');
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT conversation_id AS id FROM message WHERE org_id = ${orgId} AND id = ${first!.messageId}`,
  );
  const stored = await whileHeld(
    (tx) => lockConversation(tx, orgId, rows[0]!.id),
    () => says('known'),
  );
  expect(stored!.runId).toBe(first!.runId);
  expect(await waits(stored!)).toBeGreaterThanOrEqual(MORE_MESSAGES_MS);
});

test.each([
  ['a NUL in the id of a message', { providerMessageId: '<a\0b@example.qa>' }],
  [
    'an id that is too long for an index',
    { providerMessageId: Array.from({ length: 990 }, (_, n) => String.fromCodePoint(0x4e00 + n * 7)).join('') },
  ],
  ['text that is cut in the middle of a character', { text: `x${'😀'.repeat(16_000)}` }],
])('a message with %s does not block messages of other people, known or new', async (_, odd) => {
  await says('neighbor');
  await says('odd');
  const stored = await Promise.all([says('neighbor'), says('odd', odd), says(newId('enduser'), odd)]);
  expect(stored.map((one) => one!.messageId)).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
});
