import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { conversation } from '../../src/store/schema/conversation.ts';
import { run as runs } from '../../src/store/schema/run.ts';
import { givenAgent, givenApproval, givenConversation, givenMessage } from '../factories.ts';
import {
  CHROMIUM,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];
const PHONE = { width: 390, height: 844 };

/** Approvals in a real browser: the list, the request in its conversation, and people who may not decide. */
describe.skipIf(!CHROMIUM)('approvals', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let conversationId: string;
  let approvalId: string;

  beforeAll(async () => {
    journey = await startJourney();
    ({ orgId, cookie } = await journey.owner());
  });
  afterAll(() => journey?.stop());

  beforeEach(async () => {
    const { db } = journey.app;
    await db.execute(sql`DELETE FROM approval`);
    const { agentId, channelId } = await givenAgent(db, orgId, { name: 'Concierge' });
    const { id } = await givenConversation(db, orgId, channelId, { person: { name: 'Asha Rao' } });
    conversationId = id;
    const runId = newId('run');
    await db
      .insert(runs)
      .values({ orgId, id: runId, conversationId: id, status: 'waiting_for_approval', input: {}, turns: 1 });
    await db
      .update(conversation)
      .set({ runId })
      .where(sql`id = ${id}`);
    const messageOf = (role: 'agent' | 'end_user', text: string) =>
      givenMessage(db, orgId, id, { role, content: { type: 'text', text } });
    await messageOf('end_user', 'Please refund order A-1043.');
    await messageOf('agent', 'I have asked a colleague. You will hear from us here.');
    const run = { id: runId, agent_id: agentId, conversation_id: id };
    approvalId = await givenApproval(db, orgId, run, { order_id: 'A-1043', amount: 120, items: ['Lamp', 'Table'] });
  });

  const stored = async () =>
    (await journey.app.db.execute(sql`SELECT status, reason FROM approval WHERE id = ${approvalId}`)).rows[0];

  it('a member approves a call in its conversation, with a reason', async () => {
    const { page, faults } = await journey.open(`/conversations/${conversationId}`, { as: OWNER });
    await page.getByText('The agent asks for approval').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/approval-inbox.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByLabel('Reason').fill('A regular customer');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved by').waitFor();
    await page.getByText('A regular customer').waitFor();
    expect(await stored()).toEqual({ status: 'approved', reason: 'A regular customer' });
    expect(faults).toEqual([]);
  });

  it('a member denies a call from the list, and the count and the list follow', async () => {
    const { page, faults } = await journey.open('/approvals?status=pending', { as: OWNER });
    await page.getByText('1 waits for an approval').waitFor({ state: 'attached' });
    await page.getByText('items: ["Lamp","Table"], amount: 120, order_id: A-1043').waitFor();
    await page.getByRole('button', { name: 'Review refund' }).click();
    // The buttons of the decision disappear with the row, before the count is read.
    const isRowGone = Promise.withResolvers<void>();
    await page.route('**/conversations/counts', async (route) => {
      await isRowGone.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    isRowGone.resolve();
    await page.getByRole('status').getByText('Denied', { exact: true }).waitFor();
    await page.getByText('1 waits for an approval').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Review refund' }).waitFor({ state: 'detached' });
    expect(await stored()).toEqual({ status: 'denied', reason: null });
    expect(faults).toEqual([]);
  });

  it('the decision of another member appears without a reload', async () => {
    const { page } = await journey.open('/approvals', { as: OWNER });
    await page.getByRole('button', { name: 'Review refund' }).waitFor();
    const body = { decision: 'deny', reason: 'Too old' };
    await journey.api(`POST /organizations/${orgId}/approvals/${approvalId}`, body, cookie);
    await page.getByRole('button', { name: 'Details of refund' }).waitFor();
    expect(await page.getByText('Denied by Asha Rao').count()).toBe(1);
  });

  it.each([
    { language: 'en', theme: 'light' },
    { language: 'ar', theme: 'light' },
    { language: 'en', theme: 'dark' },
  ])('the pages have no serious axe-core faults and fit a phone, in $language and $theme', async (liked) => {
    const name = `${liked.language}-${liked.theme}`;
    const { page } = await journey.open('/approvals', { as: OWNER, liked });
    await page.getByRole('link', { name: 'Asha Rao' }).waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/approvals-${name}.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/approvals-${name}-phone.png`, fullPage: true });
    await page.locator('tbody button').first().click();
    await page.getByRole('dialog').getByText('A-1043').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/approval-dialog-${name}-phone.png` });
    await page.goto(`${journey.app.url}/conversations/${conversationId}`);
    await page.getByText('A-1043', { exact: true }).waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/approval-inbox-${name}-phone.png` });
  });

  it('a viewer sees the call but cannot decide', async () => {
    const invitation = { email: 'vera@example.com', role: 'viewer' };
    const invited = await journey.api(`POST /organizations/${orgId}/invitations`, invitation, cookie);
    const token = new URL(invited.body.url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Vera', password: PASSWORD });
    const { page } = await journey.open(`/conversations/${conversationId}`, { as: 'vera@example.com' });
    await page.getByText('Members, admins and owners decide about calls.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});
