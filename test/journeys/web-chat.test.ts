import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHAT_PAGE, type WebChatSettings } from '../../contract/chat.ts';
import { newId } from '../../src/kernel/ids.ts';
import { SHOP_GUIDE, SHOP_GUIDE_AR } from '../../src/start/demo-texts.ts';
import { insertDocument } from '../../src/store/documents.ts';
import { channel } from '../../src/store/schema/channel.ts';
import { user } from '../../src/store/schema/identity.ts';
import { conversation, message } from '../../src/store/schema/conversation.ts';
import { rating } from '../../src/store/schema/rating.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import { type HostSite, startHostSite } from '../web-chat-pages.ts';
import { CHROMIUM, isFocused, openBrowser, seriousFaults } from './dashboard-browser.ts';
import { interceptAtOnce } from './signed-in-contexts.ts';

const SECRET = 'secret of the channel';
const WIDGET = fileURLToPath(new URL('../../widget/dist/widget.js', import.meta.url));
const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> javascript:alert(1) [x](javascript:alert(1)) https://ok.example/a"onmouseover="x`;

let parley: TestApp;
let browser: Browser;
let shop: HostSite;
let stranger: HostSite;
let orgId: string;
let agentId: string;
let channelId: string;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  if (!CHROMIUM) return;
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  const definition = {
    provider: 'embedded',
    rules: [
      { words: ['ping'], reply: { default: 'pong' } },
      { words: ['hostile'], reply: { default: HOSTILE } },
      { name: 'Bye', words: ['that is all'], reply: { default: 'Goodbye.' }, action: 'complete' },
    ],
    survey: {},
  } as never;
  ({ agentId } = await givenAgent(parley.db, orgId, { definition }));
  await insertDocument(parley.db, orgId, { id: newId('doc'), agentId, name: 'Shop guide', text: SHOP_GUIDE });
  await insertDocument(parley.db, orgId, { id: newId('doc'), agentId, name: 'دليل المتجر', text: SHOP_GUIDE_AR });
  const page = (path: string): string => {
    const attributes = decodeURIComponent(path.slice(2));
    const rtl = attributes.includes('page-ar');
    return `<!doctype html><html lang="${rtl ? 'ar' : 'en'}"${rtl ? ' dir="rtl"' : ''}><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script async src="${parley.url}/chat/${channelId}/widget.js" ${rtl ? '' : attributes}></script></head>
<body><main><h1>Shop</h1><p>Many fine things.</p><a href="#more">More</a></main></body></html>`;
  };
  shop = await startHostSite(parley.url, page);
  stranger = await startHostSite(parley.url, page);
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'web_chat',
    settings: { allowed_origins: [shop.origin], title: 'Shop <b>help</b>', greeting: 'Ask us <i>anything</i>.' },
    secrets: { secret: SECRET },
    sealingKey: parley.secrets.sealingKey,
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await shop?.close();
  await stranger?.close();
  await parley?.stop();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  if (CHROMIUM) await givenSettings();
});

/** The settings of the chat together with these. */
const givenSettings = (more: Partial<WebChatSettings> = {}) =>
  parley.db
    .update(channel)
    .set({
      settings: {
        allowed_origins: [shop.origin],
        title: 'Shop <b>help</b>',
        greeting: 'Ask us <i>anything</i>.',
        ...more,
      },
    })
    .where(eq(channel.id, channelId));

type ParleyPage = { parleyChat: { identify(person: object): void } };
type Visit = { context: BrowserContext; page: Page; faults: string[]; called: Set<string> };

