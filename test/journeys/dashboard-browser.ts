import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from '@playwright/test';
import { onTestFinished, TestRunner } from 'vitest';
import { freePort, isFree } from '../../cluster/ports.ts';
import { prepareInstallation } from '../prepare-installation.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { CHROMIUM } from './find-chromium.ts';
import { CALM, createSignedIn, DESK, drawFlat, interceptAtOnce, PASSWORD } from './signed-in-contexts.ts';

/** Starts the complete program and a real browser with signed-in people. `npm test` finds the browser. */
export { CHROMIUM };

export const KEYS = '/settings/integrations/api-keys';
export const OWNER = 'asha@example.com';
export { PASSWORD };
/** This time is far longer than a step needs, so it ends only if the expected event does not happen. */
const WAIT_MS = 30_000;

export type Window = {
  page: Page;
  context: BrowserContext;
  faults: string[];
  /** Closes the window before the end of its test. */
  close(): Promise<void>;
};
export type Journey = {
  app: TestApp;
  setupPath: string;
  /**
   * Opens a window of the person with this address, or of no one. The journey collects the faults of the window's
   * pages. The journey closes the window after the test, and prints its content if the test failed.
   */
  open(path: string, options?: { as?: string; liked?: object } & BrowserContextOptions): Promise<Window>;
  /** Makes the next window of this person sign in again. */
  forget(email: string): void;
  /** Calls the dashboard's API. Returns the body of the response and the session that it set. */
  api(call: string, body?: unknown, cookie?: string): Promise<{ status: number; body: any; cookie: string }>; // oxlint-disable-line typescript/no-explicit-any
  /** Creates the first owner with an organization on the paid plan. */
  owner(): Promise<Owner>;
  stop(): Promise<void>;
};

export type Owner = {
  cookie: string;
  orgId: string;
  /** Calls the API of the organization (`GET /agents`) and returns the body. A refusal fails the test. */
  call(line: string, body?: unknown): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- answers are looked into freely
  /** Creates a record of the organization (`/agents`). */
  make(path: string, body: unknown): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- answers are looked into freely
};

let opened: Promise<Browser> | null = null;

/** All test files of a worker share one browser, which ends with the worker's process, because its pipe closes. */
export async function openBrowser(): Promise<Browser> {
  if (!(await opened?.catch(() => null))?.isConnected())
    opened = chromium.launch({
      executablePath: CHROMIUM!,
      // Without a process for the screen, a test file takes about 8 % less processor time. A page of a test closes
      // before optimized code pays off, so without optimization a load takes 6 % and an accessibility check 14 % less.
      // With one process for each site, the pages of a context use the same compiled code.
      args: [
        '--no-sandbox',
        '--headless',
        '--disable-gpu',
        '--in-process-gpu',
        '--process-per-site',
        '--disable-background-networking',
        '--js-flags=--no-maglev,--no-opt',
      ],
    });
  return opened!;
}

/**
 * The journeys of a process use one port and the same pages one after the other, so that the browser has the compiled
 * program of the dashboard for the next test file.
 */
const turn: { port: number; free: Page[]; isTaken: boolean } = { port: 0, free: [], isTaken: false };

/** A journey that has its own port, or that runs beside another journey, has its own pages. */
async function takeTurn(env: Record<string, string>): Promise<{ port: string; free: Page[]; end(): Promise<void> }> {
  if (env.PORT || turn.isTaken) {
    const free: Page[] = [];
    return { port: env.PORT ?? String(await freePort()), free, end: () => closeAll(free) };
  }
  turn.isTaken = true;
  if (turn.port === 0 || !(await isFree(turn.port))) {
    await closeAll(turn.free);
    turn.port = await freePort();
  }
  return { port: String(turn.port), free: turn.free, end: async () => void (turn.isTaken = false) };
}

async function closeAll(pages: Page[]): Promise<void> {
  for (const page of pages.splice(0)) await page.context().close();
}

