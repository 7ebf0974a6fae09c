import { type Browser, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { setModel } from '../../src/features/models/set-model.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { CHROMIUM, openBrowser, seriousFaults } from './dashboard-browser.ts';

/** A visitor reads an answer while the model writes it. */
let parley: TestApp;
let model: FakeModel;
let browser: Browser;
let channelId: string;
const pages: Page[] = [];

beforeAll(async () => {
  if (!CHROMIUM) return;
  model = await startFakeModel();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const orgId = await givenOrganization(parley.db);
  const definition = { provider: 'openai_compatible' as const, model: 'local' };
  const { agentId } = await givenAgent(parley.db, orgId, { definition });
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'web_chat',
    settings: { title: 'Shop' },
    secrets: { secret: 'secret of the channel' },
    sealingKey: parley.secrets.sealingKey,
  });
  await setModel(
    { db: parley.db, egress: { check: async () => {} }, sealingKey: parley.secrets.sealingKey },
    orgId,
    'openai_compatible',
    { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY },
    { userId: 'user_test', address: null, requestId: null },
  );
  browser = await openBrowser();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});
afterAll(async () => {
  await parley?.stop();
  await model?.close();
});

async function open(lang = 'en'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 700, height: 600 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  pages.push(page);
  await page.goto(`${parley.url}/chat/${channelId}?lang=${lang}`);
  await page.getByRole('textbox').waitFor();
  return page;
}
const say = async (page: Page, text: string) => {
  await page.getByRole('textbox').fill(text);
  await page.keyboard.press('Enter');
};
const writing = (page: Page) => page.locator('.writing');
/** Continues when the test allows it. */
const gate = () => Promise.withResolvers<void>();

test.skipIf(!CHROMIUM).each([
  { lang: 'en', question: 'When does it ship?', pieces: ['It ships', ' on Monday', ' at nine.'] },
  { lang: 'ar', question: 'متى يصل الطلب؟', pieces: ['يصل طلبك', ' يوم الاثنين', ' في التاسعة.'] },
])(
  'text appears while the model writes it, and the finished message replaces it ($lang)',
  async ({ lang, question, pieces }) => {
    const last = gate();
    model.script({ pieces, next: (piece) => (piece === 2 ? last.promise : Promise.resolve()) });
    const page = await open(lang);
    await say(page, question);
    await expect.poll(() => writing(page).textContent({ timeout: 10_000 })).toBe(pieces.slice(0, 2).join(''));
    // A screen reader does not announce each word.
    expect(await writing(page).getAttribute('aria-hidden')).toBe('true');
    expect(await seriousFaults(page)).toEqual([]);
    last.resolve();
    await page.locator('li.said[data-id]', { hasText: pieces.join('') }).waitFor();
    expect(await writing(page).count()).toBe(0);
    expect(await page.getByText(pieces.join('')).count()).toBe(1);
  },
);

test.skipIf(!CHROMIUM)('a new message of the person stops the answer, and both messages are answered', async () => {
  const never = gate();
  model.script(
    { pieces: ['It ships on', ' Friday.'], next: (piece) => (piece === 1 ? never.promise : Promise.resolve()) },
    { text: 'Both are fine.' },
  );
  const page = await open();
  await say(page, 'When does it ship?');
  await expect.poll(() => writing(page).textContent({ timeout: 10_000 })).toBe('It ships on');
  await say(page, 'And what does it cost?');
  expect(await writing(page).count()).toBe(0);
  await page.locator('li.said[data-id]', { hasText: 'Both are fine.' }).waitFor();
  expect(await page.getByText('It ships on').count()).toBe(0);
  never.resolve();
});
