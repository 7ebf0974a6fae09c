import type { Page } from '@playwright/test';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordAudit, SYSTEM } from '../../src/store/organizations/audit.ts';
import {
  CHROMIUM,
  everythingKept,
  isFocused,
  type Journey,
  KEYS,
  OWNER,
  PASSWORD,
  startJourney,
} from './dashboard-browser.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, label: string) => page.getByRole('row').filter({ hasText: label });
const valueOf = (page: Page) => page.getByLabel('API key', { exact: true }).inputValue();

/** The time shows "a moment ago", or a longer time on a busy machine. */
const LATELY = 'just now|\\d+ (?:second|minute)s? ago';

/** Fills and submits the form. The dialog then shows the key. */
async function create(page: Page, label: string, { agent }: { agent?: string } = {}): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await page.getByLabel('Label').fill(label);
  if (agent) {
    await page.getByRole('radio', { name: 'Specific AI agent' }).check();
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: agent }).click();
  }
  await dialog(page).getByRole('button', { name: 'Create API key' }).click();
  return valueOf(page);
}
const saved = async (page: Page) => {
  await page.getByRole('button', { name: 'I have saved this key' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
};

/** The life of a key that a person uses in a browser: Settings, Integrations, API Keys. */
describe.skipIf(!CHROMIUM)('API Keys panel', () => {
  let journey: Journey;
  let cookie: string;
  let orgId: string;
  let agentId: string;

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    agentId = (await journey.api(`POST /organizations/${orgId}/agents`, { name: 'Concierge' }, cookie)).body.id;
    // The page shows code and calls with a key, and their requirements are tested.
    const variables = [{ name: 'order_id', type: 'string', required: true }];
    const trigger = { agent_id: agentId, name: 'Order update', variables };
    await journey.api(`POST /organizations/${orgId}/triggers`, trigger, cookie);
  });
  afterAll(() => journey?.stop());

  const me = async (key: string) => {
    const { status, body } = await journey.app.call('GET', '/api/me', { key });
    return { status, code: body.code };
  };

  for (const agent of [undefined, 'Concierge'])
    test(
      `a key of ${agent ?? 'the whole organization'} is created, used, revoked and then refused`,
      { tags: agent ? ['long'] : [] },
      async () => {
        const label = `Life of ${agent ?? 'all'}`;
        // The time zone is west of Greenwich, but the days of its requests are UTC days.
        const { page, faults } = await journey.open(KEYS, { as: OWNER, timezoneId: 'America/New_York' });
        const key = await create(page, label, { agent });
        expect(key).toMatch(/^parley_us_[0-9A-Za-z]{49}$/);
        await saved(page);
        expect(await row(page, label).innerText()).toContain('Never');
        expect(await row(page, label).innerText()).toContain(agent ?? 'Whole organization');

        expect(await me(key)).toEqual({ status: 200, code: undefined });
        await row(page, label).locator('[data-label="Last used"]').getByText(new RegExp(LATELY)).waitFor();
        expect(await row(page, label).innerText()).not.toContain('Never');

        await row(page, label).getByRole('button', { name: 'Revoke' }).click();
        await dialog(page)
          .getByText(/1 request in 24 h/)
          .waitFor();
        await expect.poll(() => isFocused(dialog(page).getByRole('button', { name: 'Cancel' }))).toBe(true);
        await dialog(page).getByRole('button', { name: 'Revoke' }).click();
        await dialog(page).getByText('This is not the label of the key.').waitFor();
        await expect.poll(() => isFocused(dialog(page).getByRole('textbox'))).toBe(true);
        expect(await me(key)).toMatchObject({ status: 200 });
        await dialog(page).getByRole('textbox').fill(label);
        await dialog(page).getByRole('button', { name: 'Revoke' }).click();
        await dialog(page)
          .getByText(/refused by all servers since \d\d:\d\d:\d\d\.\d{3} UTC/)
          .waitFor();
        expect(await me(key)).toEqual({ status: 401, code: 'key_revoked' });

        await dialog(page).getByRole('button', { name: 'Close' }).last().click();
        await row(page, label).waitFor({ state: 'detached' });
        await page.getByRole('switch', { name: 'Show revoked' }).check();
        await row(page, label)
          .getByText(/Revoked .* by Asha Rao/)
          .waitFor();
        expect(page.url()).toContain('state=all');
        await row(page, label).getByRole('link', { name: label }).click();
        await page.getByText('30 days').click();
        const days = page.locator('figcaption span');
        const today = { dateStyle: 'medium', timeZone: 'UTC' } as const;
        await days.last().getByText(new Intl.DateTimeFormat('en', today).format()).waitFor();
        expect(faults).toEqual([]);
      },
    );

  test('the value of a key is shown once: leaving asks for confirmation, and afterwards it is not stored anywhere', async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    const key = await create(page, 'Shown once');
    await page.getByRole('button', { name: 'Send a test request' }).click();
    await dialog(page).getByText('The key works: 200').waitFor();
    await dialog(page)
      .getByText(new RegExp(`Last used: (?:${LATELY})`))
      .waitFor();
    await page.getByRole('button', { name: 'Start a conversation' }).click();
    await dialog(page).getByText('202, the conversation has started').waitFor();
    const link = dialog(page).getByRole('link', { name: 'Read the conversation in a new window' });
    const begun = { path: await link.getAttribute('href'), opens: await link.getAttribute('target') };
    expect(begun).toEqual({ path: expect.stringMatching(/^\/conversations\/conv_/), opens: '_blank' });
    await page.keyboard.press('Escape');
    await page.getByText('Close without saving the key?').waitFor();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    expect(await valueOf(page)).toBe(key);
    for (const tab of ['.env', 'curl', 'MCP']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await page.getByRole('tabpanel').innerText()).toContain(key);
    }
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    expect(await page.getByRole('tabpanel').innerText()).toContain(`parley.triggers.start('${agentId}', 'trigger_`);
    await saved(page);
    const secret = key.slice('parley_us_'.length + 6);
    expect(await everythingKept(page)).not.toContain(secret);
    await page.goBack();
    expect(await everythingKept(page)).not.toContain(secret);
    await page.goto(journey.app.url + begun.path);
    await page.getByRole('log').getByText('Hello', { exact: true }).waitFor();
  });

  test(
    'reloading the page keeps the input, and explains that the value of the key is lost',
    { tags: ['long'] },
    async () => {
      const { page } = await journey.open(KEYS, { as: OWNER });
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      await page.getByLabel('Label').fill('Half done');
      await page.getByRole('checkbox', { name: 'Channels' }).check();
      await page.reload();
      expect(await page.getByLabel('Label').inputValue()).toBe('Half done');
      expect(await page.getByRole('checkbox', { name: 'Channels' }).isChecked()).toBe(true);
      await dialog(page).getByRole('button', { name: 'Create API key' }).click();
      const key = await valueOf(page);
      page.on('dialog', (asked) => void asked.accept());
      await page.reload();
      await page.getByText('The value of “Half done” cannot be shown again').waitFor();
      expect(await everythingKept(page)).not.toContain(key);
    },
  );

  test(
    'an expired session does not hide the value, so it can be saved before signing in again',
    { tags: ['long'] },
    async () => {
      const { page, context, faults } = await journey.open(KEYS, { as: OWNER });
      const key = await create(page, 'Session gone');
      await context.clearCookies();
      // The call with the key continues, but the page's own requests with the session are refused.
      const refused = page.waitForResponse((answer) => answer.status() === 401);
      await page.getByRole('button', { name: 'Send a test request' }).click();
      await refused;
      await dialog(page).getByText('The key works: 200').waitFor();
      expect(await valueOf(page)).toBe(key);
      await page.getByRole('button', { name: 'I have saved this key' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(page.url()).searchParams.get('back')).toContain(KEYS);
      expect(faults).toEqual([]);
    },
  );

  test('the permission End-users explains why an agent’s key cannot have it; Campaigns is never offered', async () => {
    const { page } = await journey.open(`${KEYS}?create=`, { as: OWNER });
    await page.getByRole('checkbox', { name: 'End-users' }).check();
    await dialog(page).getByText('read, create, change and delete all end users').waitFor();
    await page.getByRole('radio', { name: 'Specific AI agent' }).check();
    const endUsers = page.getByRole('checkbox', { name: 'End-users' });
    expect([await endUsers.isChecked(), await endUsers.isDisabled()]).toEqual([false, true]);
    await page.getByText('End-users was deselected').waitFor({ state: 'attached' });
    await page.getByText('end users belong to the whole organization.').last().waitFor();
    await dialog(page).getByText('work for any other agent: such calls return 403').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Campaigns' }).isDisabled()).toBe(true);
    await page.getByLabel('Label').fill('No agent chosen');
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('Choose the agent for this key.').waitFor();
    await expect.poll(() => isFocused(page.getByRole('combobox', { name: 'Agent' }))).toBe(true);
  });

  test('a lost connection shows that the result is unknown, and keeps the form', { tags: ['long'] }, async () => {
    const { page } = await journey.open(`${KEYS}?create=`, { as: OWNER });
    await page.getByLabel('Label').fill('Lost on the way');
    await page.route('**/keys', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('It is not known whether the key was created.').waitFor();
    await page.unroute('**/keys');
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    expect(await valueOf(page)).toMatch(/^parley_us_/);
    await saved(page);
  });

  test('the value can be copied in a browser without a clipboard API', { tags: ['long'] }, async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const key = await create(page, 'Copied by hand');
    // The button shows the confirmation only for a moment.
    const copied = dialog(page).getByRole('button', { name: 'Copied' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Copy' }).first().click();
    await copied;
    await saved(page);
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByRole('searchbox').inputValue()).toBe(key);
  });

  test('rotating keeps the permissions, and the old key works until its expiry', async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    const old = await create(page, 'Rotated');
    await saved(page);
    await row(page, 'Rotated').getByRole('button', { name: 'More actions for Rotated' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await page.getByRole('radio', { name: 'In 1 hour' }).check();
    await page.getByRole('button', { name: 'Create the new key' }).click();
    const fresh = await valueOf(page);
    await saved(page);
    expect([await me(old), await me(fresh)]).toMatchObject([{ status: 200 }, { status: 200 }]);
    await page.getByText(/Ends in (59|60) minutes|Ends in 1 hour/).waitFor();
    await page.getByRole('button', { name: 'Revoke now' }).click();
    await dialog(page).getByRole('textbox').fill('Rotated');
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByText('refused by all servers since').waitFor();
    expect([await me(old), await me(fresh)]).toMatchObject([{ status: 401 }, { status: 200 }]);
  });

  test('a key is created, shown from left to right, listed and revoked in Arabic', { tags: ['long'] }, async () => {
    const liked = { language: 'ar', theme: 'dark' };
    const { page, faults } = await journey.open(`${KEYS}?create=`, { as: OWNER, liked });
    await page.getByLabel('التسمية').fill('متجر الدوحة');
    await page.getByRole('radio', { name: 'وكيل ذكاء اصطناعي محدد' }).check();
    await page.getByRole('combobox', { name: 'الوكيل' }).click();
    await page.getByRole('option', { name: 'Concierge' }).click();
    await dialog(page).getByText('بدء محادثات مع').first().waitFor();
    await dialog(page).getByRole('button', { name: 'إنشاء مفتاح API' }).click();
    const key = await page.locator('[data-shown-once]').inputValue();
    const direction = "getComputedStyle(document.querySelector('[data-shown-once]')).direction + document.dir";
    expect(await page.evaluate(direction)).toBe('ltrrtl');
    await page.getByRole('button', { name: 'لقد حفظت هذا المفتاح' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    await row(page, 'متجر الدوحة').getByRole('button', { name: 'إلغاء المفتاح' }).click();
    await dialog(page).getByRole('button', { name: 'إلغاء المفتاح' }).click();
    await dialog(page)
      .getByText(/\d\d:\d\d:\d\d\.\d{3} UTC/)
      .waitFor();
    expect(await me(key)).toEqual({ status: 401, code: 'key_revoked' });
    expect(faults).toEqual([]);
  });

  test('a change in one window appears in another without a reload', async () => {
    const first = await journey.open(KEYS, { as: OWNER });
    const second = await journey.open(KEYS, { as: OWNER });
    await create(first.page, 'Seen by both');
    await saved(first.page);
    await row(second.page, 'Seen by both').waitFor();
    expect(await row(second.page, 'Seen by both').innerText()).toContain('Never');
  });

  test('the label of a key is shown as text, not as HTML', { tags: ['long'] }, async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const { page, faults } = await journey.open(KEYS, { as: OWNER });
    let asked = 0;
    page.on('dialog', (it) => {
      asked += 1;
      void it.dismiss();
    });
    await create(page, hostile);
    await saved(page);
    await page.getByRole('link', { name: hostile }).click();
    await page.getByRole('heading', { name: hostile }).waitFor();
    expect([asked, faults]).toEqual([0, []]);
  });

  test(
    'with the keyboard only: open, fill, create, save; the focus returns to the opener',
    { tags: ['long'] },
    async () => {
      const { page } = await journey.open(KEYS, { as: OWNER });
      const opener = page.getByRole('button', { name: 'Create API key' }).first();
      await opener.focus();
      await page.keyboard.press('Enter');
      await dialog(page).waitFor();
      await page.getByLabel('Label').waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowDown');
      expect(await page.getByRole('radio', { name: 'Specific AI agent' }).isChecked()).toBe(true);
      await page.keyboard.press('Tab');
      // The list is loaded again for the typed text, and the arrow key must select a row of the new list.
      const found = page.waitForResponse(/\/agents\?.*text=Conc(?:&|$)/);
      await page.keyboard.type('Conc');
      await (await found).finished();
      await page.getByRole('option', { name: 'Concierge' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.locator('[role=option][data-combobox-selected]', { hasText: 'Concierge' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('option').first().waitFor({ state: 'hidden' });
      await page.getByLabel('Label').focus();
      await page.keyboard.press('Enter');
      await page.getByText('Copy the key now').waitFor();
      await page.getByRole('button', { name: 'I have saved this key' }).focus();
      await page.keyboard.press('Enter');
      await dialog(page).waitFor({ state: 'hidden' });
      await expect.poll(() => isFocused(opener)).toBe(true);
    },
  );

  test('members can look but not change, and see why', async () => {
    const invited = await journey.api(
      `POST /organizations/${orgId}/invitations`,
      { email: 'viewer@example.com', role: 'viewer' },
      cookie,
    );
    const token = new URL(invited.body.url).pathname.split('/').at(-1)!;
    await journey.api(`POST /invitations/${token}`, { name: 'Vi', password: PASSWORD });
    const { page } = await journey.open(KEYS, { as: 'viewer@example.com' });
    await page.getByText('Your role in Northwind is Viewer.').waitFor();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /Create API key|Revoke/ }).count()).toBe(0);
  });

  test(
    'on the Free plan keys are paused and the upgrade is a link; back on Paid they work again',
    { tags: ['long'] },
    async () => {
      const { page } = await journey.open(KEYS, { as: OWNER });
      const key = await create(page, 'Paused for a while');
      await saved(page);
      await page.goto(`${journey.app.url}/settings/plan`);
      await page.getByRole('button', { name: 'Change to Free' }).click();
      await dialog(page).getByRole('button', { name: 'Change to Free' }).click();
      await dialog(page).waitFor({ state: 'hidden' });
      expect(await me(key)).toEqual({ status: 403, code: 'plan_required' });
      await page.goto(journey.app.url + KEYS);
      await row(page, 'Paused for a while').getByText('Paused: Free plan').waitFor();
      expect(await page.getByRole('button', { name: 'Create API key' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Upgrade plan' }).click();
      await page.getByRole('button', { name: 'Change to Paid' }).click();
      await page.getByText('The plan is now Paid').waitFor();
      expect(await me(key)).toMatchObject({ status: 200 });
    },
  );

  test('the page of a key that no person created or revoked names Parley', async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    await create(page, 'Own');
    await saved(page);
    const made = sql`UPDATE api_key SET created_by = 'system' WHERE label = 'Own' RETURNING id`;
    const subjectId = (await journey.app.db.execute<{ id: string }>(made)).rows[0]!.id;
    await journey.app.db.transaction(async (tx) => {
      const entry = { orgId, action: 'api_key.renamed', subjectId, facts: { from: 'Other', to: 'Own' } };
      await recordAudit(tx, { ...entry, actor: SYSTEM });
      await recordAudit(tx, { ...entry, actor: { ...SYSTEM, userId: 'user_gone' } });
    });
    await page.goto(`${journey.app.url}${KEYS}/${subjectId}`);
    await page.getByText('by Parley itself').waitFor();
    // The other one is the creator.
    await expect.poll(() => page.getByText('Parley itself', { exact: true }).count()).toBe(2);
    await page.getByText('by a former member').waitFor();
  });

  test('may be limited to networks, which are narrowed later', { tags: ['long'] }, async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByLabel('Label').fill('Office');
    await dialog(page).getByText('Allowed networks (optional)').click();
    const networks = page.getByLabel('Allowed networks');
    await networks.fill('127.0.0.1/8, office');
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    // Each fault names its entry, and the first one has the focus.
    await dialog(page).getByText('127.0.0.1/8: Write 127.0.0.0/8 for the network').waitFor();
    await dialog(page).getByText('office: Write an address').waitFor();
    await networks.fill('127.0.0.0/8\n2001:db8::/32');
    await dialog(page).getByText('be used from outside the 2 networks that you enter').waitFor();
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    const value = await valueOf(page);
    expect((await me(value)).status).toBe(200);
    await saved(page);
    await row(page, 'Office').getByText('2 networks').waitFor();

    await page.getByRole('link', { name: 'Office' }).click();
    await page.getByText('2001:db8::/32').waitFor();
    await page.getByRole('button', { name: 'Narrow networks' }).click();
    await networks.fill('10.0.0.0/8');
    await dialog(page).getByRole('button', { name: 'Narrow networks' }).click();
    await dialog(page).getByText('10.0.0.0/8: The key does not allow this network now').waitFor();
    await networks.fill('127.0.0.2');
    await dialog(page).getByRole('button', { name: 'Narrow networks' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    expect(await me(value)).toEqual({ status: 403, code: 'network_not_allowed' });
    await page.getByText('127.0.0.0/8, 2001:db8::/32').waitFor();
  });

  test('may have limits, which are lowered later, and shows what remains', async () => {
    const { page } = await journey.open(KEYS, { as: OWNER });
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByLabel('Label').fill('Trial');
    await dialog(page).getByText('Limits (optional)').click();
    await page.getByLabel('Calls in total').fill('many');
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    await dialog(page).getByText('Enter a whole number from 1').waitFor();
    await page.getByLabel('Calls in total').fill('٥');
    await page.getByLabel('Calls per minute').fill('30');
    await dialog(page).getByRole('button', { name: 'Create API key' }).click();
    const value = await valueOf(page);
    for (let n = 0; n < 2; n++) expect((await me(value)).status).toBe(200);
    await saved(page);
    await row(page, 'Trial').getByText('3 calls left').waitFor();

    await page.getByRole('link', { name: 'Trial' }).click();
    await page.getByText('5 calls in total · 3 calls left').waitFor();
    await page.getByText('30 calls per minute').waitFor();
    await page.getByRole('button', { name: 'Lower limits' }).click();
    await expect.poll(() => isFocused(page.getByLabel('Calls per minute'))).toBe(true);
    await page.getByLabel('Calls in total').fill('6');
    await page.getByLabel('Calls per minute').fill('');
    await dialog(page).getByRole('button', { name: 'Lower limits' }).click();
    // The server refuses each of them beside its field.
    await dialog(page).getByText('A limit of a key cannot be removed').waitFor();
    await page.getByLabel('Calls per minute').fill('30');
    await dialog(page).getByRole('button', { name: 'Lower limits' }).click();
    await dialog(page).getByText('can be lowered, but not raised').waitFor();
    await page.getByLabel('Calls in total').fill('2');
    await dialog(page).getByRole('button', { name: 'Lower limits' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    expect(await me(value)).toEqual({ status: 403, code: 'key_used_up' });
    await page.getByText('2 calls in total · 0 calls left').waitFor();
    await page.getByText('total 5, per_minute 30').waitFor();
  });
});