export async function startJourney(env: Record<string, string> = {}): Promise<Journey> {
  const { port, free, end } = await takeTurn(env);
  const app = await startTestApp({ ...env, PORT: port });
  const { setupUrl } = await prepareInstallation({
    db: app.db,
    sessions: app.app.sessions,
    setupKey: app.secrets.setupKey,
    baseUrl: app.url,
    region: 'us',
    owner: null,
  });
  const { pathname, search, searchParams } = new URL(setupUrl!);
  const browser = await openBrowser();
  const windows = new Set<Window>();
  const people = createSignedIn(browser, app.url, free);
  const api: Journey['api'] = async (call, body, cookie) => {
    const [method, path] = call.split(' ') as [string, string];
    const answer = await fetch(`${app.url}/dashboard/api${path}`, {
      method,
      headers: {
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const set = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0]!);
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null, cookie: set.join('; ') };
  };
  const newPage = async ({ as, ...options }: { as: string | undefined } & BrowserContextOptions): Promise<Page> => {
    const storageState = as ? await people.state(as) : undefined;
    const context = await browser.newContext({ storageState, ...CALM, ...options });
    await drawFlat(context);
    const page = await context.newPage();
    interceptAtOnce(page, app.url);
    return page;
  };
  return {
    app,
    setupPath: pathname + search,
    api,
    async owner() {
      const { body, cookie } = await api('POST /setup', {
        token: searchParams.get('token'),
        name: 'Asha Rao',
        email: OWNER,
        password: PASSWORD,
        organization_name: 'Northwind',
      });
      const orgId = body.organizations.find(({ name }: { name: string }) => name === 'Northwind').id;
      const call: Owner['call'] = async (line, sent) => {
        const [method, path] = line.split(' ') as [string, string];
        const answer = await api(`${method} /organizations/${orgId}${path}`, sent, cookie);
        if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer.body;
      };
      return { cookie, orgId, call, make: (path, sent) => call(`POST ${path}`, sent) };
    },
    async open(path, { as, liked, viewport = DESK, ...options } = {}) {
      // A context with its own options is always new.
      const isShared = Object.keys(options).length === 0;
      const page = isShared ? await people.take(as ?? null) : await newPage({ ...options, viewport, as });
      const context = page.context();
      context.setDefaultTimeout(WAIT_MS);
      if (isShared) await page.setViewportSize(viewport!);
      const preferences = liked && `localStorage['parley.preferences'] ??= ${JSON.stringify(JSON.stringify(liked))}`;
      if (preferences) await (isShared ? page.evaluate(preferences) : page.addInitScript(preferences));
      let isOpen = true;
      const close = async (): Promise<void> => {
        if (!isOpen) return;
        isOpen = false;
        windows.delete(window);
        if (isShared) await people.giveBack(page);
        else await context.close();
      };
      if (TestRunner.getCurrentTest()) {
        onTestFinished(async ({ task }) => {
          if (task.result?.state === 'fail' && isOpen) console.log(await shown(page));
          await close();
        });
      }
      const faults: string[] = [];
      const window: Window = { page, context, faults, close };
      windows.add(window);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // The browser prints the status of a refusal, but everything else counts as a fault of Parley.
        if (message.type() === 'error' && !/status of|ERR_/.test(message.text())) faults.push(message.text());
      });
      await page.goto(app.url + path);
      return window;
    },
    forget: people.forget,
    async stop() {
      for (const window of windows) await window.close();
      await app.stop();
      await end();
    },
  };
}

/** Returns the page text, for the reader of a failed test. */
async function shown(page: Page): Promise<string> {
  const words = await page.evaluate<string>('document.body.innerText').catch(String);
  const typed = await page.evaluate<string>(TYPED).catch(String);
  return `${page.url()} showed:\n${words}\nIn its fields: ${typed}`;
}
const TYPED = `JSON.stringify([...document.querySelectorAll('input, textarea')].map((field) => field.value))`;

/** Returns the accessibility faults that axe-core rates serious or worse. */
export const seriousFaults = (page: Page, within = 'html'): Promise<string[]> => serious(page, within, {});

const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Checks only the rules that depend on the theme, which is much faster than a full check. */
export const contrastFaults = (page: Page, within = 'html'): Promise<string[]> =>
  serious(page, within, { only: OF_COLOURS });

/** Checks only the rules that depend on the language. */
export const wordFaults = (page: Page, within = 'html'): Promise<string[]> =>
  serious(page, within, { without: OF_COLOURS });

/** The compressed code of axe-core, which is half a megabyte. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * The page returns only the faults, because AxeBuilder returns the result of every rule, which takes a third of a
 * check's processor time.
 */
