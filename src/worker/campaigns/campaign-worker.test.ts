import { and, eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import type { Db } from '../../store/db.ts';
import { expireRecipients } from '../../store/recipients/dispatch.ts';
import { campaign, recipient } from '../../store/schema/campaign.ts';
import { channel } from '../../store/schema/channel.ts';
import { message } from '../../store/schema/conversation.ts';
import { run } from '../../store/schema/run.ts';
import { CAMPAIGNS, createCampaignWorker, dispatchDue } from './campaign-worker.ts';

let db: Db;

useDatabase((own) => {
  db = own;
});

async function givenDue(orgId: string, place: { agentId: string; channelId: string }): Promise<string> {
  const [campaignId, id] = [newId('campaign'), newId('rcpt')];
  const row = { orgId, id: campaignId, ...place, name: 'Spring', state: 'live', attended: true };
  await db.insert(campaign).values(row);
  const { endUserId } = await givenConversation(db, orgId, place.channelId);
  await db.insert(recipient).values({ orgId, campaignId, id, endUserId, status: 'pending', dueAt: new Date(0) });
  return id;
}

/** Runs a worker until it starts this recipient. */
async function expectStarted(id: string): Promise<void> {
  const log = createLogger({ level: 'silent', pretty: false });
  const worker = createCampaignWorker({ db, log, onBegun: () => {} });
  worker.start();
  const status = async () => (await db.select().from(recipient).where(eq(recipient.id, id)))[0]!.status;
  await expect.poll(status, { timeout: 5_000 }).toBe('sending');
  await worker.stop();
}

test('campaigns that wait for their channel delay no other campaigns, however many there are', async () => {
  const waiting = await givenOrganization(db);
  const off = await givenAgent(db, waiting);
  for (let n = 0; n < CAMPAIGNS; n++) await givenDue(waiting, off);
  await db.update(channel).set({ enabled: false }).where(eq(channel.id, off.channelId));
  const other = await givenOrganization(db);
  const id = await givenDue(other, await givenAgent(db, other));
  await expectStarted(id);
});

test('a value that is cut inside of a surrogate pair delays no recipient', async () => {
  const orgId = await givenOrganization(db);
  const id = await givenDue(orgId, await givenAgent(db, orgId));
  const [due] = await db.select().from(recipient).where(eq(recipient.id, id));
  const opening = { template: { name: 'news', variables: { note: '{{note}}' } }, text: { default: '{{note}}' } };
  await db.update(campaign).set({ settings: { opening } }).where(eq(campaign.id, due!.campaignId));
  const note = `${'x'.repeat(1_023)}\u{1f600}${'x'.repeat(2_974)}\u{1f600}`;
  await db.update(recipient).set({ variables: { note } }).where(eq(recipient.id, id));
  const key = { org_id: orgId, id: due!.campaignId };
  expect(await dispatchDue(db, key)).toEqual({ isMore: false, hasBegun: true });
});

test('few first messages wait at once, and quiet hours of some people delay no other people', async () => {
  const orgId = await givenOrganization(db);
  const place = await givenAgent(db, orgId);
  const [first] = await db
    .select()
    .from(recipient)
    .where(eq(recipient.id, await givenDue(orgId, place)));
  const { campaignId } = first!;
  for (let more = 0; more < 4; more++) {
    const { endUserId } = await givenConversation(db, orgId, place.channelId);
    const dueAt = new Date(1_000);
    await db.insert(recipient).values({ orgId, campaignId, id: newId('rcpt'), endUserId, status: 'pending', dueAt });
  }
  const dispatch = () => dispatchDue(db, { org_id: orgId, id: campaignId }, 2);
  const begun = async () => {
    await dispatch();
    return db.$count(recipient, and(eq(recipient.campaignId, campaignId), eq(recipient.status, 'sending')));
  };
  expect(await dispatch()).toEqual({ isMore: false, hasBegun: true });
  expect(await begun()).toBe(2);
  // A turn writes the first message, which then waits for its delivery.
  const [written, later] = await db.select().from(run).where(eq(run.orgId, orgId));
  await db.update(run).set({ turns: 1, dueAt: null, status: 'waiting_for_user' }).where(eq(run.id, written!.id));
  const content = { type: 'text' as const, text: 'Hello' };
  const waiting = { content, runId: written!.id, status: 'queued', dueAt: new Date() };
  const messageId = await givenMessage(db, orgId, written!.conversationId, waiting);
  expect(await begun()).toBe(2);
  await db.update(message).set({ dueAt: null, status: 'sent' }).where(eq(message.id, messageId));
  await dispatch();
  expect(await db.$count(run, eq(run.orgId, orgId))).toBe(3);
  const morning = new Date(Date.now() + 8 * 3_600_000);
  await db.update(run).set({ dueAt: morning }).where(eq(run.id, later!.id));
  await dispatch();
  expect(await db.$count(run, eq(run.orgId, orgId))).toBe(4);
});

test('a campaign that fails delays no other campaign', async () => {
  const [one, other] = [await givenOrganization(db), await givenOrganization(db)].toSorted() as [string, string];
  const failing = await givenDue(one, await givenAgent(db, one));
  const [due] = await db.select().from(recipient).where(eq(recipient.id, failing));
  await db.execute(
    sql.raw(`CREATE FUNCTION fail_one() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.id = '${due!.id}' THEN RAISE 'broken'; END IF; RETURN NEW; END $$`),
  );
  await db.execute(sql`CREATE TRIGGER fail_one BEFORE UPDATE ON recipient FOR EACH ROW EXECUTE FUNCTION fail_one()`);
  const id = await givenDue(other, await givenAgent(db, other));
  await expectStarted(id);
  await db.execute(sql`DROP TRIGGER fail_one ON recipient`);
});

test('a campaign that cannot be ended stops no other campaign', async () => {
  const orgId = await givenOrganization(db);
  const place = await givenAgent(db, orgId);
  const settings = { ends_at: new Date(0).toISOString() };
  const ids = [newId('campaign'), newId('campaign'), newId('campaign')];
  await db
    .insert(campaign)
    .values(ids.map((id) => ({ orgId, id, ...place, name: 'Spring', state: 'live', attended: true, settings })));
  await db.execute(sql`CREATE FUNCTION fail_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`);
  await db.execute(
    sql.raw(`CREATE TRIGGER fail_end BEFORE UPDATE ON campaign FOR EACH ROW
      WHEN (NEW.id = '${ids[1]}' AND NEW.state = 'ended') EXECUTE FUNCTION fail_end()`),
  );
  await expect(expireRecipients(db, 10)).rejects.toThrow('Failed query');
  const stateOf = async (id: string) => (await db.select().from(campaign).where(eq(campaign.id, id)))[0]!.state;
  expect(await Promise.all(ids.map(stateOf))).toEqual(['ended', 'live', 'ended']);
  await db.execute(sql`DROP TRIGGER fail_end ON campaign`);
});

test('a batch that fails is undone, and its connection stays open', async () => {
  const orgId = await givenOrganization(db);
  const id = await givenDue(orgId, await givenAgent(db, orgId));
  const [due] = await db.select().from(recipient).where(eq(recipient.id, id));
  const key = { org_id: orgId, id: due!.campaignId };
  await db.execute(sql`CREATE FUNCTION lose_node() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'away' USING ERRCODE = 'connection_failure'; END $$`);
  await db.execute(sql`CREATE TRIGGER lose_node AFTER UPDATE ON recipient EXECUTE FUNCTION lose_node()`);
  const connections = db.$client.totalCount;
  await expect(dispatchDue(db, key)).rejects.toThrow('away');
  expect(db.$client.totalCount).toBe(connections);
  await db.execute(sql`DROP TRIGGER lose_node ON recipient`);
  expect(await dispatchDue(db, key)).toEqual({ isMore: false, hasBegun: true });
});
