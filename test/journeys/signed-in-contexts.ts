import type { Browser, BrowserContext, Page } from '@playwright/test';

export const PASSWORD = 'correct horse battery';
export const DESK = { width: 1280, height: 900 };
/** Animations are turned off, because their frames cost processor time and every step waits for their end. */
export const CALM = { reducedMotion: 'reduce' } as const;

type StorageState = { cookies: Awaited<ReturnType<BrowserContext['cookies']>>; origins: [] };

export type SignedIn = {
  /** The cookies of this person after sign-in. */
  state(email: string): Promise<StorageState>;
  /** A context of this person that no other window uses. */
  take(email: string): Promise<BrowserContext>;
  /** The next window of this person may use the context. */
  giveBack(email: string, context: BrowserContext): Promise<void>;
  /** The next window of this person signs in again. */
  forget(email: string): void;
};

/**
 * Signed-in people, and the contexts of their windows. A context is used by one window after another, because the
 * browser then has the program of the dashboard already compiled: this saves a fifth of the processor time of a load. A
 * window finds no trace of an earlier one: its context has the cookies after sign-in and empty storage.
 */
export function createSignedIn(browser: Browser, url: string): SignedIn {
  const states = new Map<string, Promise<StorageState>>();
  const free = new Map<string, BrowserContext[]>();
  /** A small document in each context. The process that has compiled the program lasts as long as this page. */
  const keepers = new WeakMap<BrowserContext, Page>();

  const state: SignedIn['state'] = (email) => {
    let found = states.get(email);
    if (!found) states.set(email, (found = signIn(browser, url, email)));
    return found;
  };
  return {
    state,
    async take(email) {
      const { cookies, origins } = await state(email);
      const used = free.get(email)?.pop();
      if (used) {
        await used.clearCookies();
        await used.addCookies(cookies);
        await keepers.get(used)!.evaluate('localStorage.clear()');
        return used;
      }
      const context = await browser.newContext({ viewport: DESK, storageState: { cookies, origins }, ...CALM });
      await drawFlat(context);
      const keeper = await context.newPage();
      await keeper.goto(smallDocument(url));
      keepers.set(context, keeper);
      return context;
    },
    async giveBack(email, context) {
      const keeper = keepers.get(context)!;
      // A test may have closed the context.
      if (keeper.isClosed()) return;
      for (const page of context.pages()) if (page !== keeper) await page.close();
      await context.setOffline(false);
      free.set(email, [...(free.get(email) ?? []), context]);
    },
    forget: (email) => void states.delete(email),
  };
}

/**
 * Backgrounds behind dialogs and bars are not blurred: the blur is computed by the processor for every frame, up to a
 * quarter of the processor time of a test. No test can see it.
 */
export const drawFlat = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(FLAT);
};
const FLAT = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { backdrop-filter: none !important; }');
  document.adoptedStyleSheets = [sheet];
}`;

const smallDocument = (url: string): string => `${url}/api/health`;

/**
 * Set by the browser itself, since a `__Host-` cookie can be set in no other way; once for each person. The call comes
 * from a small document of the server, because loading the program for it would cost a second of processor time.
 */
async function signIn(browser: Browser, url: string, email: string): Promise<StorageState> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(smallDocument(url));
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  };
  const call = `fetch('/dashboard/api/sign-in', ${JSON.stringify(options)}).then(({ status }) => status)`;
  const status = await page.evaluate(call);
  if (status !== 200) throw new Error(`${email} is not signed in: ${String(status)}`);
  const { cookies } = await context.storageState();
  await context.close();
  return { cookies, origins: [] };
}
