import { eq, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { expireRecipients } from './dispatch.ts';
import { campaign, recipient } from '../schema/campaign.ts';
import { run } from '../schema/run.ts';

let db: Db;
let orgId: string;
let agentId: string;
let channelId: string;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
  ({ agentId, channelId } = await givenAgent(db, orgId));
});

async function givenCampaign(more: Partial<typeof campaign.$inferInsert> = {}): Promise<string> {
  const id = newId('campaign');
  const row = { orgId, id, agentId, channelId, name: 'Spring', state: 'live', attended: true };
  await db.insert(campaign).values({ ...row, ...more });
  return id;
}

const due = async (campaignId: string) => {
  const { endUserId } = await givenConversation(db, orgId, channelId);
  return { orgId, campaignId, id: newId('rcpt'), endUserId, status: 'pending', dueAt: new Date(0) };
};

test("a started recipient of a paused campaign gets no message after the campaign's end time", async () => {
  const endsAt = new Date(Date.now() - 1_000).toISOString();
  const id = await givenCampaign({ state: 'paused', settings: { ends_at: endsAt } });
  const { endUserId, id: conversationId } = await givenConversation(db, orgId, channelId);
  const [unsaid, unsent] = [newId('run'), newId('run')];
  await db.insert(run).values([
    { orgId, id: unsaid, conversationId, status: 'queued', input: {} },
    { orgId, id: unsent, conversationId, status: 'waiting_for_user', input: {}, turns: 1 },
  ]);
  await givenMessage(db, orgId, conversationId, {
    content: { type: 'text', text: 'Hello' },
    runId: unsent,
    status: 'queued',
  });
  const sending = { orgId, campaignId: id, endUserId, status: 'sending', conversationId };
  await db.insert(recipient).values([
    { ...sending, id: newId('rcpt'), runId: unsaid },
    { ...sending, id: newId('rcpt'), runId: unsent, enrolment: 1 },
  ]);
  await expireRecipients(db, 100);
  const rows = await db.select().from(recipient).where(eq(recipient.campaignId, id)).orderBy(recipient.enrolment);
  expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
    ['cancelled', 'campaign_ended'],
    ['suppressed', 'campaign_ended'],
  ]);
  expect((await db.select().from(campaign).where(eq(campaign.id, id)))[0]!.state).toBe('ended');
});

test('a recipient who is enrolled while the campaign ends expires with the others', async () => {
  const id = await givenCampaign();
  const late = await due(id);
  await db.transaction(async (tx) => {
    await tx.insert(recipient).values(late);
    await db.execute(sql`UPDATE campaign SET state = 'ended', updated_at = now() WHERE id = ${id}`);
    expect(await expireRecipients(db, 100)).toBe(0);
  });
  expect(await expireRecipients(db, 100)).toBe(1);
  const [row] = await db.select().from(recipient).where(eq(recipient.id, late.id));
  expect(row).toMatchObject({ status: 'expired', dueAt: null });
  await db.execute(sql`UPDATE campaign SET updated_at = now() - interval '1 hour' WHERE id = ${id}`);
  await expireRecipients(db, 100);
  expect((await db.select().from(campaign).where(eq(campaign.id, id)))[0]!.attended).toBe(false);
});
