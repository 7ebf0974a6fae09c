// @module-tag long
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tabTo,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const LABELS = {
  en: {
    note: 'Write a note for your team',
    reply: 'Write a reply',
    attach: 'Attach files',
    picture: 'Picture',
    write: 'Write the answer',
    try: 'Save and try',
    works: 'The agent now answers:',
    save: 'Save as segment',
    segment_name: 'Name of the segment',
    saved: 'The segment is saved.',
    segment: 'Segment',
    people: 'People',
    review: 'Review',
    add: 'Add as recipients',
    start: 'Start',
  },
  ar: {
    note: 'اكتب ملاحظة لفريقك',
    reply: 'اكتب ردًّا',
    attach: 'إرفاق ملفات',
    picture: 'صورة',
    write: 'اكتب الإجابة',
    try: 'حفظ وتجربة',
    works: 'يجيب الوكيل الآن:',
    save: 'حفظ كشريحة',
    segment_name: 'اسم الشريحة',
    saved: 'حُفظت الشريحة.',
    segment: 'الشريحة',
    people: 'أشخاص',
    review: 'مراجعة',
    add: 'إضافتهم مستلمين',
    start: 'بدء',
  },
} as const;
const HAND_OFFS = 10;
const PNG = Buffer.from('\x89PNG\r\n\x1a\nnot much of a picture', 'latin1');

