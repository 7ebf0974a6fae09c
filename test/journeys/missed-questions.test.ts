import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** From an unanswered question to a document and a test. */
describe.skipIf(!CHROMIUM)('a question that an agent could not answer', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let agent: string;
  let trigger: string;

  let make: Owner['make'];
  const get = async (path: string) => (await journey.api(`GET /organizations/${orgId}${path}`, undefined, cookie)).body;
  const ask = async (name: string, message: string): Promise<string> => {
    const end_user = { external_id: name, name };
    const { conversation_id: id } = await make(`/triggers/${trigger}/test`, { end_user, message });
    const answers = async () =>
      (await get(`/conversations/${id}`)).messages.filter(({ role }: { role: string }) => role === 'agent').length;
    await vi.waitUntil(async () => (await answers()) === 1, { timeout: 20_000 });
    return id;
  };
  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
    agent = (await make('/agents', { name: 'Concierge', definition: {} })).id;
    await make(`/agents/${agent}/documents`, { name: 'Hours', text: 'We open at 9:00.' });
    trigger = (await make('/triggers', { agent_id: agent, name: 'Chat' })).id;
    await ask('Asha', 'Do you wrap gifts?');
    await ask('Omar', 'Can you wrap a gift?');
    await ask('Noor', 'هل تغلفون الهدايا؟');
  });
  afterAll(() => journey?.stop());

  const at = async (more: object = {}): Promise<Page> => {
    const { page } = await journey.open(`/agents/${agent}?tab=knowledge`, { as: OWNER, ...more });
    await settled(page);
    return page;
  };

  it('an unanswered question is counted by topic, answered, tried and saved as a test, by keyboard', async () => {
    const page = await at();
    const list = page.getByRole('list', { name: 'Unanswered questions' });
    const item = list.getByRole('listitem').filter({ hasText: 'Can you wrap a gift?' });
    expect(await item.innerText()).toMatch(/Asked 2 times[^]*English/);
    expect(await list.getByRole('listitem').filter({ hasText: 'تغلفون' }).innerText()).toMatch(/Asked 1 time/);
    await item.getByRole('button', { name: 'Write the answer' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Write the answer' });
    await dialog.waitFor();
    expect(await seriousFaults(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save and try' }).press('Enter');
    await dialog.getByText('This field is required.').waitFor();
    await page.keyboard.type('Yes. We wrap a gift for free in our shop.');
    await dialog.getByRole('button', { name: 'Save and try' }).press('Enter');
    await dialog.getByText('The agent now answers:').waitFor();
    await dialog.getByText('We wrap a gift for free in our shop.').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await item.waitFor({ state: 'detached' });
    await expect.poll(() => list.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);

    const { cases } = await get(`/agents/${agent}/suite`);
    expect(cases).toMatchObject(
      [{ name: 'Can you wrap a gift?', from: /^enduser_/, turns: [{ expect: { cites: 'Can you wrap a gift?' } }] }].map(
        (one) => ({ ...one, from: expect.stringMatching(one.from) }),
      ),
    );
    const { data: learned } = await get(`/agents/${agent}/wordings`);
    expect(learned).toMatchObject([
      { question: 'Can you wrap a gift?', quote: 'Yes. We wrap a gift for free in our shop.' },
    ]);
    const again = await get(`/conversations/${await ask('Mona', 'Can you wrap gifts?')}`);
    expect(JSON.stringify(again.messages.at(-1).content)).toContain('We wrap a gift for free');
  });

  it('Home shows an unanswered question with its agent, and can answer it', async () => {
    const { page } = await journey.open('/', { as: OWNER });
    const list = page.getByRole('list', { name: 'Unanswered questions' });
    const item = list.getByRole('listitem').filter({ hasText: 'تغلفون' });
    await item.waitFor();
    // The list is hidden while a part above the list is loading.
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await item.getByRole('button', { name: 'Write the answer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Write the answer' });
    await dialog.waitFor();
    // The name of the document is a part of the question, without half of an emoji, which the server refuses.
    await page.route('**/documents', (route) => route.abort(), { times: 1 });
    const sent = page.waitForRequest('**/documents');
    await dialog.getByRole('textbox', { name: 'Question' }).fill(`${'x'.repeat(199)}😀 and more`);
    await dialog.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
    await dialog.getByRole('button', { name: 'Save and try' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ name: 'x'.repeat(199) });
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await seriousFaults(page)).toEqual([]);
    await item.getByRole('link', { name: 'Concierge' }).click();
    await page.waitForURL(/tab=knowledge/);
    await page.getByRole('button', { name: 'Add document' }).waitFor();
  });

  it('a member chooses the passage for a question, sees the question in the list, and removes it', async () => {
    const id = await ask('Lina', 'Is there a lorry for the sofa?');
    await make(`/agents/${agent}/documents`, { name: 'Transport', text: 'Our van carries furniture to your home.' });
    const closed = (day: string): string => `# ${day}\n\nOn this holiday, the shop is closed: ${day}.\n\n`;
    const holidays = ['Eid', 'National day', 'Sports day', 'New year', 'Founders day'].map(closed).join('');
    await make(`/agents/${agent}/documents`, { name: 'Holidays', text: holidays });
    await make(`/conversations/${id}/take-over`, undefined);
    await make(`/conversations/${id}/reply`, { text: 'Our van carries furniture, also sofas.' });
    const page = await at();
    const list = page.getByRole('list', { name: 'Unanswered questions' });
    const item = list.getByRole('listitem').filter({ hasText: 'Is there a lorry' });
    await item.getByRole('button', { name: 'Choose a passage' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Choose the passage that answers the question' });
    await dialog.getByText('Reply of your team').waitFor();
    const passage = dialog.getByRole('radio', { name: 'Our van carries furniture to your home.' });
    await passage.waitFor();
    expect(await seriousFaults(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Learn the question' }).press('Enter');
    await dialog.getByText('This field is required.').waitFor();
    await passage.press('Space');
    // The chosen passage is not in the results of another search.
    const search = dialog.getByRole('textbox', { name: 'Search' });
    await search.fill('Which holiday is the shop closed?');
    await dialog.getByRole('radio', { name: 'Eid' }).waitFor();
    await passage.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Learn the question' }).press('Enter');
    await dialog.getByText('This field is required.').waitFor();
    await search.fill('van');
    await passage.press('Space');
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/choose-passage.png` });
    await dialog.getByRole('button', { name: 'Learn the question' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await item.waitFor({ state: 'detached' });
    const again = await get(`/conversations/${await ask('Sara', 'For the sofa: is there a lorry?')}`);
    expect(JSON.stringify(again.messages.at(-1).content)).toContain('Our van carries furniture to your home.');

    const row = page.getByRole('table', { name: 'Learned questions' }).getByRole('row').filter({ hasText: 'lorry' });
    await row.getByText('Your team').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/learned-questions.png`, fullPage: true });
    expect(await seriousFaults(page)).toEqual([]);
    await row.getByRole('button', { name: /^Forget/ }).click();
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Forget' }).click();
    await row.waitFor({ state: 'detached' });
    const { data: learned } = await get(`/agents/${agent}/wordings`);
    expect(learned.filter(({ question }: { question: string }) => question.includes('lorry'))).toEqual([]);

    // A file whose upload fails after the user has left the tab is reported.
    const left = Promise.withResolvers<void>();
    await page.route('**/documents/upload?*', async (route) => {
      await left.promise;
      await route.abort();
    });
    const file = { name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('A watch costs 90 riyals.') };
    await page.locator('input[type=file]').last().setInputFiles(file);
    await page.getByText('prices.txt').waitFor();
    await page.getByRole('tab', { name: 'Behaviour' }).click();
    await page.getByText('prices.txt').waitFor({ state: 'detached' });
    left.resolve();
    await page.getByRole('status').getByText('prices.txt').waitFor();
  });

  it('the name of a file is cut without half of an emoji, which the server refuses', async () => {
    const page = await at();
    const file = {
      name: `${'x'.repeat(199)}😀.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('A watch costs 90 riyals.'),
    };
    const sent = page.waitForRequest('**/documents/upload?*');
    await page.locator('input[type=file]').last().setInputFiles(file);
    expect(new URL((await sent).url()).searchParams.get('name')).toBe('x'.repeat(199));
    await page.getByRole('button', { name: 'Add document' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(file);
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('x'.repeat(199));
  });

  it('an unanswered question can be dismissed; the page fits a phone in Arabic', async () => {
    const page = await at({ liked: { language: 'ar', theme: 'dark' }, viewport: { width: 390, height: 800 } });
    const item = page.getByRole('listitem').filter({ hasText: 'تغلفون' });
    await item.waitFor();
    expect(await tooWide(page)).toEqual([]);
    await item.getByRole('button', { name: 'غير مطلوب' }).click();
    await page.getByText('لا أسئلة بلا إجابة').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('أسئلة بلا إجابة');
    expect((await get(`/agents/${agent}/questions`)).data).toEqual([]);
  });
});
