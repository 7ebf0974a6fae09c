import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { campaign, recipient } from '../../store/schema/campaign.ts';
import { msToOpening } from './delayed-opening.ts';

let db: Db;
let orgId: string;

useDatabase((own) => {
  db = own;
});
beforeEach(async () => {
  orgId = await givenOrganization(db);
});
afterEach(() => void vi.useRealTimers());

async function givenFirstMessage(at: string): Promise<string> {
  const place = await givenAgent(db, orgId);
  const [campaignId, runId] = [newId('campaign'), newId('run', Date.parse(at))];
  const settings = { quiet_hours: { from: '21:00', to: '08:00' } };
  await db.insert(campaign).values({ orgId, id: campaignId, ...place, name: 'Spring', state: 'live', settings });
  const { endUserId } = await givenConversation(db, orgId, place.channelId);
  await db.insert(recipient).values({ orgId, campaignId, id: newId('rcpt'), endUserId, status: 'sending', runId });
  return runId;
}

const msAt = (runId: string, at: string): Promise<number> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(at) });
  return msToOpening(db, orgId, { runId });
};

test('the first message waits from the first second of the quiet hours', async () => {
  const runId = await givenFirstMessage('2026-11-21T20:59:58.000Z');
  expect(await msAt(runId, '2026-11-21T20:59:59.999Z')).toBe(0);
  expect(await msAt(runId, '2026-11-21T21:00:00.000Z')).toBe(11 * 3_600_000);
  expect(await msAt(runId, '2026-11-22T08:00:00.000Z')).toBe(0);
  await db.update(recipient).set({ status: 'sent' }).where(eq(recipient.runId, runId));
  expect(await msAt(runId, '2026-11-21T21:00:00.000Z')).toBe(0);
});