async function visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(30_000);
  contexts.push(context);
  return context;
}
async function visit(address = '/', context?: BrowserContext, options?: BrowserContextOptions): Promise<Visit> {
  const own = context ?? (await visitor(options));
  const page = await own.newPage();
  interceptAtOnce(page, parley.url);
  const faults: string[] = [];
  const called = new Set<string>();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on(
    'console',
    (line) => line.type() === 'error' && !/ERR_|status of/.test(line.text()) && faults.push(line.text()),
  );
  page.on('request', (request) => called.add(new URL(request.url()).origin));
  await page.goto(address.startsWith('http') ? address : shop.origin + address);
  return { context: own, page, faults, called };
}
const everythingStored = (page: Page): Promise<string> => page.evaluate('JSON.stringify({ ...localStorage })');
const open = (page: Page) => page.getByRole('button', { name: /Open chat/ }).click();
const field = (page: Page) => page.getByRole('textbox', { name: 'Your message' });
const say = async (page: Page, text: string) => {
  await field(page).fill(text);
  await field(page).press('Enter');
};
const bubble = (page: Page, text: string) => page.locator('.bubble', { hasText: text });
/** Opens the chat, gets an answer, and then loses the connection. */
async function visitOffline(): Promise<Visit> {
  const visited = await visit();
  const { page, context } = visited;
  await open(page);
  await say(page, 'ping');
  await bubble(page, 'pong').waitFor();
  await context.setOffline(true);
  await page.getByText('No connection.').waitFor();
  return visited;
}
/** Evaluates an expression in the shadow root of the chat. */
const inChat = <T = string>(page: Page, expression: string): Promise<T> =>
  page.evaluate<T>(`((chat) => ${expression})(document.querySelector('parley-chat').shadowRoot)`);
/** The messages with this text, each as the address of the visitor and the ID that the widget created. */
const storedTexts = async (text: string) =>
  (await parley.db.select().from(message).where(eq(message.role, 'end_user'))).flatMap(
    ({ content, providerMessageId }) => ('text' in content && content.text === text ? [providerMessageId] : []),
  );

