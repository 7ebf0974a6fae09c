import type { Browser, BrowserContext, Page } from '@playwright/test';

export const PASSWORD = 'correct horse battery';
export const DESK = { width: 1280, height: 900 };
/** Animations are turned off, because their frames cost processor time and every step waits for their end. */
export const CALM = { reducedMotion: 'reduce' } as const;

type StorageState = { cookies: Awaited<ReturnType<BrowserContext['cookies']>>; origins: [] };

export type SignedIn = {
  /** Returns the cookies of this person after sign-in. */
  state(email: string): Promise<StorageState>;
  /**
   * Returns a page of this person that no other window uses, and that shows a small document. With null as the address,
   * no one is signed in on the page.
   */
  take(email: string | null): Promise<Page>;
  /** Makes the page free for the next window. */
  giveBack(page: Page): Promise<void>;
  /** Makes the next window of this person sign in again. */
  forget(email: string): void;
};

/**
 * Stores signed-in people, and the pages of their windows. One window after another uses a page, because the browser
 * then has its process and compiled code, which saves two fifths of a load's processor time. A window finds only the
 * history of an earlier window, because its context has the cookies after sign-in and empty storage. The list `free`
 * has the pages of this URL that no window uses.
 */
export function createSignedIn(browser: Browser, url: string, free: Page[]): SignedIn {
  const states = new Map<string, Promise<StorageState>>();

  const take = async ({ cookies }: StorageState): Promise<Page> => {
    let used = free.pop();
    // A browser that has ended has closed its pages.
    while (used?.isClosed()) used = free.pop();
    if (!used) return newPage(browser, url, cookies);
    await used.context().clearCookies();
    await used.context().addCookies(cookies);
    return used;
  };
  const state: SignedIn['state'] = (email) => {
    let found = states.get(email);
    if (!found) states.set(email, (found = signIn(email)));
    return found;
  };
  /**
   * The sign-in runs in the browser from the small document, because loading the dashboard would need a second of
   * processor time.
   */
  const signIn = async (email: string): Promise<StorageState> => {
    const page = await take(NO_ONE);
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    };
    const call = `fetch('/dashboard/api/sign-in', ${JSON.stringify(options)}).then(({ status }) => status)`;
    const status = await page.evaluate(call);
    if (status !== 200) throw new Error(`${email} is not signed in: ${String(status)}`);
    const cookies = await page.context().cookies();
    free.push(page);
    return { cookies, origins: [] };
  };
  return {
    state,
    take: async (email) => take(email === null ? NO_ONE : await state(email)),
    async giveBack(page) {
      const context = page.context();
      for (const other of context.pages()) if (other !== page) await other.close();
      if (page.isClosed() || changed.has(page)) return context.close();
      for (const event of LISTENED) page.removeAllListeners(event);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.setOffline(false);
      // A navigation that the test began may interrupt the way back to the small document.
      const isBack = await page.goto(smallDocument(url)).then(Boolean, () => false);
      if (!isBack) return context.close();
      await page.evaluate('localStorage.clear(), sessionStorage.clear()');
      await page.mouse.move(0, 0);
      free.push(page);
    },
    forget: (email) => void states.delete(email),
  };
}

/** The pages that a test changed permanently. */
const changed = new WeakSet<Page>();

async function newPage(browser: Browser, url: string, cookies: StorageState['cookies']): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK, storageState: { cookies, origins: [] }, ...CALM });
  await drawFlat(context);
  const page = await context.newPage();
  interceptAtOnce(page, url);
  noteChanges(page, () => changed.add(page));
  await page.goto(smallDocument(url));
  return page;
}

const NO_ONE: StorageState = { cookies: [], origins: [] };
const LISTENED = ['console', 'dialog', 'domcontentloaded', 'pageerror', 'request', 'requestfailed', 'requestfinished'];

/** The effects of the listed methods last as long as the page. */
const LASTING = ['addInitScript', 'emulateMedia', 'exposeFunction'] as const;

function noteChanges(page: Page, note: () => void): void {
  const watch = (owner: object, name: string): void => {
    const act = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    const noted = (...args: unknown[]): unknown => {
      note();
      return act.apply(owner, args);
    };
    Object.assign(owner, { [name]: noted });
  };
  for (const name of LASTING) watch(page, name);
  for (const name of ['addInitScript', 'newCDPSession', 'route']) watch(page.context(), name);
}

/**
 * Backgrounds behind dialogs and bars are not blurred, because the blur needs up to a quarter of a test's processor
 * time and no test can see it.
 */
export const drawFlat = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(FLAT);
};
const FLAT = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { backdrop-filter: none !important; }');
  document.adoptedStyleSheets = [sheet];
}`;

/**
 * Makes `route` wait until a request of the page is intercepted. Otherwise a busy page may handle a key, and send a
 * request, before the browser has told it to let the test intercept requests. After `unroute`, the page's requests are
 * still intercepted and continue. If the interception ended, requests in progress might never end.
 */
export function interceptAtOnce(page: Page, url: string): void {
  const route = page.route.bind(page);
  const probe = `${smallDocument(url)}?intercepted`;
  page.route = async (...args) => {
    const found = await route(...args);
    let isIntercepted = false;
    const isProbe = ({ href }: URL): boolean => href === probe;
    await route(isProbe, (sent) => {
      isIntercepted = true;
      return sent.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } });
    });
    // Only pages send requests. The policy of other documents forbids requests.
    if ((await page.evaluate('document.contentType')) !== 'text/html') return found;
    while (!isIntercepted) await page.evaluate(`fetch(${JSON.stringify(probe)}).then(() => {}, () => {})`);
    return found;
  };
}

const smallDocument = (url: string): string => `${url}/api/health`;
