import { execFile } from 'node:child_process';
import type { Page } from '@playwright/test';
import { sql } from 'drizzle-orm';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BUILT } from '../program.ts';
import {
  CHROMIUM,
  everythingKept,
  type Journey,
  KEYS,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
} from './dashboard-browser.ts';

/** This runs before the first owner exists. */
describe.skipIf(!CHROMIUM)('setup link', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney();
  });
  afterAll(() => journey?.stop());

  test('the setup link creates the first owner only once', async () => {
    const { page, faults, close } = await journey.open(journey.setupPath);
    await page.getByRole('button', { name: 'Create account and start' }).click();
    await page.getByText('This field is required.').first().waitFor();
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Name of your organization').fill('Northwind');
    await page.getByLabel('E-mail address').fill(OWNER);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account and start' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(faults).toEqual([]);
    await close();

    const again = await journey.open(journey.setupPath);
    await again.page.getByLabel('Your name').fill('Mallory');
    await again.page.getByLabel('Name of your organization').fill('Other');
    await again.page.getByLabel('E-mail address').fill('mallory@example.com');
    await again.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.page.getByRole('button', { name: 'Create account and start' }).click();
    await again.page.getByText('The setup link is no longer valid').waitFor();
    await again.page.getByText(/req_[0-9a-z]{26}/).waitFor();
  });
});

