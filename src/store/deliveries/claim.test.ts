import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim.ts';
import { type DeliveryOutcome, completeDeliveries } from './complete.ts';
import { eraseEndUser } from '../end-users/erase.ts';
import { createSuppression } from '../end-users/suppression.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

const sent = (delivery: ClaimedDelivery): DeliveryOutcome => ({
  claimed: delivery,
  status: 'sent',
  error: null,
  providerMessageId: `provider-${delivery.id}`,
  possibleDuplicate: false,
  againAfterMs: null,
  refund: false,
  learned: {
    conversationId: delivery.conversation_id,
    channelId: delivery.channel.id,
    endUserId: delivery.person.id,
    address: `address of ${delivery.person.id}`,
  },
});

test('of two messages in one batch, the message to an erased person does not affect the other', async () => {
  const orgId = await givenOrganization(db);
  const { channelId } = await givenAgent(db, orgId);
  const [gone, stays] = [
    await givenConversation(db, orgId, channelId),
    await givenConversation(db, orgId, channelId),
  ] as const;
  for (const { id } of [gone, stays])
    await givenMessage(db, orgId, id, {
      content: { type: 'text', text: 'Hi' },
      status: 'queued',
      dueAt: new Date(Date.now() - 1_000),
    });
  const claimed = await claimDeliveries(db.$client, 'worker', 10);
  expect(claimed).toHaveLength(2);
  await db.transaction((tx) => eraseEndUser(tx, orgId, gone.endUserId, createSuppression(Buffer.alloc(32))));
  const stored = await completeDeliveries(db.$client, claimed.map(sent));
  expect([...stored]).toEqual(claimed.filter(({ person }) => person.id === stays.endUserId).map(({ id }) => id));
  const { rows } = await db.execute(sql`SELECT address FROM identity WHERE org_id = ${orgId}`);
  expect(rows).toEqual([{ address: `address of ${stays.endUserId}` }]);
});