async function serious(page: Page, within: string, rules: { only?: string[]; without?: string[] }): Promise<string[]> {
  // A page that was checked before has already loaded axe-core.
  if ((await page.evaluate('"axe" in window')) !== true) await page.evaluate(`${AXE};void 0`);
  return page.evaluate(`(${CHECK})(${JSON.stringify(within)}, ${JSON.stringify(rules)})`);
}
/** The check leaves out the rules that never find a serious fault. The pages of the dashboard have no frames. */
const CHECK = `async (within, { only, without = [] }) => {
  const isLight = ({ impact }) => impact === 'minor' || impact === 'moderate';
  const off = [...without, ...axe._audit.rules.filter(isLight).map(({ id }) => id)];
  const { violations } = await axe.run(
    { include: [[within]] },
    {
      iframes: false,
      resultTypes: ['violations'],
      ...(only
        ? { runOnly: { type: 'rule', values: only } }
        : { rules: Object.fromEntries(off.map((id) => [id, { enabled: false }])) }),
    },
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200));
}`;

/** Waits until the page has its heading and no part of it is loading. Rows that are read again are dimmed. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role=alert]').first().waitFor({ state: 'attached' });
  await page.locator('[aria-busy=true], [data-stale], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/** Opens a page as a link does, without loading the program again. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate(`self.__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })`);

/** Returns the names of elements that are wider than the window, or an empty list if everything fits. */
export const tooWide = (page: Page): Promise<string[]> => page.evaluate(TOO_WIDE);
const TOO_WIDE = `(() => {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5 || one.getBoundingClientRect().left < -0.5);
  return ['wider than the window: ' + document.documentElement.scrollWidth + ' px, ' + wide.at(-1)?.outerHTML.slice(0, 160)];
})()`;

/**
 * Returns the page's buttons, links and fields that leave the window at its sides, or that lie over another element.
 */
export const overlaps = (page: Page): Promise<string[]> => page.evaluate(OVERLAPS);
const OVERLAPS = `(() => {
  const parts = [...document.querySelectorAll('main :is(button, a[href], textarea, input, select)')]
    .filter((one) => one.checkVisibility({ opacityProperty: true }) && one.getBoundingClientRect().width >= 3)
    .map((one) => ({ one, box: one.getBoundingClientRect() }));
  const nameOf = ({ one }) => one.ariaLabel || one.innerText || one.outerHTML.slice(0, 80);
  // A button in a field, such as the one that shows a password, belongs to the field.
  const areOne = (a, b) => a.contains(b) || b.contains(a) ||
    (a.closest('.mantine-Input-wrapper') ?? a) === (b.closest('.mantine-Input-wrapper') ?? b);
  // What a part scrolls, such as the tabs of an agent on a phone, may be outside.
  const isScrolled = (part) => part !== null && (part.scrollWidth > part.clientWidth + 1 &&
    ['auto', 'scroll'].includes(getComputedStyle(part).overflowX) || isScrolled(part.parentElement));
  const outside = parts.filter(({ one, box }) => (box.left < -0.5 || box.right > innerWidth + 0.5) && !isScrolled(one.parentElement))
    .map((part) => 'outside the window: ' + nameOf(part));
  const over = parts.flatMap((a, at) => parts.slice(at + 1).filter((b) => !areOne(a.one, b.one) &&
      Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1 &&
      Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 1)
    .map((b) => nameOf(a) + ' lies over ' + nameOf(b)));
  return [...outside, ...over];
})()`;

/** Returns all browser storage of the page, to search for values that must not be stored. */
export const everythingKept = (page: Page): Promise<string> =>
  page.evaluate(`JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll('input, textarea')].map((field) => field.value),
    { ...localStorage },
    { ...sessionStorage },
    location.href,
    history.state,
  ])`);

/**
 * True if the element has the focus. The radio button of a segmented control is not visible, but it can have the focus.
 */
export const isFocused = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) > 0;

/**
 * Waits until the focus is in a dialog or menu, which moves the focus when it opens. A key that is pressed before acts
 * on the control that gets the focus.
 */
export const focusIn = (target: Locator): Promise<void> => target.locator(':focus').waitFor();

/** A limit above the number of controls of any page. */
const MOST_TABS = 200;

/** Moves the focus to the element with Tab, as people without a mouse do. */
export async function tabTo(target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  const { keyboard } = target.page();
  for (let tabs = 0; tabs < MOST_TABS && !(await isFocused(target)); tabs++) await keyboard.press('Tab');
  if (!(await isFocused(target))) throw new Error(`Tab does not reach ${String(target)}.`);
}