/** A day of a member who uses only the keyboard: hand-offs, a campaign, and a question that no document answered. */
describe.skipIf(!CHROMIUM).each([
  { language: 'en', viewport: { width: 1280, height: 800 } },
  { language: 'ar', viewport: { width: 390, height: 844 } },
] as const)('a working day of a member, $language at $viewport.width', ({ language, viewport }) => {
  let journey: Journey;
  let agent: string;
  let campaign: string;
  const talks: string[] = [];

  let call: Owner['call'];
  const say = LABELS[language];

  beforeAll(async () => {
    journey = await startJourney();
    ({ call } = await journey.owner());
    agent = (await call('POST /agents', { name: 'Concierge', definition: {} })).id;
    await call(`POST /agents/${agent}/documents`, { name: 'Hours', text: 'We open at 9:00.' });
    const trigger = (await call('POST /triggers', { agent_id: agent, name: 'Chat' })).id;
    const ask = async (name: string, message: string): Promise<string> =>
      (await call(`POST /triggers/${trigger}/test`, { end_user: { external_id: name, name }, message }))
        .conversation_id;
    for (let n = 0; n < HAND_OFFS; n++) talks.push(await ask(`Person ${n}`, 'I want to talk to a person'));
    const question = await ask('Mona', 'Do you wrap gifts?');
    await vi.waitUntil(
      async () => {
        const { unassigned } = await call('GET /conversations/counts');
        const { messages } = await call(`GET /conversations/${question}`);
        return unassigned === HAND_OFFS && messages.length > 1;
      },
      { timeout: 30_000, interval: 200 },
    );
    await call('POST /saved-replies', { name: 'Greeting', shortcut: 'hi', text: { default: 'Hello {{name|there}}!' } });
    for (const name of ['Asha', 'Omar']) await call('POST /end-users', { name, external_id: name, tags: ['vip'] });
    const sandbox = { kind: 'sandbox', name: 'Sandbox', agent_id: agent, settings: {} };
    const { id: channel_id } = await call('POST /channels', sandbox);
    campaign = (await call('POST /campaigns', { name: 'Spring', agent_id: agent, channel_id })).id;
  });
  afterAll(() => journey?.stop());

  const at = async (path: string): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, liked: { language }, viewport });
    await settled(page);
    return page;
  };
  const focused = (locator: Locator) => locator.and(locator.page().locator(':focus')).waitFor();
  const press = async (target: Locator): Promise<void> => {
    await tabTo(target);
    await target.page().keyboard.press('Enter');
  };
  const isSound = async (page: Page): Promise<void> => {
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
  };

  it('a member answers ten hand-offs with a note, a saved reply and a file, by keyboard only', async () => {
    const page = await at('/conversations?view=unassigned');
    const note = page.getByRole('textbox', { name: say.note });
    const reply = page.getByRole('textbox', { name: say.reply });
    const read = () => Promise.all(talks.map((id) => call(`GET /conversations/${id}`)));
    const resolved = async () => (await read()).filter(({ status }) => status === 'resolved');
    for (let n = 0; n < HAND_OFFS; n++) {
      // After each resolve, the next conversation opens by itself.
      if (n === 0) await page.keyboard.press('j');
      await focused(page.getByRole('heading', { level: 1, name: 'Person' }));
      await page.keyboard.press('n');
      await focused(note);
      await page.keyboard.type(`Noted ${n}`);
      await page.keyboard.press('Enter');
      await page.getByText(`Noted ${n}`, { exact: true }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('r');
      await focused(reply);
      await page.keyboard.type('/hi');
      await page.getByRole('option', { name: 'Greeting' }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => reply.inputValue()).toMatch(/^Hello Person \d!/);
      if (n === 0) {
        const chooser = page.waitForEvent('filechooser');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await focused(page.getByRole('button', { name: say.attach }));
        await page.keyboard.press('Enter');
        await (await chooser).setFiles([{ name: 'map.png', mimeType: 'image/png', buffer: PNG }]);
        await page.getByText('map.png').waitFor();
        await isSound(page);
        await tabTo(reply);
      }
      await page.keyboard.press('Enter');
      await expect.poll(() => reply.inputValue()).toBe('');
      if (n === 0) await page.getByRole('img', { name: say.picture }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('e');
      await expect.poll(async () => (await resolved()).length).toBe(n + 1);
    }
    const answered = await read();
    expect((await call('GET /conversations/counts')).waiting).toBe(0);
    expect(answered.map(({ status, notes }) => [status, notes.length])).toEqual(talks.map(() => ['resolved', 1]));
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    const replies = answered.flatMap(({ messages }) => messages.filter(({ role }: any) => role === 'member'));
    expect(replies.filter(({ content }) => content.type === 'image')).toHaveLength(1);
    expect(replies.filter(({ content }) => /^Hello Person \d!$/.test(content.text))).toHaveLength(HAND_OFFS);
  });

  it('a member turns an unanswered question into a document and a test', async () => {
    const page = await at(`/agents/${agent}?tab=knowledge`);
    const item = page.getByRole('listitem').filter({ hasText: 'Do you wrap gifts?' });
    await press(item.getByRole('button', { name: say.write }));
    const dialog = page.getByRole('dialog', { name: say.write });
    await dialog.waitFor();
    await isSound(page);
    await page.keyboard.type('Yes. We wrap gifts for free.');
    await press(dialog.getByRole('button', { name: say.try }));
    await dialog.getByText(say.works).waitFor();
    await page.keyboard.press('Enter');
    await item.waitFor({ state: 'detached' });
    expect((await call(`GET /agents/${agent}/suite`)).cases).toHaveLength(1);
  });

  it('a member saves a segment and starts a campaign for it', async () => {
    const page = await at('/end-users?tag=vip');
    await press(page.getByRole('button', { name: say.save }));
    await tabTo(page.getByRole('dialog').getByLabel(say.segment_name));
    await page.keyboard.type('Best');
    await page.keyboard.press('Enter');
    await page.getByText(say.saved).waitFor();
    await page.goto(`${journey.app.url}/campaigns/${campaign}?tab=people`);
    await settled(page);
    await press(page.getByRole('button', { name: say.start, exact: true }).first());
    const dialog = page.getByRole('dialog');
    await dialog.locator('[data-review]:not([aria-busy])').waitFor();
    await isSound(page);
    await press(dialog.getByRole('button', { name: say.start, exact: true }));
    await dialog.waitFor({ state: 'hidden' });
    await tabTo(page.getByRole('radio', { name: say.people, exact: true }));
    // The next source is a segment.
    await page.keyboard.press('ArrowDown');
    const segment = page.getByRole('combobox', { name: say.segment });
    await tabTo(segment);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => segment.inputValue()).toBe('Best');
    const audience = page.locator('#audience');
    await press(audience.getByRole('button', { name: say.review, exact: true }));
    const add = audience.getByRole('button', { name: say.add });
    await expect.poll(() => add.isEnabled()).toBe(true);
    await press(add);
    const sent = 'SELECT status FROM recipient WHERE campaign_id = $1';
    await expect
      .poll(async () => (await journey.app.db.$client.query(sent, [campaign])).rows, { timeout: 15_000 })
      .toEqual([{ status: 'delivered' }, { status: 'delivered' }]);
    await isSound(page);
  });
});
