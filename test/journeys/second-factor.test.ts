import type { Page } from '@playwright/test';
import { type TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../cluster/ports.ts';
import {
  CHROMIUM,
  follow,
  isFocused,
  type Journey,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';

const ACCOUNT = '/settings/sessions';
const STEP_MS = 30_000;

/** Second factors with an independent authenticator library and a browser's authenticator. */
describe.skipIf(!CHROMIUM)('second factors', () => {
  let journey: Journey;
  let owner: Awaited<ReturnType<Journey['owner']>>;
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    // Browsers support passkeys for host names, not for IP addresses.
    origin = `http://localhost:${port}`;
    journey = await startJourney({ PORT: String(port), BASE_URL_US: origin });
    owner = await journey.owner();
    // This test must run first, because setting up a second factor ends this session of the owner.
    for (const name of ['app', 'key', 'weak', 'arabic', 'phone']) await invited(`${name}@example.com`);
  });
  afterAll(() => journey?.stop());

  async function invited(email: string): Promise<void> {
    const path = `POST /organizations/${owner.orgId}/invitations`;
    const { body } = await journey.api(path, { email, role: 'member' }, owner.cookie);
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    await journey.api(`POST /invitations/${token}`, { name: 'Omar Aziz', password: PASSWORD });
  }

  async function enterPassword(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  const isInside = (page: Page) => page.getByRole('navigation', { name: 'Main navigation' }).waitFor();

  /** Sets up an authenticator app on the account page. Returns the app's codes and the recovery codes. */
  async function setUpApp(page: Page): Promise<{ code: (steps?: number) => string; recovery: string[] }> {
    await page.getByRole('button', { name: 'Set up', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const text = await dialog.getByRole('img', { name: 'QR code' }).getAttribute('data-qr');
    const app = URI.parse(text!) as TOTP;
    const code = (steps = 0): string => app.generate({ timestamp: Date.now() + steps * STEP_MS });
    await dialog.getByLabel('Code from the app').fill(code());
    // The codes are shown once, so the dialog stays open until they arrive.
    let confirm = (): void => {};
    const isTried = new Promise<void>((resolve) => (confirm = resolve));
    await page.route('**/authenticator/confirm', (route) => void isTried.then(() => route.continue()), { times: 1 });
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.keyboard.press('Escape');
    expect(await mutationsOf(page)).toContain('"code"');
    confirm();
    await page.getByText('Keep your recovery codes').waitFor();
    const shown = await page.locator('[data-shown-once]').innerText();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    // Password, key of the app and codes stay in memory only as long as their dialog.
    await expect.poll(() => mutationsOf(page)).toBe('[]');
    return { code, recovery: shown.trim().split('\n') };
  }

  test('an authenticator app is set up, required, replaced by a recovery code, and removed', async () => {
    const { page, faults } = await journey.open('/sign-in');
    await enterPassword(page, 'app@example.com');
    await isInside(page);
    await follow(page, ACCOUNT);
    await settled(page);
    expect(await seriousFaults(page)).toEqual([]);
    const { code, recovery } = await setUpApp(page);
    expect(recovery).toHaveLength(10);
    expect(await page.content()).not.toContain(recovery[0]);

    await page.context().clearCookies();
    await page.goto(`${journey.app.url}/sign-in`);
    await enterPassword(page, 'app@example.com');
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const field = page.getByLabel('Code from the app');
    await field.fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The code is wrong').waitFor();
    expect(await field.inputValue()).toBe('');
    // The error is about a code of the app, so it ends with the change to the other kind.
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').waitFor();
    expect(await page.getByText('The code is wrong').count()).toBe(0);
    await page.getByRole('button', { name: 'Use the authenticator app instead' }).click();
    await field.fill(code(1));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await isInside(page);

    await page.context().clearCookies();
    await page.goto(`${journey.app.url}/sign-in`);
    await enterPassword(page, 'app@example.com');
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').fill(recovery[3]!);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await isInside(page);

    await follow(page, ACCOUNT);
    await page.getByText('9 recovery codes are left.').waitFor();
    const others = page.getByRole('button', { name: 'Sign out there' });
    const many = await others.count();
    await others.first().press('Enter');
    await expect.poll(() => others.count()).toBe(many - 1);
    await expect.poll(() => isFocused(page.getByRole('heading', { name: 'Where you are signed in' }))).toBe(true);
    await page.getByRole('region', { name: 'Authenticator app' }).getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByLabel(/recovery code/).fill(recovery[4]!);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The authenticator app was removed.').waitFor();
    await page.getByText('Not set up.').waitFor();
    expect(faults).toEqual([]);
  });

  test('an organization that requires a second factor shows only its setup to a member without one', async () => {
    const { page: boss } = await journey.open('/settings/organization', { as: OWNER });
    const ask = boss.getByLabel('Every member needs a second factor');
    await ask.click();
    await boss.getByText('Set up a second factor for yourself first').waitFor();
    expect(await ask.isChecked()).toBe(false);
    await follow(boss, ACCOUNT);
    await setUpApp(boss);
    await follow(boss, '/settings/organization');
    await ask.click();
    await boss.getByText('A second factor is required now.').waitFor();
    expect(await seriousFaults(boss)).toEqual([]);

    const { page } = await journey.open('/sign-in');
    await enterPassword(page, 'app@example.com');
    await page.getByText('Northwind requires a second factor').waitFor();
    await page.goto(`${journey.app.url}/agents`);
    await page.getByText('Northwind requires a second factor').waitFor();
    await page.getByRole('link', { name: 'Set up a second factor' }).click();
    await setUpApp(page);
    await page.goto(`${journey.app.url}/agents`);
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await boss.getByLabel('Every member needs a second factor').click();
    await boss.getByText('A second factor is no longer required.').waitFor();
  });

  test('a passkey is added, renamed, used to sign in without a password, and removed', async () => {
    const { page, context, faults } = await journey.open('/sign-in');
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${origin}/sign-in`);
    await enterPassword(page, 'key@example.com');
    await isInside(page);
    await follow(page, ACCOUNT);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('This laptop');
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    const keys = page.getByRole('list', { name: 'Passkeys' });
    await keys.getByText('This laptop').waitFor();
    await keys.getByText('Never').waitFor();
    await keys.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Work laptop');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await keys.getByText('Work laptop').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isInside(page);

    // The password alone is no longer enough. The passkey also works as the second step.
    await context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    await enterPassword(page, 'key@example.com');
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isInside(page);

    await follow(page, ACCOUNT);
    await keys.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkey yet.').waitFor();
    await context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey was not accepted').waitFor();
    expect(faults).toEqual([]);
  });

  test('a passkey without user verification is refused', { tags: ['long'] }, async () => {
    const { page, context } = await journey.open('/sign-in');
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${origin}/sign-in`);
    await enterPassword(page, 'weak@example.com');
    await isInside(page);
    await page.goto(origin + ACCOUNT);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Key');
    await page.getByRole('dialog').getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    // Our own page never does this: the same key without fingerprint or PIN.
    const status = await page.evaluate(WITHOUT_VERIFICATION);
    expect(status).toBe('401 passkey_refused');
  });

  test('the pages of second factors fit a phone in Arabic', { tags: ['long'] }, async () => {
    const { page } = await journey.open(ACCOUNT, {
      as: 'arabic@example.com',
      liked: { language: 'ar' },
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('button', { name: 'إعداد', exact: true }).waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    expect(await wordFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'إعداد', exact: true }).click();
    await page.getByRole('dialog').getByLabel('كلمة المرور الحالية').fill(PASSWORD);
    await page.getByRole('button', { name: 'متابعة' }).click();
    await page.getByRole('dialog').getByRole('img', { name: 'رمز QR' }).waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await wordFaults(page)).toEqual([]);
  });

  test('each refusal of a second factor names its field or its next step, and keeps the focus', async () => {
    const { page, context } = await journey.open('/sign-in', { viewport: { width: 390, height: 844 } });
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const verify = (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    await page.goto(`${origin}/sign-in`);
    const useKey = page.getByRole('button', { name: 'Sign in with a passkey' });
    await useKey.click();
    await page.getByText('No passkey was used. Try again, or sign in with your password.').waitFor();
    await expect.poll(() => isFocused(useKey)).toBe(true);

    await enterPassword(page, 'phone@example.com');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(origin + ACCOUNT);
    const add = page.getByRole('button', { name: 'Add a passkey' });
    const dialog = page.getByRole('dialog');
    const password = dialog.getByLabel('Current password');
    await add.click();
    await dialog.getByLabel('Name').fill('This phone');
    await password.fill('not the password');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is not your current password.').waitFor();
    await expect.poll(() => isFocused(password)).toBe(true);
    expect(await dialog.getByText('E-mail address').count()).toBe(0);
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    const codes = page.locator('[data-shown-once]');
    await codes.waitFor();
    // Columns that are too narrow overlap, and the last one leaves the block.
    expect(await codes.evaluate((block) => block.scrollWidth - block.clientWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    const renew = page.getByRole('button', { name: 'New recovery codes' });
    await expect.poll(() => isFocused(renew)).toBe(true);

    await add.click();
    await dialog.getByLabel('Name').fill('Again');
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.getByText('This device already has a passkey for your account.').waitFor();

    await context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    await enterPassword(page, 'phone@example.com');
    await page.getByText('Use your passkey, or enter one of your recovery codes.').waitFor();
    await verify(false);
    await useKey.click();
    await page.getByText('No passkey was used. Try again, or enter a code.').waitFor();
    await verify(true);
    await useKey.click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(origin + ACCOUNT);
    const remove = page.getByRole('list', { name: 'Passkeys' }).getByRole('button', { name: 'Remove' });
    await remove.click();
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('No passkey yet.').waitFor();
    await expect.poll(() => isFocused(add)).toBe(true);
  });
});

/** Returns the state of all mutations that the query client of the page contains, with their input and results. */
const mutationsOf = (page: Page): Promise<string> => page.evaluate(MUTATIONS);
const MUTATIONS = `(() => {
  const find = (fiber) => fiber && (fiber.memoizedProps?.client ?? find(fiber.child) ?? find(fiber.sibling));
  const root = document.getElementById('root');
  const client = find(root[Object.keys(root).find((name) => name.startsWith('__reactContainer'))].stateNode.current);
  return JSON.stringify(client.getMutationCache().getAll().map(({ state }) => state));
})()`;

/** Requests less from the browser than our page does, and sends the result. */
const WITHOUT_VERIFICATION = `(async () => {
  const post = (path, body) => fetch('/dashboard/api/sign-in/passkey' + path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}),
  });
  const options = await (await post('/options')).json();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, userVerification: 'discouraged' });
  const { id, response } = (await navigator.credentials.get({ publicKey })).toJSON();
  const answer = await post('', {
    id, client_data: response.clientDataJSON, authenticator_data: response.authenticatorData, signature: response.signature,
  });
  return answer.status + ' ' + (await answer.json()).code;
})()`;
