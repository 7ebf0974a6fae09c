import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Locator, Page, Request } from '@playwright/test';
import { expect } from 'vitest';
import {
  contrastFaults,
  type Journey,
  OWNER,
  seriousFaults,
  settled,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';
import { isFront } from './dashboard-pages.ts';

/** Checks a page, and every dialog that it opens. */
const PHONE = { width: 320, height: 700 };
const DESK = { width: 1280, height: 900 };

/**
 * Returns accessibility faults in both themes, and content that is wider than a phone. A phone does not show the menus
 * of the sidebar.
 */
async function faultsOf(
  page: Page,
  where: string,
  { phone, within }: { phone: boolean; within?: string },
): Promise<string[]> {
  const found = await seriousFaults(page, within);
  await page.evaluate("document.documentElement.dataset.mantineColorScheme = 'dark'");
  found.push(...(await contrastFaults(page, within)).map((fault) => `dark ${fault}`));
  await page.evaluate("document.documentElement.dataset.mantineColorScheme = 'light'");
  if (phone) {
    await page.setViewportSize(PHONE);
    found.push(...(await tooWide(page)));
    await page.setViewportSize(DESK);
  }
  return found.map((fault) => `${where}: ${fault}`);
}

const OTHER = { en: 'ar', ar: 'en' } as const;

/**
 * Returns the faults of the given pages in English and Arabic, light and dark, on a screen and on a phone. Each page is
 * loaded in one language and then switched to the other, in which the next page starts. Half of the pages are loaded in
 * each language, and every page switches its texts in place.
 */
export async function faultsOfPages(journey: Journey, paths: readonly string[]): Promise<string[]> {
  let language: keyof typeof OTHER = 'en';
  const liked = { language, theme: 'light' };
  const windows = {
    inside: await journey.open('/', { as: OWNER, liked }),
    front: await journey.open('/sign-in', { liked }),
  };
  const found: string[] = [];
  for (const [name, { page }] of Object.entries(windows)) {
    language = 'en';
    for (const path of paths.filter((one) => isFront(one) === (name === 'front'))) {
      await page.goto(journey.app.url + path);
      await settled(page);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      found.push(...(await faultsOf(page, `${language} ${path}`, { phone: true })));
      language = OTHER[language];
      await speak(page, language);
      found.push(...(await otherWordsOf(page)).map((fault) => `${language} ${path}: ${fault}`));
    }
  }
  return [...found, ...windows.inside.faults, ...windows.front.faults];
}

/** Makes the checks that depend on texts, for missing names and lines that are too long. */
async function otherWordsOf(page: Page): Promise<string[]> {
  const found = await wordFaults(page);
  await page.setViewportSize(PHONE);
  found.push(...(await tooWide(page)));
  await page.setViewportSize(DESK);
  return found;
}

const OPENS_NOTHING =
  /^(?:Copy|Take over|Hand back|Resolve|Send|Dry run|Let the agent|Save|Publish|Discard|Move|Add (?:step|rule|tool|variable)|Remove (?:“|variable)|First page|Next|English|Default)/;

const LEADS_AWAY = /^(?:Your account|Sign out|Northwind)/;

/**
 * Presses every button of the pages. A dialog or a menu is checked like a page, and must return the focus when it
 * closes. Buttons that open nothing are skipped by name to save time.
 */
export async function faultsOfPopups(
  journey: Journey,
  paths: readonly string[],
): Promise<{ found: string[]; opened: string[] }> {
  const opened: string[] = [];
  const { page, faults } = await journey.open('/', { as: OWNER });
  const found: string[] = [];
  const seen = new Set<string>();
  const underWay = requestsOf(page);
  for (const path of paths.filter((one) => !isFront(one))) {
    await page.goto(journey.app.url + path);
    await settled(page);
    for (const { key } of await openersOf(page)) {
      // A pressed button may have disappeared, which changes the index of the later buttons.
      const opener = (await openersOf(page)).find((one) => one.key === key);
      // The content around every page or tab, and the rows of one list, are checked only once.
      if (!opener || OPENS_NOTHING.test(opener.name) || seen.has(key)) continue;
      seen.add(key);
      const where = `${path} “${opener.name}”`;
      // oxlint-disable-next-line playwright/no-element-handle -- the very element: buttons that come later move the
      // numbers of the others
      const button = await page.locator('button').nth(opener.at).elementHandle();
      const look = async (popup: Locator, what: string, phone: boolean): Promise<void> => {
        opened.push(what);
        found.push(...(await faultsOf(page, what, { phone, within: '[role=dialog], [role=menu]:popover-open' })));
        await page.keyboard.press('Escape');
        await popup.first().waitFor({ state: 'hidden' });
        if (!(await getsFocus(button))) found.push(`${what}: the focus is lost`);
      };
      const dialog = page.locator('[role=dialog]:visible');
      await button.click();
      if (opener.isMenu) {
        const menu = page.locator('[role=menu]:popover-open');
        await menu.waitFor();
        const items = await menu.locator('button[role=menuitem]:enabled').allInnerTexts();
        await look(menu, where, false);
        for (const [index, item] of items.entries()) {
          if (LEADS_AWAY.test(item)) continue;
          await button.click();
          await menu.locator('button[role=menuitem]:enabled').nth(index).click();
          if (await comes(dialog, underWay)) await look(dialog, `${where} “${item}”`, true);
        }
      } else if (await comes(dialog, underWay)) await look(dialog, where, true);
      else {
        await page.goto(journey.app.url + path);
        await settled(page);
      }
    }
  }
  return { found: [...found, ...faults], opened };
}

/** Switches the language with the control of every page, in the user menu or below the card of a front page. */
async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate(`document.querySelector('span[lang="${language}"]').closest('button, label').click()`);
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' });
}

