import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Entry, find } from '../../src/http/docs/rank.js';
import {
  CHROMIUM,
  contrastFaults,
  isFocused,
  type Journey,
  seriousFaults,
  startJourney,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };
const PAGES = ['/docs', '/docs/guides/sending', '/docs/problems', '/docs/problems/key_invalid', '/docs?q=key'];

/**
 * The reference has thousands of texts in some thirty looks, and axe needs seconds to compare their colors. Of texts with
 * the same look in this theme, the first one gets a mark. A look is the color and size of the text and of the text around
 * it, with all backgrounds behind it.
 */
const MARK_LOOKS = `{
  const around = new Map();
  const looks = new Set();
  for (const one of document.querySelectorAll('*')) {
    const style = getComputedStyle(one);
    const outside = around.get(one.parentElement) ?? { behind: '', text: '' };
    const own = [style.backgroundColor, style.backgroundImage, style.opacity].join();
    const behind = own === 'rgba(0, 0, 0, 0),none,1' ? outside.behind : outside.behind + own + ';';
    const text = [style.color, style.fontSize, style.fontWeight, style.textDecorationLine].join();
    around.set(one, { behind, text });
    const look = [one.tagName, behind, text, outside.text].join();
    const hasText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (!hasText || looks.has(look)) continue;
    looks.add(look);
    one.dataset.look = '';
  }
}`;

/** Removes the sections and rows without a marked text. */
const REMOVE_REPEATED = `for (const one of document.querySelectorAll('main section, main tr'))
  if (!one.querySelector('[data-look]')) one.remove();`;

describe.skipIf(!CHROMIUM)('the documentation', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney();
  });
  afterAll(() => journey?.stop());
  const read = async (path: string): Promise<string> => (await journey.app.call('GET', path)).text;
  const top = (page: Page, heading: string): Promise<number> =>
    page.locator(heading).evaluate((element) => element.getBoundingClientRect().top);

  test('the search finds every heading of every page by its own words', async () => {
    const [, list] = /^export const ENTRIES = ([^]*);\n$/.exec(await read('/docs/entries.js'))!;
    const entries = JSON.parse(list!) as Entry[];
    const start = await read('/docs');
    const paths = new Set([...start.matchAll(/href="(\/docs(?:\/[\w/-]+)?)[#"]/g)].map(([, path]) => path!));
    paths.delete('/docs/style');
    const missing: string[] = [];
    let count = 0;
    for (const path of paths) {
      for (const [, id, html] of (await read(path)).matchAll(/<h[1-3] id="([^"]+)">(.*?)<\/h/g)) {
        const title = html!.replaceAll(/<[^>]+>/g, '').replaceAll(/&#?\w+;/g, ' ');
        const hrefs = find(entries, title).map(({ href }) => href);
        if (!hrefs.includes(`${path}#${id}`) && !hrefs.includes(path)) missing.push(`${path}#${id}: ${title}`);
        count += 1;
      }
    }
    expect(missing).toEqual([]);
    expect(count).toBeGreaterThan(150);
  });

  test.each([DESK, PHONE])('the pages have no serious axe-core faults, light and dark, at $width', async (viewport) => {
    const found: string[] = [];
    const { page, faults } = await journey.open('/docs', { viewport });
    for (const path of PAGES) {
      await page.goto(journey.app.url + path);
      found.push(...(await wordFaults(page)).map((fault) => `${path}: ${fault}`));
      found.push(...(await tooWide(page)).map((fault) => `${path}: ${fault}`));
      await page.evaluate(MARK_LOOKS);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.evaluate(MARK_LOOKS);
      await page.evaluate(REMOVE_REPEATED);
      found.push(...(await contrastFaults(page)).map((fault) => `dark ${path}: ${fault}`));
      await page.emulateMedia({ colorScheme: 'light' });
      found.push(...(await contrastFaults(page)).map((fault) => `${path}: ${fault}`));
    }
    expect([...found, ...faults]).toEqual([]);
  });

  test('the search is opened, read and followed with the keyboard only', async () => {
    const { page, faults } = await journey.open('/docs/guides/sending', { viewport: DESK });
    const field = page.getByRole('combobox', { name: 'Search the documentation' });
    await page.keyboard.press('/');
    await expect.poll(() => isFocused(field)).toBe(true);
    await page.keyboard.type('key_inv');
    await page.getByRole('option', { name: /key_invalid/ }).waitFor();
    expect(await page.getByRole('status').innerText()).toMatch(/^\d+ results?$/);
    expect(await seriousFaults(page)).toEqual([]);
    // Escape closes the list and keeps the text. An arrow key opens it again with the next result selected.
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await field.inputValue()).toBe('key_inv');
    await field.fill('calling');
    const active = page.getByRole('option', { selected: true });
    const first = await active.innerText();
    await page.keyboard.press('ArrowDown');
    expect(await active.innerText()).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    expect(await active.innerText()).toBe(first);
    await field.fill('show the calling key');
    await active.filter({ hasText: 'GET /api/me' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs#getMe');
    expect(await top(page, '#getMe')).toBeGreaterThan(55);
    // This also works within the same page: the list closes and the heading is visible.
    await page.keyboard.press('/');
    await page.keyboard.type('list runs');
    await active.filter({ hasText: 'List runs' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs#listRuns');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });

  test('without scripts, the search is a page and a phone shows the list of pages', async () => {
    const { page } = await journey.open('/docs/problems', { viewport: PHONE, javaScriptEnabled: false });
    await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Run a campaign' }).waitFor();
    await page.locator('[name=q]').fill('key_invalid');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs?q=key_invalid');
    await page.locator('.found').getByRole('link').first().click();
    await page.waitForURL('**/docs/problems/key_invalid');
    expect(await page.locator('h1').innerText()).not.toBe('');
  });

  test('on a phone a button opens the list of pages, and Escape returns to it', async () => {
    const { page } = await journey.open('/docs/problems', { viewport: PHONE });
    const menu = page.getByRole('button', { name: 'Menu' });
    const list = page.getByRole('navigation', { name: 'All pages' });
    expect(await list.isVisible()).toBe(false);
    await menu.click();
    await list.waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await list.getByRole('link').first().focus();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    expect(await isFocused(menu)).toBe(true);
    await menu.click();
    await list.getByRole('link', { name: 'Run a campaign' }).click();
    await page.waitForURL('**/docs/guides/campaigns');
    expect(await list.isVisible()).toBe(false);
  });

  test('examples stay visible next to long fields, and the outline follows the reading position', async () => {
    const { page } = await journey.open('/docs#upsertEndUsers', { viewport: DESK });
    const section = page
      .locator('.with-examples')
      .filter({ has: page.locator('details') })
      .first();
    await section.scrollIntoViewIfNeeded();
    const examples = section.locator('.examples');
    const [left, right] = await Promise.all([section.locator('h3').boundingBox(), examples.boundingBox()]);
    expect(right!.x).toBeGreaterThan(left!.x + left!.width);
    // At the end of the fields, the examples are still visible.
    await section
      .locator('h4')
      .last()
      .evaluate((element) => element.scrollIntoView());
    const { y } = (await examples.boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(300);
    await page.goto(`${journey.app.url}/docs/guides/campaigns`);
    const outline = page.getByRole('navigation', { name: 'On this page' });
    const last = outline.getByRole('link').last();
    await last.click();
    await expect.poll(() => outline.locator('[aria-current=location]').count()).toBe(1);
    await page.evaluate('scrollTo(0, 0)');
    await expect
      .poll(() => outline.locator('[aria-current=location]').innerText())
      .toBe(await outline.getByRole('link').first().innerText());
  });
});
