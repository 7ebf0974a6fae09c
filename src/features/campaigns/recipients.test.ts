import { beforeEach, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { SYSTEM } from '../../store/organizations/audit.ts';
import { campaign, recipient } from '../../store/schema/campaign.ts';
import { expireRecipients } from '../../store/recipients/dispatch.ts';
import { readRecipient } from '../../store/recipients/read.ts';
import { deleteCampaign } from './change-campaign.ts';
import { cancelRecipient } from './recipients.ts';

let db: Db;
let orgId: string;

useDatabase((own) => {
  db = own;
});
beforeEach(async () => {
  orgId = await givenOrganization(db);
});

async function givenRecipient(
  state: string,
  enrolled: Partial<typeof recipient.$inferInsert>,
): Promise<{ id: string; campaignId: string }> {
  const place = await givenAgent(db, orgId);
  const [campaignId, id] = [newId('campaign'), newId('rcpt')];
  await db.insert(campaign).values({ orgId, id: campaignId, ...place, name: 'Spring', state });
  const { endUserId } = await givenConversation(db, orgId, place.channelId);
  await db.insert(recipient).values({ orgId, campaignId, id, endUserId, status: 'pending', ...enrolled });
  return { id, campaignId };
}

test.each(['sent', 'delivered', 'read', 'replied'])(
  'a recipient who is %s, and whose run was erased, cannot be cancelled',
  async (status) => {
    const { id, campaignId } = await givenRecipient('live', { status });
    const cancelled = cancelRecipient({ db }, { orgId, keyId: null, from: null }, campaignId, id);
    await expect(cancelled).rejects.toMatchObject({ code: 'recipient_finished' });
  },
);

test('the recipients of a deleted draft expire', async () => {
  const { id, campaignId } = await givenRecipient('draft', { dueAt: new Date(0) });
  const change = async <T>(_: unknown, work: (tx: never) => Promise<T>) => ({
    result: await db.transaction((tx) => work(tx as never)),
    effectiveAt: new Date(),
  });
  await deleteCampaign({ access: { change } as never }, orgId, campaignId, SYSTEM);
  await expireRecipients(db, 10);
  expect(await readRecipient(db, orgId, campaignId, id)).toMatchObject({ status: 'expired', dueAt: null });
});