type Opener = { at: number; name: string; key: string; isMenu: boolean };
const OPENERS = `[...document.querySelectorAll('button')].map((one, at) => ({ one, at }))
  .filter(({ one }) => one.checkVisibility() && !one.disabled && one.type !== 'submit' && one.tabIndex >= 0 && one.role !== 'tab' && one.role !== 'menuitem' &&
    !one.ariaExpanded && !one.ariaPressed && !one.closest('[role=menu], [role=dialog]'))
  .map(({ one, at }) => ({
    at,
    name: (one.ariaLabel ?? one.innerText).replace(/\\s+/g, ' '),
    isMenu: one.ariaHasPopup === 'menu',
    key: one.closest('[data-row]')
      ? [one.closest('[role=table]').ariaLabel, one.cellIndex ?? one.closest('td').cellIndex, [...one.closest('td').querySelectorAll('button')].indexOf(one)].join()
      : (one.closest('main') ? location.pathname : '') + (one.ariaLabel ?? one.innerText),
  }))`;
const openersOf = (page: Page): Promise<Opener[]> => page.evaluate(OPENERS);

/** The check needs the full time only if the focus is lost. */
const FOCUS_BACK_MS = 20_000;
async function getsFocus(button: ElementHandle): Promise<boolean> {
  const until = performance.now() + FOCUS_BACK_MS;
  while (performance.now() < until) {
    if (await button.evaluate((one) => one.matches(':focus'))) return true;
    await sleep(20);
  }
  return false;
}

/** Returns the page's requests without a response yet, except its stream of changes. */
function requestsOf(page: Page): ReadonlySet<Request> {
  const underWay = new Set<Request>();
  page.on('request', (request) => void (request.resourceType() === 'eventsource' || underWay.add(request)));
  const end = (request: Request): void => void underWay.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  // The requests of a document end with the document.
  page.on('domcontentloaded', () => underWay.clear());
  return underWay;
}

const SOON_MS = 700;
const LATE_MS = 10_000;
const IDLE = 'new Promise((done) => requestIdleCallback(() => done(), { timeout: 5000 }))';

/** Waits for a dialog to open, which takes longer if its code is still loading or the browser is slow. */
async function comes(popup: Locator, underWay: ReadonlySet<Request>): Promise<boolean> {
  const until = performance.now() + LATE_MS;
  for (;;) {
    const isOpen = await popup
      .first()
      .waitFor({ timeout: SOON_MS })
      .then(
        () => true,
        () => false,
      );
    if (isOpen) return true;
    const isStill = underWay.size === 0 || performance.now() > until;
    // If the press has opened another page, no dialog will appear.
    await popup
      .page()
      .evaluate(IDLE)
      .catch(() => {});
    if (isStill) return popup.first().isVisible();
  }
}
