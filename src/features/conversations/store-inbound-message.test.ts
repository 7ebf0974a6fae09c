import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../../store/db.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { endUser } from '../../store/schema/end-user.ts';
import { createInboundQueue } from './inbound-queue.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('a name from a provider is stored as one line, and a name without a letter is not stored', async () => {
  const orgId = await givenOrganization(db);
  const { agentId, channelId: id } = await givenAgent(db, orgId);
  const queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
  const channel = { orgId, id, agentId, kind: 'telegram' as const, enabled: true, settings: {}, sealed: null };
  for (const [address, name] of [
    ['1', 'Ann\r\n=1+1\u0085\u0000'],
    ['2', '\r\n\u0007'],
  ] as const) {
    const content = { type: 'text' as const, text: 'hello' };
    const event = { type: 'message' as const, eventId: address, address, person: { name }, content };
    await queue.store(channel, event, 'req_test');
  }
  const people = await db.select({ name: endUser.name }).from(endUser).where(eq(endUser.orgId, orgId));
  expect(people.map(({ name }) => name)).toEqual(expect.arrayContaining(['Ann =1+1', null]));
});
