import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  PASSWORD,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const EACH = 15;
const SARA = 'sara@example.com';
const SHOTS = process.env['TEST_SHOTS'];

/** A day of two members: one at a desk in English, one in Arabic on a phone. */
describe.skipIf(!CHROMIUM)('two members answer thirty conversations', { tags: ['long'] }, () => {
  let journey: Journey;
  const ids: Record<'desk' | 'phone', string[]> = { desk: [], phone: [] };

  let call: Owner['call'];

  beforeAll(async () => {
    journey = await startJourney();
    ({ call } = await journey.owner());
    const { url } = await call('POST /invitations', { email: SARA, role: 'member' });
    const token = new URL(url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Sara Haddad', password: PASSWORD });
    const agent = await call('POST /agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
    const trigger = (await call('POST /triggers', { agent_id: agent.id, name: 'Order update' })).id;
    for (const tag of ['desk', 'phone'] as const)
      for (let n = 0; n < EACH; n++) {
        const end_user = { external_id: `${tag}-${n}`, name: `${tag} person ${n}` };
        const made = await call(`POST /triggers/${trigger}/test`, { end_user, message: 'Hello, where is it?' });
        await call(`PUT /conversations/${made.conversation_id}/tags`, { tags: [tag] });
        await call(`POST /conversations/${made.conversation_id}/take-over`);
        await call(`PUT /conversations/${made.conversation_id}/assignee`, { user_id: null });
        ids[tag].push(made.conversation_id);
      }
  });
  afterAll(() => journey?.stop());

  /** Answers and resolves all conversations of the list. Each one opens by itself after the one before it. */
  const answerAll = async (page: Page, say: Record<'reply' | 'resolve' | 'undo' | 'send', string>, sizes: Size[]) => {
    const heading = page.getByRole('heading', { level: 1 }).locator('bdi');
    const field = page.getByRole('textbox', { name: say.reply });
    await page.locator('[data-row]').first().click();
    for (let n = 0; n < EACH; n++) {
      await heading.filter({ hasText: `person ${n}` }).waitFor();
      await page.setViewportSize(sizes[n % sizes.length]!);
      await field.fill(n === 0 ? 'long '.repeat(400) : `Answer ${n}`);
      await field.press('Enter');
      const undo = page.getByRole('button', { name: say.undo });
      if (n === 0) {
        // A click fails if another element covers the button.
        await undo.click();
        await expect.poll(async () => (await field.inputValue()).length).toBe(1_999);
        await field.fill('Answer 0');
        await field.press('Enter');
      }
      await undo.waitFor();
      expect(await tooWide(page)).toEqual([]);
      if (SHOTS && n < 2) await page.screenshot({ path: `${SHOTS}/day-${say.send}-${n}.png` });
      await page.getByRole('button', { name: say.resolve, exact: true }).click();
    }
  };

  it('two members lose no reply and resolve each conversation once, and nothing leaves the window', async () => {
    const desk = { width: 1280, height: 800 };
    const phone = { width: 390, height: 844 };
    const list = (tag: string): string => `/conversations?view=unassigned&tag=${tag}&sort=oldest`;
    const one = await journey.open(list('desk'), { as: OWNER, viewport: desk });
    const other = await journey.open(list('phone'), { as: SARA, viewport: phone, liked: { language: 'ar' } });
    await Promise.all([settled(one.page), settled(other.page)]);
    const english = { reply: 'Write a reply', resolve: 'Resolve', undo: 'Undo', send: 'desk' };
    const arabic = { reply: 'اكتب ردًّا', resolve: 'إغلاق', undo: 'تراجع', send: 'phone' };
    await Promise.all([
      answerAll(one.page, english, [desk, { width: 1440, height: 900 }]),
      answerAll(other.page, arabic, [phone]),
    ]);
    for (const id of [...ids.desk, ...ids.phone])
      await expect.poll(async () => (await call(`GET /conversations/${id}`)).status).toBe('resolved');
    for (const tag of ['desk', 'phone'] as const)
      for (const [n, id] of ids[tag].entries()) {
        const { messages } = await call(`GET /conversations/${id}`);
        // oxlint-disable-next-line typescript/no-explicit-any -- as above
        const texts = messages.filter(({ role }: any) => role === 'member').map(({ content }: any) => content.text);
        expect(texts).toEqual([`Answer ${n}`]);
      }
    expect([...one.faults, ...other.faults]).toEqual([]);
  });
});

type Size = { width: number; height: number };