/** Signing in, the session, signing out, and the parts that every page has. */
describe.skipIf(!CHROMIUM)('dashboard shell', () => {
  let journey: Journey;
  let owner: Awaited<ReturnType<Journey['owner']>>;
  beforeAll(async () => {
    journey = await startJourney();
    owner = await journey.owner();
  });
  afterAll(() => journey?.stop());

  test('a person without a session is sent to sign-in, and then back to the requested page', async () => {
    const { page } = await journey.open(`${KEYS}?scope=agent`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail address').fill(OWNER);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.route('**/sign-in', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The connection was lost').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('E-mail address or password is wrong').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'API Keys', level: 1 }).waitFor();
    expect(page.url()).toBe(`${journey.app.url}${KEYS}?scope=agent`);
  });

  test('sign-in never leads to another site', async () => {
    const { page } = await journey.open('/sign-in?back=//evil.example/x');
    await page.getByLabel('E-mail address').fill(OWNER);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(new URL(page.url()).origin).toBe(journey.app.url);
  });

  test('signing out ends the session, and the other windows ask to sign in again', async () => {
    const { page, context } = await journey.open('/sign-in');
    await page.getByLabel('E-mail address').fill(OWNER);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    const other = await context.newPage();
    await other.goto(journey.app.url + KEYS);
    await other.getByRole('heading', { name: 'API Keys', level: 1 }).waitFor();
    await other.evaluate("sessionStorage['parley.reply.conv_1'] = 'half written'");
    await page.evaluate("sessionStorage['parley.reply.conv_1'] = 'half written'");
    await page.getByRole('button', { name: 'Your menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await everythingKept(page)).not.toContain('half written');
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(other.url()).toContain(encodeURIComponent(KEYS));
    // The same person finds the unfinished text, and another person does not.
    const signIn = async (email: string): Promise<void> => {
      await other.getByLabel('E-mail address').fill(email);
      await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await other.getByRole('button', { name: 'Sign in', exact: true }).click();
      await other.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    };
    await signIn(OWNER);
    expect(await everythingKept(other)).toContain('half written');
    await context.clearCookies();
    await other.goto(`${journey.app.url}/sign-in`);
    const { url } = await owner.call('POST /invitations', { email: 'lea@example.com', role: 'member' });
    const token = new URL(url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Lea Haddad', password: PASSWORD });
    await signIn('lea@example.com');
    expect(await everythingKept(other)).not.toContain('half written');
  });

  test('language and theme are stored, and Arabic is right-to-left', async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    await page.getByRole('button', { name: 'Your menu' }).click();
    await page.getByText('العربية').click();
    // The program of another language loads.
    await page.locator('html[lang=ar]').waitFor();
    await page.getByRole('button', { name: 'قائمتك' }).click();
    await page.getByText('داكن').click();
    await page.reload();
    await page.getByRole('heading', { name: 'مفاتيح API', level: 1 }).waitFor();
    const look = 'document.documentElement.dataset.mantineColorScheme + document.dir + document.documentElement.lang';
    expect(await page.evaluate(look)).toBe('darkrtlar');
    const heading = await page.getByRole('heading', { name: 'مفاتيح API', level: 1 }).boundingBox();
    expect(heading!.x).toBeGreaterThan(600);
    expect(await page.evaluate("getComputedStyle(document.querySelector('code')).direction")).toBe('ltr');
  });

  test('a person is invited by link, joins, gets another role, and is removed', async () => {
    const { page } = await journey.open('/settings/members', { as: OWNER });
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByRole('dialog').getByLabel('E-mail address').fill('ben@example.com');
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    const link = await page.getByLabel('Link for ben@example.com').inputValue();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    const guest = await journey.open(new URL(link).pathname);
    await guest.page.getByRole('heading', { name: 'Join Northwind' }).waitFor();
    await guest.page.getByLabel('Your name').fill('Ben Osei');
    await guest.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await guest.page.getByRole('button', { name: 'Join' }).click();
    await guest.page.getByRole('heading', { name: 'First steps' }).waitFor();
    // A hidden page does not read the session every half minute.
    await guest.page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })`);

    await page.reload();
    await page.getByLabel('Role of Ben Osei').selectOption('viewer');
    await page.getByText('Ben Osei is now Viewer.').waitFor();
    await page.getByRole('button', { name: 'Remove: Ben Osei' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Ben Osei was removed.').waitFor();
    await guest.page.getByRole('link', { name: 'Agents' }).click();
    await guest.page.getByRole('heading', { name: 'You are not a member of an organization' }).waitFor();
    await guest.close();
    expect(await page.getByRole('row').filter({ hasText: 'Ben Osei' }).count()).toBe(0);
  });

  test('a link that was created on the server sets a forgotten password once and ends other sessions', async () => {
    const before = await journey.open('/', { as: OWNER });
    const { stdout } = await promisify(execFile)(process.execPath, [BUILT, 'reset-password', OWNER], {
      env: { DATABASE_URL: journey.app.database.url, PARLEY_SECRET: journey.app.config.secret },
    });
    const path = new URL(JSON.parse(stdout).url).pathname;
    const { page, faults } = await journey.open(path);
    await page.getByText(OWNER).waitFor();
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByText('Use at least 10 characters.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.goto(journey.app.url + path);
    await page.getByText('The password link is no longer valid').waitFor();
    // A used link stays used, so the page offers no retry.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Back to sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await before.page.reload();
    await before.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(faults).toEqual([]);
    journey.forget(OWNER);
  });

  test(
    'the first steps are checked off after an agent, a trigger, a key and a first call',
    { tags: ['long'] },
    async () => {
      const { page, faults } = await journey.open('/', { as: OWNER });
      await page.getByText('0 of 5 done').waitFor();
      await page.getByText('From my backend').click();
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('button', { name: 'How much does delivery cost?' }).click();
      await page.getByRole('log').getByText('Delivery costs 15 riyals').first().waitFor();
      await page.getByText('2 of 5 done').waitFor();
      await page.getByRole('button', { name: 'Create trigger' }).click();
      await page.getByText('3 of 5 done').waitFor();
      await page.getByRole('button', { name: 'Create API key' }).click();
      expect(await page.getByRole('radio', { name: 'Specific AI agent' }).isChecked()).toBe(true);
      await page.getByLabel('Label').fill('First');
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      const key = await page.getByLabel('API key', { exact: true }).inputValue();
      await page.getByText('Your new key is filled in.').waitFor();
      expect(await page.getByLabel('Call the agent from your backend').innerText()).toContain(`Bearer ${key}`);
      page.on('dialog', (asked) => void asked.accept());
      await page.reload();
      await page.getByText('Put your key in place of $PARLEY_API_KEY').waitFor();
      await page.getByText('The value of “First” cannot be shown again').waitFor();
      expect(await everythingKept(page)).not.toContain(key);
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('The value of “First” cannot be shown again').waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
      await page.getByText('Waiting for your first request…').waitFor();
      expect((await journey.app.call('GET', '/api/me', { key })).status).toBe(200);
      await page.getByText('The key works. Waiting for the call that starts a conversation…').waitFor();
      const path = /POST (\S+)/.exec(await page.getByText(/^POST \/api/).innerText())![1]!;
      const { status } = await journey.app.call('POST', path, { key, body: { message: 'Hello' } });
      expect(status).toBe(202);
      await page.getByText('Your first request has arrived.').waitFor();
      await page.getByText('All done').waitFor();
      await page.getByRole('link', { name: 'Open the conversation' }).click();
      await page.locator('[data-row]').getByText('Hello').waitFor();
      expect(faults).toEqual([]);
    },
  );

  const FIRST_LOAD_BYTES = 206 * 1024;
  /** The compressed size of the scripts that a page loads first. */
  async function firstLoad(path: string, as: string | undefined, liked?: object): Promise<number> {
    const { page } = await journey.open('/docs/problems/key_invalid', { as, ...(liked && { liked }) });
    // Code that the idle browser prefetches does not count, and this test prefetches nothing.
    await page.addInitScript('window.requestIdleCallback = () => 0');
    const scripts = new Set<string>();
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.add(request.url());
    });
    await page.goto(journey.app.url + path);
    await settled(page);
    const first = [...scripts];
    const sizes = await Promise.all(
      first.map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length),
    );
    expect(first.length).toBeGreaterThan(1);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  for (const [path, as] of [
    ['/', OWNER],
    ['/sign-in', undefined],
    [KEYS, OWNER],
  ] as const)
    test(`the first load of ${path} takes at most 206 kB of compressed script`, async () => {
      expect(await firstLoad(path, as)).toBeLessThan(FIRST_LOAD_BYTES);
    });

  test('the first load of Home with figures takes at most 206 kB of compressed script', async () => {
    const { orgId } = owner;
    const { cookie } = await journey.api('POST /sign-in', { email: OWNER, password: PASSWORD });
    const agent = await journey.api(`POST /organizations/${orgId}/agents`, { name: 'Figures' }, cookie);
    const trigger = { agent_id: agent.body.id, name: 'Figures' };
    const { body } = await journey.api(`POST /organizations/${orgId}/triggers`, trigger, cookie);
    const { value: key } = await journey.app.key(orgId, { permissions: ['triggers'] });
    expect((await journey.app.call('POST', body.path, { key, body: {} })).status).toBe(202);
    expect(await firstLoad('/', OWNER, { hidden_steps: [orgId] })).toBeLessThan(FIRST_LOAD_BYTES);
  });

  test(
    'a window stays in its organization when another window switches, and joining opens the new organization',
    { tags: ['long'] },
    async () => {
      const { orgId } = owner;
      const { cookie } = await journey.api('POST /sign-in', { email: OWNER, password: PASSWORD });
      const agent = await journey.api(`POST /organizations/${orgId}/agents`, { name: 'Of Northwind' }, cookie);
      const south = await journey.api('POST /organizations', { name: 'Southwind' }, cookie);
      const { page, context } = await journey.open('/', { as: OWNER });
      const go = async (window: Page, name: string): Promise<void> => {
        await window.getByRole('button', { name: 'Switch organization' }).click();
        await window.getByRole('menuitem', { name }).click();
        await window.getByRole('button', { name: `Switch organization: ${name}` }).waitFor();
      };
      await go(page, 'Northwind');
      await page.goto(`${journey.app.url}/agents/${agent.body.id}`);
      await page.getByRole('heading', { name: 'Of Northwind' }).waitFor();
      const other = await context.newPage();
      await other.goto(journey.app.url);
      await go(other, 'Southwind');
      await page.reload();
      await page.getByRole('heading', { name: 'Of Northwind' }).waitFor();

      const email = 'cy@example.com';
      const invited = async (id: string): Promise<string> => {
        const { body } = await journey.api(`POST /organizations/${id}/invitations`, { email, role: 'member' }, cookie);
        return new URL(body.url).pathname;
      };
      await journey.api(`POST ${await invited(south.body.id)}`, { name: 'Cy', password: PASSWORD });
      await page.goto(journey.app.url + (await invited(orgId)));
      // Signed in as a person who is not invited.
      await page.evaluate("sessionStorage['parley.reply.conv_1'] = 'half written'");
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'I have an account: sign in' }).click();
      expect(await everythingKept(page)).not.toContain('half written');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: 'Join', exact: true }).click();
      await page.getByRole('button', { name: 'Switch organization: Northwind' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
      // The window has signed the owner out.
      journey.forget(OWNER);
    },
  );

  test('the policy of the page allows no foreign or inline script', async () => {
    const answer = await fetch(`${journey.app.url}/`, { headers: { accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe/);
    const page = await answer.text();
    expect(page).toContain(/'nonce-([^']+)'/.exec(policy)![1]!);
    expect(page.match(/<script(?![^>]*\ssrc=)/g)).toBeNull();
    const unknown = await fetch(`${journey.app.url}/api/nowhere`, { headers: { accept: 'text/html' } });
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  test('each page of a paused installation says so, in colors that everyone can read', async () => {
    await journey.app.db.execute(sql`UPDATE installation SET paused_at = now()`);
    onTestFinished(async () => void (await journey.app.db.execute(sql`UPDATE installation SET paused_at = NULL`)));
    const { page, faults } = await journey.open('/approvals', { as: OWNER });
    await page.getByRole('status').filter({ hasText: 'This installation is paused' }).waitFor();
    await settled(page);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
