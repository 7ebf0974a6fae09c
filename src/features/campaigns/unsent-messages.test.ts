import { eq, sql } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { CampaignMove } from '../../../contract/dashboard/campaigns.ts';
import { newId } from '../../kernel/ids.ts';
import { SYSTEM } from '../../store/organizations/audit.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { type ClaimedDelivery, claimDeliveries, DELIVERY_QUEUE } from '../../store/deliveries/claim.ts';
import { completeDeliveries } from '../../store/deliveries/complete.ts';
import { expireRecipients } from '../../store/recipients/dispatch.ts';
import { campaign, recipient } from '../../store/schema/campaign.ts';
import { run } from '../../store/schema/run.ts';
import { deliverMessage, givenBack } from '../../worker/deliveries/deliver-message.ts';
import { deleteAgent } from '../agents/delete-agent.ts';
import { moveInside } from './change-campaign.ts';
import { cancelRecipient } from './recipients.ts';

/** A campaign's first message that a worker has just claimed, and the effect of the campaign's moves on it. */
let db: Db;
let orgId: string;
let given: Awaited<ReturnType<typeof givenSending>>;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
});
beforeEach(async () => {
  await db.execute(sql`UPDATE message SET due_at = NULL`);
  given = await givenSending();
});

async function givenSending() {
  const { agentId, channelId } = await givenAgent(db, orgId);
  const [id, runId, recipientId] = [newId('campaign'), newId('run'), newId('rcpt')];
  await db.insert(campaign).values({ orgId, id, agentId, channelId, name: 'Spring', state: 'live', attended: true });
  const conversation = await givenConversation(db, orgId, channelId);
  const { endUserId, id: conversationId } = conversation;
  await db.insert(run).values({ orgId, id: runId, conversationId, status: 'waiting_for_user', input: {}, turns: 1 });
  await db
    .insert(recipient)
    .values({ orgId, campaignId: id, id: recipientId, endUserId, status: 'sending', conversationId, runId });
  const content = { type: 'text' as const, text: 'Hello' };
  const messageId = await givenMessage(db, orgId, conversationId, {
    content,
    runId,
    status: 'queued',
    dueAt: new Date(0),
  });
  return { id, agentId, channelId, messageId, recipientId, conversationId, endUserId };
}

const claim = () => claimDeliveries(db.$client, newId('node'), 10);
const claimOne = async (): Promise<ClaimedDelivery> => {
  const claimed = await claim();
  expect(claimed.map(({ id }) => id)).toEqual([given.messageId]);
  return claimed[0]!;
};
const move = (to: CampaignMove) => db.transaction((tx) => moveInside(tx, orgId, given.id, to, SYSTEM));
const giveBack = (claimed: ClaimedDelivery) => completeDeliveries(db.$client, [givenBack(claimed, 0)]);
const send = (claimed: ClaimedDelivery) =>
  completeDeliveries(db.$client, [
    { ...givenBack(claimed, 0), status: 'sent', againAfterMs: null, refund: false, providerMessageId: newId('msg') },
  ]);
const leaseRunsOut = () => db.execute(sql`UPDATE message SET due_at = now() WHERE due_at IS NOT NULL`);
const read = async () => {
  const { rows } = await db.execute(sql`SELECT m.status, m.error ->> 'code' AS code,
      m.due_at IS NOT NULL AS due, r.status AS recipient, r.reason
    FROM message m JOIN recipient r ON r.run_id = m.run_id WHERE m.id = ${given.messageId}`);
  return rows[0]!;
};
/** What the next worker that claims it does with it; no kind of channel could send it. */
async function deliverNext(): Promise<void> {
  const claimed = await claimOne();
  const { outcome, called } = await deliverMessage(claimed, {
    kinds: new Map(),
    openSecrets: null,
    tools: null,
  } as never);
  expect(called).toBe(false);
  await completeDeliveries(db.$client, [outcome]);
}

describe('a pause', () => {
  test('a message that its worker returns to the queue during a pause waits for the resume', async () => {
    const claimed = await claimOne();
    await move('pause');
    await giveBack(claimed);
    expect(await read()).toMatchObject({ status: 'queued', due: false, recipient: 'sending' });
    expect(await claim()).toEqual([]);
    await move('resume');
    await claimOne();
  });

  test('a message that returns to the queue while the pause is being stored waits', async () => {
    const claimed = await claimOne();
    let back: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await moveInside(tx, orgId, given.id, 'pause', SYSTEM);
      back = giveBack(claimed);
      await expect
        .poll(async () => {
          const { rows } = await db.execute(sql`SELECT 1 FROM pg_locks WHERE NOT granted
            AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`);
          return rows.length;
        })
        .toBeGreaterThan(0);
    });
    await back;
    expect(await claim()).toEqual([]);
    expect(await read()).toMatchObject({ status: 'queued', due: false });
  });

  test('a pause does not stop a message that is being sent', async () => {
    const claimed = await claimOne();
    await move('pause');
    await send(claimed);
    expect(await read()).toMatchObject({ status: 'sent', recipient: 'sent' });
  });

  test('neither a lease renewal nor the death of the worker undoes a pause', async () => {
    const claimed = await claimOne();
    await move('pause');
    await DELIVERY_QUEUE.renewAll(db.$client, [claimed]);
    await leaseRunsOut();
    expect(await claim()).toEqual([]);
    await move('resume');
    // The worker that held it may still be alive.
    expect(await claim()).toEqual([]);
    await leaseRunsOut();
    expect((await claimOne()).possible_duplicate).toBe(true);
  });

  test.each([null, 'Asia/Kolkata'])(
    'after a pause that ends in the quiet hours of %s, messages wait until they are over',
    async (zone) => {
      const clock = (hours: number) =>
        new Date(Date.now() + hours * 3_600_000 + (zone ? 5.5 : 0) * 3_600_000).toISOString().slice(11, 16);
      const settings = { quiet_hours: { from: clock(-1), to: clock(2) } };
      await db.update(campaign).set({ settings }).where(eq(campaign.id, given.id));
      await db.execute(sql`UPDATE end_user SET time_zone = ${zone} WHERE id = ${given.endUserId}`);
      const waiting = { id: newId('run'), status: 'queued', input: {}, dueAt: new Date() };
      await db.insert(run).values({ orgId, conversationId: given.conversationId, ...waiting });
      const other = { orgId, campaignId: given.id, id: newId('rcpt'), endUserId: given.endUserId, enrolment: 1 };
      await db.insert(recipient).values({ ...other, status: 'sending', runId: waiting.id });
      await move('pause');
      await move('resume');
      const { rows } = await db.execute<{ due: string }>(sql`
      SELECT due_at AS due FROM message WHERE id = ${given.messageId}
      UNION ALL SELECT due_at FROM run WHERE id = ${waiting.id}`);
      const opens = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 7_200_000).getTime();
      expect(rows.map(({ due }) => Math.abs(new Date(due).getTime() - opens) <= 60_000)).toEqual([true, true]);
      expect(await claim()).toEqual([]);
    },
  );
});