describe.skipIf(!CHROMIUM)('the web chat', () => {
  test('the compressed script has at most 20 kB', () => {
    const bytes = gzipSync(readFileSync(WIDGET), { level: 9 }).length;
    console.log(`The web chat is ${(bytes / 1000).toFixed(1)} kB compressed.`);
    expect(bytes).toBeLessThanOrEqual(20_000);
  });

  test('a visitor rates an answer and, when the conversation has ended, the conversation, with a comment', async () => {
    const { page, faults } = await visit();
    await page.setViewportSize({ width: 390, height: 480 });
    await open(page);
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    const good = page.getByRole('button', { name: 'Good answer' });
    await good.click();
    await expect.poll(() => good.getAttribute('aria-pressed')).toBe('true');
    await say(page, 'that is all');
    const scores = page.getByRole('group', { name: 'How was this conversation?' });
    await scores.getByRole('button', { name: 'Good', exact: true }).click();
    const comment = page.getByRole('textbox', { name: 'Comment (optional)' });
    await comment.waitFor();
    const hidden = `chat.querySelector('.comment').getBoundingClientRect().bottom
      - chat.querySelector('.log').getBoundingClientRect().bottom`;
    await expect.poll(() => inChat<number>(page, hidden)).toBeLessThanOrEqual(0);
    // A comment may contain characters that the server cannot store.
    await comment.evaluate((element: { value?: string }) => {
      element.value = 'Quick and clear\0\ud83d';
    });
    await comment.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you for your comment.').waitFor();
    const [row] = await parley.db.select().from(rating).where(eq(rating.comment, 'Quick and clear'));
    expect([row!.kind, row!.score]).toEqual(['survey', 4]);
    const [talked] = await parley.db.select().from(conversation).where(eq(conversation.id, row!.conversationId));
    expect(talked!.status).toBe('resolved');
    expect(await seriousFaults(page)).toEqual([]);

    await page.reload();
    await open(page);
    const chosen = page.getByRole('group', { name: 'How was this conversation?' }).locator('[aria-pressed=true]');
    await expect.poll(() => chosen.allTextContents()).toEqual(['Good']);
    await expect.poll(() => page.getByRole('button', { name: 'Good answer' }).first().getAttribute('aria-pressed')).toBe('true'); // prettier-ignore
    expect(faults).toEqual([]);
  });

  test('the chat works on a site with the strictest policy, from one script and without other requests', async () => {
    const { page, faults, called } = await visit();
    await open(page);
    await expect.poll(() => isFocused(field(page))).toBe(true);
    await say(page, 'How much does delivery cost?');
    await bubble(page, '15 riyals').first().waitFor();
    const sources = page.locator('details').first();
    await sources.locator('summary').click();
    await sources.getByText('Shop guide').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect([...called].sort()).toEqual([parley.url, shop.origin].sort());
    expect(await page.locator('parley-chat').evaluate((host) => host.getAttribute('style'))).toBeNull();
    // After the chat closes, the page has the focus again.
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('the chat continues after a reload, shows the number of unread messages, and marks seen ones as read', async () => {
    const { page } = await visit();
    await open(page);
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    await expect
      .poll(async () => {
        const rows = await parley.db.select().from(message).where(eq(message.role, 'agent'));
        return rows.some(({ content, status }) => 'text' in content && content.text === 'pong' && status === 'read');
      })
      .toBe(true);
    await page.reload();
    await open(page);
    await bubble(page, 'pong').waitFor();
    await page.keyboard.press('Escape');
    // A member writes while the chat is closed.
    const conversations = await parley.db.select().from(conversation).where(eq(conversation.channelId, channelId));
    const newest = conversations.sort((a, b) => (a.id < b.id ? 1 : -1))[0]!;
    const authorId = newId('user');
    await parley.db.insert(user).values({ id: authorId, name: 'Asha <i>Rao</i> $&', email: `${authorId}@example.com` });
    await parley.db.insert(message).values({
      orgId,
      id: newId('msg'),
      conversationId: newest.id,
      role: 'member',
      authorId,
      content: { type: 'text', text: 'Anything else?' },
      status: 'queued',
      dueAt: new Date(),
    });
    await page.getByRole('button', { name: 'Open chat (1 unread)' }).waitFor();
    await open(page);
    await bubble(page, 'Anything else?').waitFor();
    // The visitor sees where the new messages begin, and who answers.
    expect(await page.locator('li.line').allInnerTexts()).toEqual([
      'New messages',
      'Asha <i>Rao</i> $& joined the chat',
    ]);
    expect(await page.locator('.facts bdi').allInnerTexts()).toEqual(['Asha <i>Rao</i> $&']);
    const shots = process.env['TEST_SHOTS'];
    if (shots) await page.screenshot({ path: `${shots}/web-chat-member.png` });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open chat', exact: true }).waitFor();
  });

  test('messages typed offline survive a reload and are sent once', async () => {
    const { page, context } = await visitOffline();
    await say(page, 'written in a tunnel');
    await page.getByText('Waiting for the connection').waitFor();
    await context.setOffline(false);
    await expect.poll(() => page.getByText('Waiting for the connection').count()).toBe(0);
    await expect.poll(() => page.getByText('Sending…').count()).toBe(0);
    expect(await storedTexts('written in a tunnel')).toHaveLength(1);
    expect(await bubble(page, 'written in a tunnel').count()).toBe(1);
    // The response is lost after the server has stored the message, and the page is closed before it retries.
    let lost = 0;
    await page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      lost++;
      return route.abort();
    });
    await say(page, 'said before the page went');
    await expect.poll(() => lost).toBeGreaterThan(0);
    // Another attempt may be in progress. It ends with the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await open(page);
    await bubble(page, 'said before the page went').waitFor();
    await expect.poll(() => page.getByText('Sending…').count()).toBe(0);
    expect(await bubble(page, 'said before the page went').count()).toBe(1);
    expect(await storedTexts('said before the page went')).toHaveLength(1);
  });

  test('a message that is not accepted stays in the field', async () => {
    const { page } = await visitOffline();
    await page.evaluate((prefix) => {
      for (let n = 0; n < 50; n++)
        localStorage.setItem(`${prefix}${n}`, JSON.stringify({ client_id: String(n), text: 'early', at: n }));
    }, `parley.chat.${channelId}.:`);
    await say(page, 'one too many');
    await page.getByText('Too many unsent messages.').waitFor();
    expect(await field(page).inputValue()).toBe('one too many');
  });

  test('the reason why a file is not sent stays visible while another file is sent', async () => {
    const { page } = await visit();
    await open(page);
    const name = `${'x'.repeat(254)}\u{1f600}.txt`;
    const small = { name, mimeType: 'text/plain', buffer: Buffer.from('A receipt.') };
    const large = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) };
    const sent = page.waitForRequest(/\/files\?/);
    await page.locator('input[type=file]').setInputFiles([small, large]);
    // The name is cut without half of an emoji.
    expect(new URL((await sent).url()).searchParams.get('name')).toBe('x'.repeat(254));
    await page.getByRole('link', { name: 'x'.repeat(254) }).waitFor();
    expect(await page.getByText('Files can have up to 10 MB.').isVisible()).toBe(true);
    await say(page, 'ping');
    await expect.poll(() => page.getByText('Files can have up to 10 MB.').isVisible()).toBe(false);
  });

  test('the chat polls if streams do not work', { tags: ['long'] }, async () => {
    const { page, context } = await visit();
    await context.route(
      '**/events',
      (route) => new Promise((resolve) => setTimeout(() => resolve(route.abort()), 20_000)),
    );
    await open(page);
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    expect(await page.getByText('No connection.').isVisible()).toBe(false);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('two windows of a visitor show the same conversation, and another visitor does not see it', async () => {
    const first = await visit();
    const second = await visit('/', first.context);
    const other = await visit();
    for (const { page } of [first, second, other]) await open(page);
    await say(first.page, 'seen by both');
    await bubble(second.page, 'seen by both').waitFor();
    await say(second.page, 'ping');
    await bubble(first.page, 'pong').waitFor();
    await bubble(second.page, 'pong').waitFor();
    expect(await bubble(second.page, 'seen by both').count()).toBe(1);
    expect(await bubble(other.page, 'seen by both').count()).toBe(0);
  });

  test('pages that open the chat at the same time are one visitor', async () => {
    const first = await visit();
    const second = await visit('/', first.context);
    const opened = Promise.withResolvers<void>();
    await first.page.route('**/sessions', async (route) => {
      await opened.promise;
      return route.continue();
    });
    for (const { page } of [first, second]) await open(page);
    await expect.poll(() => everythingStored(second.page)).toContain('token');
    opened.resolve();
    await say(first.page, 'said by the first');
    await bubble(second.page, 'said by the first').waitFor();
    await say(second.page, 'ping');
    for (const { page } of [first, second]) await bubble(page, 'pong').waitFor();
  });

  test('a page continues with the session that another page has stored', async () => {
    const first = await visit();
    const second = await visit('/', first.context);
    for (const { page } of [first, second]) await open(page);
    await say(first.page, 'said before the sign-out');
    await bubble(second.page, 'said before the sign-out').waitFor();
    // The first page stores the session of another visitor, as if both pages had stored theirs at the same time.
    const other = await visit();
    await open(other.page);
    await say(other.page, 'said by another');
    await bubble(other.page, 'said by another').waitFor();
    const name = `parley.chat.${channelId}.`;
    const session = await other.page.evaluate((key) => localStorage.getItem(key)!, name);
    await first.page.evaluate(([key, value]) => localStorage.setItem(key!, value!), [name, session]);
    await bubble(second.page, 'said by another').waitFor();
    await say(other.page, 'ping');
    await bubble(second.page, 'pong').waitFor();

    for (const { page } of [first, second]) await field(page).fill('unfinished');
    await first.page.evaluate('parleyChat.reset()');
    // The next person does not see unfinished text.
    for (const { page } of [first, second]) await expect.poll(() => field(page).inputValue()).toBe('');
    await expect.poll(() => second.page.locator('.bubble').allInnerTexts()).toEqual(['Ask us <i>anything</i>.']);
    await say(second.page, 'said after the sign-out');
    await bubble(first.page, 'said after the sign-out').waitFor();
    expect(await bubble(other.page, 'said after the sign-out').count()).toBe(0);
  });

  test('late responses for an earlier visitor are neither shown nor stored', async () => {
    const { page } = await visit();
    await page.clock.install();
    await open(page);
    await say(page, 'said by the earlier visitor');
    await expect.poll(() => storedTexts('said by the earlier visitor')).toHaveLength(1);
    await page.evaluate('parleyChat.reset()');
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['Ask us <i>anything</i>.']);
    // After this time, the chat no longer shows that the agent is writing.
    await page.clock.fastForward(31_000);
    expect(await bubble(page, 'said by the earlier visitor').count()).toBe(0);

    const late = await visit();
    const sessions: { token: string; answer: () => void }[] = [];
    await late.page.route('**/sessions', async (route) => {
      const response = await route.fetch();
      const { token } = (await response.json()) as { token: string };
      const answered = Promise.withResolvers<void>();
      sessions.push({ token, answer: answered.resolve });
      await answered.promise;
      return route.fulfill({ response });
    });
    await open(late.page);
    await expect.poll(() => sessions.length).toBe(1);
    await late.page.evaluate('parleyChat.reset()');
    await expect.poll(() => sessions.length).toBe(2);
    const [earlier, later] = sessions as [(typeof sessions)[0], (typeof sessions)[0]];
    const arrived = late.page.waitForResponse('**/sessions');
    earlier.answer();
    await (await arrived).finished();
    later.answer();
    await expect.poll(() => everythingStored(late.page)).toContain(later.token);
    expect(await everythingStored(late.page)).not.toContain(earlier.token);
  });

  test('a sign-out also ends the conversation from before the sign-in', async () => {
    const hashOf = (id: string): string => createHmac('sha256', SECRET).update(id).digest('hex');
    // The limit of a name cuts this one in the middle of its last character.
    const person = { externalId: 'crm-10', userHash: hashOf('crm-10'), name: `${'A'.repeat(199)}\u{1f600}` };
    const { page } = await visit();
    await open(page);
    await say(page, 'said before the sign-in');
    await expect.poll(() => storedTexts('said before the sign-in')).toHaveLength(1);
    const identify = (of: object) =>
      page.evaluate((who) => (globalThis as never as ParleyPage).parleyChat.identify(who), of);
    await field(page).fill('unfinished');
    await identify(person);
    expect(await field(page).inputValue()).toBe('unfinished');
    await say(page, 'said while signed in');
    await expect.poll(() => storedTexts('said while signed in')).toHaveLength(1);
    await field(page).fill('unfinished');
    await identify({ externalId: 'crm-11', userHash: hashOf('crm-11') });
    expect(await field(page).inputValue()).toBe('');
    await page.evaluate('parleyChat.reset()');
    await say(page, 'said by the next person');
    await expect.poll(() => storedTexts('said by the next person')).toHaveLength(1);
    await page.reload();
    await open(page);
    await bubble(page, 'said by the next person').waitFor();
    expect(await page.locator('.mine .bubble').count()).toBe(1);
  });

  test('the state of a person whose ID continues that of another person is separate', async () => {
    const { page, faults } = await visit();
    const name = `parley.chat.${channelId}.:42`;
    await page.evaluate((key) => localStorage.setItem(key, '{"token":"of another"}'), name);
    await open(page);
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    expect(await page.locator('.mine .bubble').count()).toBe(1);
    expect(faults).toEqual([]);
    await page.evaluate('parleyChat.reset()');
    expect(await page.evaluate((key) => localStorage.getItem(key), name)).toBe('{"token":"of another"}');
  });

  test('a visitor whose clock is fast opens one session', async () => {
    const { page } = await visit();
    await page.clock.setFixedTime(Date.now() + 40 * 86_400_000);
    let sessions = 0;
    page.on('request', (request) => void (request.url().endsWith('/sessions') && sessions++));
    await open(page);
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    expect(sessions).toBe(1);
  });

  test('the unfinished text of a stream that has ended disappears', async () => {
    const { page } = await visit();
    const body = 'event: ready\ndata: {}\n\nevent: delta\ndata: {"text":"The beginning of"}\n\n';
    const headers = { 'content-type': 'text/event-stream', 'access-control-allow-origin': shop.origin };
    await page.route('**/events', (route) => route.fulfill({ headers, body }), { times: 1 });
    await open(page);
    await bubble(page, 'The beginning of').waitFor();
    await expect.poll(() => bubble(page, 'The beginning of').count()).toBe(0);
  });

  test('the pause before the next stream grows while streams end early, and is short after a long stream', async () => {
    const context = await visitor();
    // Each stream ends when the chat reads its messages, and the seventh when the test ends it.
    await context.addInitScript(`
      const { fetch, setTimeout } = window, { now } = Date;
      let streams = 0, shift = 0, end;
      Date.now = () => now() + shift;
      window.pauses = [];
      window.setTimeout = (work, ms) => {
        // Only pauses with a random part have fractions of a millisecond.
        if (Number.isInteger(ms)) return setTimeout(work, ms);
        pauses.push(ms);
        return setTimeout(work);
      };
      window.endLong = () => {
        shift = 60_000;
        end();
      };
      window.fetch = (url, init) => {
        if (url.endsWith('/messages') && streams < 7) end?.();
        if (!url.endsWith('/events') || ++streams > 7) return fetch(url, init);
        const start = (stream) => {
          stream.enqueue(new TextEncoder().encode('event: ready\\ndata: {}\\n\\n'));
          end = streams % 2 ? () => stream.close() : () => stream.error(new TypeError('network error'));
        };
        return Promise.resolve(new Response(new ReadableStream({ start })));
      };`);
    const { page } = await visit('/', context);
    await open(page);
    const pauses = () => page.evaluate<number[]>('pauses');
    await expect.poll(async () => (await pauses()).length).toBe(6);
    await page.getByText('No connection.').waitFor({ state: 'hidden' });
    await page.evaluate('endLong()');
    await expect.poll(async () => (await pauses()).length).toBe(7);
    for (const [at, longest] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 1_000].entries()) {
      const ms = (await pauses())[at]!;
      expect(ms, `pause ${at}`).toBeLessThanOrEqual(longest);
      expect(ms, `pause ${at}`).toBeGreaterThanOrEqual(longest / 2);
    }
  });

  test('a page that missed more messages than one page of the history shows no gap, and a failed load can be repeated', async () => {
    const { page, context } = await visit();
    await open(page);
    await say(page, 'said before the tunnel');
    await expect.poll(() => storedTexts('said before the tunnel')).toHaveLength(1);
    await context.setOffline(true);
    await page.getByText('No connection.').waitFor();
    const conversations = await parley.db.select().from(conversation).where(eq(conversation.channelId, channelId));
    const newest = conversations.sort((a, b) => (a.id < b.id ? 1 : -1))[0]!;
    for (let at = 0; at <= CHAT_PAGE; at++) {
      await parley.db.insert(message).values({
        orgId,
        id: newId('msg'),
        conversationId: newest.id,
        role: 'agent',
        content: { type: 'text', text: `missed ${at}` },
        status: 'sent',
      });
    }
    await context.setOffline(false);
    await bubble(page, `missed ${CHAT_PAGE}`).waitFor();
    const earlier = page.getByRole('button', { name: 'Earlier messages' });
    const failed = page.getByText('The messages could not be loaded.');
    await page.route('**/messages?before=*', (route) => route.abort(), { times: 1 });
    await earlier.click();
    await failed.waitFor();
    await earlier.click();
    await bubble(page, 'missed 0').waitFor();
    expect(await failed.count()).toBe(0);
    const shown = (await page.locator('.bubble').allInnerTexts()).join();
    expect(shown.indexOf('said before the tunnel')).toBeLessThan(shown.indexOf('missed 0'));
  });

  test('a refused message does not mark the next one as refused, if another page has sent it', async () => {
    const first = await visit();
    const second = await visit('/', first.context);
    for (const { page } of [first, second]) await open(page);
    await say(first.page, 'ping');
    for (const { page } of [first, second]) await bubble(page, 'pong').waitFor();
    const refused = Promise.withResolvers<void>();
    let calls = 0;
    await first.page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST' || ++calls > 1) return route.fallback();
      await route.fetch();
      await refused.promise;
      return route.fulfill({ status: 422, headers: { 'access-control-allow-origin': shop.origin }, json: {} });
    });
    await say(first.page, 'stored at once');
    await say(first.page, 'waits');
    await bubble(second.page, 'stored at once').waitFor();
    const isStored = async () => (await everythingStored(first.page)).includes('stored at once');
    await expect.poll(isStored).toBe(false);
    const answered = first.page.waitForResponse((response) => response.status() === 422);
    refused.resolve();
    await (await answered).finished();
    await expect.poll(() => storedTexts('waits')).toHaveLength(1);
    expect(await first.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('a tab does not remove a message that another tab has just queued', { tags: ['long'] }, async () => {
    const { page } = await visit();
    await open(page);
    await page.evaluate((name) => {
      const setItem = Storage.prototype.setItem;
      Storage.prototype.setItem = function (key: string, value: string) {
        Storage.prototype.setItem = setItem;
        // Another tab writes between this tab's read and its write.
        const client_id = crypto.randomUUID();
        setItem.call(this, `${name}:${client_id}`, JSON.stringify({ client_id, text: 'ping', at: Date.now() }));
        setItem.call(this, key, value);
      };
    }, `parley.chat.${channelId}.`);
    await say(page, 'said here');
    await bubble(page, 'said here').waitFor();
    await bubble(page, 'pong').waitFor();
    expect(await bubble(page, 'said here').count()).toBe(1);
  });

  test(
    'the page or the script tag sets the language: Arabic from right to left, or Hindi',
    { tags: ['long'] },
    async () => {
      const arabic = await visit('/?page-ar');
      await arabic.page.getByRole('button', { name: 'فتح الدردشة' }).click();
      expect(await inChat(arabic.page, "getComputedStyle(chat.querySelector('.root')).direction")).toBe('rtl');
      const launcher = await arabic.page.locator('.launcher').boundingBox();
      expect(launcher!.x).toBeLessThan(100);
      const input = arabic.page.getByRole('textbox', { name: 'رسالتك' });
      await input.fill('كم تكلفة التوصيل؟');
      await input.press('Enter');
      await bubble(arabic.page, '15 ريال').first().waitFor();
      expect(await seriousFaults(arabic.page)).toEqual([]);

      const byTag = await visit(`/?${encodeURIComponent('data-language="ar"')}`);
      await byTag.page.getByRole('button', { name: 'فتح الدردشة' }).waitFor();
      const hindi = await visit(`/?${encodeURIComponent('data-language="hi"')}`);
      await hindi.page.getByRole('button', { name: 'चैट खोलें' }).click();
      await hindi.page.getByRole('textbox', { name: 'आपका संदेश' }).waitFor();
    },
  );

  test('the chat works by keyboard only', async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await isFocused(page.getByRole('button', { name: 'Open chat' }))).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(field(page))).toBe(true);
    await page.keyboard.type('two lines');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('ping');
    await page.keyboard.press('Enter');
    await bubble(page, 'two lines\nping').waitFor();
    await bubble(page, 'pong').waitFor();
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused(page.getByRole('button', { name: 'Attach a file' }))).toBe(true);
    for (const name of ['Bad answer', 'Good answer']) {
      await page.keyboard.press('Shift+Tab');
      expect(await isFocused(page.getByRole('button', { name }))).toBe(true);
    }
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused(page.getByRole('log', { name: 'Conversation' }))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await isFocused(page.getByRole('button', { name: 'Open chat' }))).toBe(true);
  });

  test('the chat shows the progress of a file', async () => {
    const { page } = await visit();
    await open(page);
    await field(page).waitFor();
    const release = Promise.withResolvers<void>();
    await page.route('**/files?*', async (route) => {
      await release.promise;
      await route.continue();
    });
    const bytes = Buffer.alloc(300_000, 'a');
    await page.locator('input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: bytes });
    const progress = page.locator('[data-waiting] progress');
    await progress.waitFor();
    expect(Number(await progress.getAttribute('value'))).toBeGreaterThanOrEqual(0);
    release.resolve();
    await progress.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'notes.txt' }).waitFor();
  });

  test('the chat shows all texts of people and agents as text, not as HTML', async () => {
    const { page, faults } = await visit();
    await open(page);
    await page.getByRole('heading', { name: 'Shop <b>help</b>' }).waitFor();
    await bubble(page, 'Ask us <i>anything</i>.').waitFor();
    await say(page, HOSTILE);
    await say(page, 'hostile');
    await expect.poll(() => bubble(page, 'javascript:alert(1)').count()).toBe(2);
    const found = await inChat<{ markup: number; links: string[] }>(
      page,
      `({
        markup: chat.querySelectorAll('.log img, .log script, .log b:not(details b), .log i').length,
        links: [...chat.querySelectorAll('.log a')].map(({ href, rel }) => href + ' ' + rel),
      })`,
    );
    expect(found.markup).toBe(0);
    expect(new Set(found.links)).toEqual(new Set(['https://ok.example/a noopener noreferrer nofollow']));
    expect(await page.title()).toBe('Shop');
    expect(faults).toEqual([]);
  });

  test('a new visitor sees the first questions, and the selected one is sent as a message', async () => {
    const questions = ['ping', HOSTILE.slice(0, 80)];
    await givenSettings({ suggestions: questions, avatar: '<b>' });
    const { page, faults, context } = await visit();
    await open(page);
    const offered = page.getByRole('group', { name: 'Suggested questions' });
    await offered.waitFor();
    expect(await offered.getByRole('button').allTextContents()).toEqual(questions);
    expect(await inChat(page, "chat.querySelector('.avatar').textContent")).toBe('<b>');
    expect(await inChat<number>(page, "chat.querySelectorAll('img, script, b').length")).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    await offered.getByRole('button', { name: 'ping' }).press('Enter');
    await bubble(page, 'pong').waitFor();
    expect(await offered.count()).toBe(0);
    expect(await isFocused(field(page))).toBe(true);
    expect(await page.locator('li.mine').count()).toBe(1);
    // A returning visitor has already asked a question.
    const again = await visit('/', context);
    await open(again.page);
    await bubble(again.page, 'pong').waitFor();
    expect(await again.page.getByRole('group', { name: 'Suggested questions' }).count()).toBe(0);
    expect([...faults, ...again.faults]).toEqual([]);
  });

  test('title and first questions are in the language of the page', async () => {
    const ar = { title: 'المتجر', suggestions: ['أين طلبي؟'] };
    await givenSettings({ suggestions: ['ping'], translations: { ar } });
    const { page } = await visit('/?page-ar');
    await page.getByRole('button', { name: 'فتح الدردشة' }).click();
    await page.getByRole('heading', { name: 'المتجر' }).waitFor();
    const offered = page.getByRole('group', { name: 'أسئلة مقترحة' });
    await offered.waitFor();
    expect(await offered.getByRole('button').allTextContents()).toEqual(ar.suggestions);
  });

  test('the chat reports that it is not available on a site that is not allowed', async () => {
    const { page } = await visit();
    const hints: string[] = [];
    page.on('console', (line) => line.type() === 'warning' && hints.push(line.text()));
    await page.goto(stranger.origin);
    await open(page);
    await page.getByText('This chat is not available at the moment.').waitFor();
    expect(hints.join()).toContain(`Add ${stranger.origin} to the allowed sites of the channel.`);
    await say(page, 'from elsewhere');
    expect(await storedTexts('from elsewhere')).toHaveLength(0);
  });

  test(
    'the chat replaces a damaged token, and recognizes a person whom the site identifies',
    { tags: ['long'] },
    async () => {
      const hash = createHmac('sha256', SECRET).update('crm-9').digest('hex');
      const tag = encodeURIComponent(`data-external-id="crm-9" data-user-hash="${hash}" data-name="Layla"`);
      const first = await visit(`/?${tag}`);
      await open(first.page);
      await say(first.page, 'I am Layla');
      await expect.poll(() => storedTexts('I am Layla')).toHaveLength(1);
      const second = await visit(`/?${tag}`);
      await open(second.page);
      await bubble(second.page, 'I am Layla').waitFor();
      // She signs out on the page, and none of her data remains in the window.
      await second.page.evaluate('parleyChat.reset()');
      await expect.poll(() => bubble(second.page, 'I am Layla').count()).toBe(0);

      const full = await visit();
      await full.page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      });
      await open(full.page);
      await say(full.page, 'ping');
      await bubble(full.page, 'pong').waitFor();
      expect(await bubble(full.page, 'ping').count()).toBe(1);
      const spoiled = await visit();
      await spoiled.page.evaluate(
        `localStorage['parley.chat.${channelId}.'] = JSON.stringify({ token: 'x', until: 9e15, renew: 9e15, queue: [] })`,
      );
      await spoiled.page.reload();
      await open(spoiled.page);
      await say(spoiled.page, 'ping');
      await bubble(spoiled.page, 'pong').waitFor();
    },
  );

  test('the chat fills the screen of a phone, and supports dark mode', { tags: ['long'] }, async () => {
    const { page } = await visit('/', undefined, {
      viewport: { width: 360, height: 640 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    await open(page);
    const box = await page.getByRole('dialog').boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width: 360 });
    await say(page, `ping ${'long'.repeat(40)}`);
    await bubble(page, 'pong').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const background = await inChat(page, "getComputedStyle(chat.querySelector('.panel')).backgroundColor");
    expect(background).toBe('rgb(22, 33, 31)');
    expect(await seriousFaults(page)).toEqual([]);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.localName')).toBe('parley-chat');
    }
  });

  test('an answer has its own direction, and not that of the name of the author', async () => {
    const { page } = await visit(`${parley.url}/chat/${channelId}`);
    await say(page, 'كم تكلفة التوصيل؟');
    const answer = bubble(page, '15 ريال').first();
    await answer.waitFor();
    expect(await answer.evaluate((one) => one.ownerDocument.defaultView!.getComputedStyle(one).direction)).toBe('rtl');
  });

  test('the chat has its own page', async () => {
    const { page, faults } = await visit(`${parley.url}/chat/${channelId}`);
    await page.getByRole('region', { name: 'Shop <b>help</b>' }).waitFor();
    await say(page, 'ping');
    await bubble(page, 'pong').waitFor();
    await page.reload();
    await bubble(page, 'pong').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