describe.each([
  ['the end of a campaign', 'campaign_ended', 'suppressed', () => move('end')],
  [
    'the cancelling of a recipient',
    'cancelled',
    'cancelled',
    () => cancelRecipient({ db }, { orgId, keyId: null, from: null }, given.id, given.recipientId),
  ],
])('%s', (_what, code, status, withdraw) => {
  test('ending a campaign withdraws a waiting message', async () => {
    await withdraw();
    expect(await read()).toMatchObject({ status: 'suppressed', code, due: false, recipient: status, reason: code });
    expect(await claim()).toEqual([]);
  });

  test('ending a campaign withdraws a claimed message when its worker returns it to the queue', async () => {
    const claimed = await claimOne();
    await withdraw();
    await giveBack(claimed);
    await deliverNext();
    expect(await read()).toMatchObject({ status: 'suppressed', code, due: false, recipient: status });
  });

  test('ending a campaign withdraws a message whose worker died, even during a pause', async () => {
    await claimOne();
    await move('pause');
    await withdraw();
    await leaseRunsOut();
    await deliverNext();
    expect(await read()).toMatchObject({ status: 'suppressed', code, due: false });
  });

  test('a message in progress counts as sent when the campaign ends', async () => {
    const claimed = await claimOne();
    await withdraw();
    await send(claimed);
    const recipient = status === 'suppressed' ? 'sent' : status;
    expect(await read()).toMatchObject({ status: 'sent', code: null, due: false, recipient });
  });
});

describe('the deletion of an agent', () => {
  const change = async (_: unknown, work: (tx: Queryable, seq: number) => Promise<unknown>) => ({
    result: await db.transaction((tx) => work(tx, 0)),
  });
  const deleteIt = () => deleteAgent({ db, access: { change } } as never, orgId, given.agentId, SYSTEM);

  test('ends the runs and withdraws the first messages of a paused campaign', async () => {
    const waiting = { id: newId('run'), status: 'queued', input: {}, dueAt: new Date() };
    await db.insert(run).values({ orgId, conversationId: given.conversationId, ...waiting });
    const other = { orgId, campaignId: given.id, id: newId('rcpt'), endUserId: given.endUserId, enrolment: 1 };
    await db.insert(recipient).values({ ...other, status: 'sending', runId: waiting.id });
    await move('pause');
    await deleteIt();
    const ended = { reason: 'campaign_ended' };
    expect(await read()).toMatchObject({ ...ended, status: 'suppressed', due: false, recipient: 'suppressed' });
    const { rows } = await db.execute(sql`SELECT u.status, u.reason, r.status AS recipient FROM run u
      JOIN recipient r ON r.run_id = u.id WHERE u.id = ${waiting.id}`);
    expect(rows).toEqual([{ ...ended, status: 'cancelled', recipient: 'cancelled' }]);
  });

  test('expires the recipients of a draft', async () => {
    const { agentId, channelId, endUserId } = given;
    const [draft, id] = [newId('campaign'), newId('rcpt')];
    await db.insert(campaign).values({ orgId, id: draft, agentId, channelId, name: 'Draft' });
    const waiting = { status: 'pending', dueAt: new Date() };
    await db.insert(recipient).values({ orgId, campaignId: draft, id, endUserId, ...waiting });
    await deleteIt();
    await expireRecipients(db, 10);
    expect(await db.select().from(recipient).where(eq(recipient.id, id))).toMatchObject([
      { status: 'expired', reason: 'campaign_ended' },
    ]);
  });
});

test.each([
  ['sending', 'failed', 'failed'],
  ['sent', 'undelivered', 'failed'],
  ['delivered', 'failed', 'delivered'],
  ['replied', 'failed', 'replied'],
  ['replied', 'suppressed', 'replied'],
])('a recipient that is %s and whose message becomes %s is then %s', async (before, message, after) => {
  await db.update(recipient).set({ status: before }).where(eq(recipient.id, given.recipientId));
  await db.execute(sql`UPDATE message SET status = ${message} WHERE id = ${given.messageId}`);
  expect(await read()).toMatchObject({ recipient: after });
});
