import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { givenAgent } from '../factories.ts';
import type { FakeProvider } from '../fakes/provider.ts';
import { startTelegram } from '../fakes/telegram.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';
import {
  CHROMIUM,
  everythingKept,
  isFocused,
  type Journey,
  OWNER,
  type Owner,
  seriousFaults,
  startJourney,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Connecting, testing and repairing a channel in a real browser. */
describe.skipIf(!CHROMIUM)('the pages of channels', () => {
  let journey: Journey;
  let owner: Owner;
  let telegram: FakeProvider;
  let whatsapp: FakeProvider;
  beforeAll(async () => {
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    [telegram, whatsapp] = await Promise.all([startTelegram(), startWhatsApp()]);
    owner = await journey.owner();
    await givenAgent(journey.app.db, owner.orgId);
  });
  afterAll(() => Promise.all([journey.stop(), telegram.stop(), whatsapp.stop()]));

  it('a bot is connected from the catalog, receives its first message, and sends a test message', async () => {
    const { page, faults } = await journey.open('/channels', { as: OWNER });
    await page.getByRole('button', { name: 'Connect channel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Telegram/ }).click();
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await dialog.getByText('This field is required.').waitFor();
    await dialog.getByLabel('Name').fill('Bot');
    await dialog.getByLabel('Bot token').fill(`123456789:${'A'.repeat(35)}`);
    await dialog.getByText('Advanced').click();
    await dialog.getByLabel('API URL').fill(telegram.url);
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await dialog.getByText('Telegram refuses the credentials').first().waitFor();
    await dialog.getByLabel('Bot token').fill(telegram.secrets['bot_token']!);
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await page.getByRole('heading', { name: 'Bot', level: 1 }).waitFor();
    await page.getByText('parley_bot').waitFor();
    expect(await everythingKept(page)).not.toContain(telegram.secrets['bot_token']);

    await page.getByText('Waiting for the first message…').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { headers, body } = telegram.says('hello');
    await fetch(`${journey.app.url}/inbound/telegram/${id}`, { method: 'POST', headers, body });
    await page.getByText('The first message has arrived.').waitFor();

    await page.getByLabel('Chat ID').fill('nobody');
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('This is not a valid address on a telegram channel.').waitFor();
    await page.getByLabel('Chat ID').fill(telegram.person);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.locator('[data-delivery=sent]').waitFor();
    // The agent's answer to the first message may arrive before it or after it.
    expect(telegram.delivered.map(({ text }) => text)).toContain('This is a test message from Parley.');
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('The provider accepts the credentials.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the page of a new web chat shows its script, and mentions no provider', async () => {
    const { page, faults } = await journey.open('/channels?connect=web_chat', { as: OWNER });
    const dialog = page.getByRole('dialog');
    // Only the site is necessary. A name of a host is enough, and a wrong address says what to write.
    const site = dialog.getByLabel('Address of your website');
    await site.fill('my shop');
    expect(await dialog.getByRole('textbox').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    expect(await isFocused(site)).toBe(true);
    await dialog.getByLabel('Name').fill('Shop chat');
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await dialog.getByText('Enter the address of one site, such as https://shop.example.').waitFor();
    await site.fill('Shop.example/cart');
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await page.getByRole('heading', { name: 'Shop chat', level: 1 }).waitFor();
    await page.getByText('/widget.js"></script>', { exact: false }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    const install = page.getByRole('region', { name: 'Put the chat on your site' });
    await install.getByText('https://shop.example', { exact: true }).waitFor();
    await page.getByText('Waiting for the first message.').waitFor();
    const look = page.getByRole('region', { name: 'Sites and look' });
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const settings = async () => (await owner.call(`GET /channels/${id}`)).settings;
    const [shop, help, docs] = ['https://shop.example', 'https://help.example', 'https://docs.example'];
    // Another member adds a site and a title while this member adds a site.
    await look.getByLabel('Sites that may show the chat').fill(`${shop}\n${docs}`);
    await owner.call(`PATCH /channels/${id}`, {
      settings: { ...(await settings()), allowed_origins: [shop, help], title: 'Ask us' },
    });
    await install.getByText(help, { exact: true }).waitFor();
    await look.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The channel was saved.').waitFor();
    expect(await settings()).toMatchObject({ allowed_origins: [shop, help, docs], title: 'Ask us' });
    expect(await page.getByText(/provider|credentials/i).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    const visit = () =>
      journey.app.call('POST', `/chat/${id}/sessions`, { headers: { origin: 'https://blog.example' }, body: {} });
    expect((await visit()).status).toBe(403);
    const allow = page.getByRole('button', { name: 'Allow https://blog.example' });
    await allow.waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/web-chat.png`, fullPage: true });
    await owner.call(`PATCH /channels/${id}`, { settings: { ...(await settings()), allowed_origins: [shop] } });
    await allow.click();
    await allow.waitFor({ state: 'detached' });
    expect((await visit()).status).toBe(200);
    expect((await settings()).allowed_origins).toEqual([shop, 'https://blog.example']);
    await look.getByRole('button', { name: 'Create a new secret' }).click();
    await dialog.getByText('signs the identity of signed-in visitors', { exact: false }).waitFor();
    expect(faults).toEqual([]);
  });

  it('a channel that moves to another server requires its token again', async () => {
    const { page, faults } = await journey.open('/channels', { as: OWNER });
    await page.getByRole('link', { name: 'Bot', exact: true }).click();
    await page.getByRole('heading', { name: 'Bot', level: 1 }).waitFor();
    const hint = page.getByText('Enter the value again: the stored value belongs to another address');
    const server = page.getByLabel('API URL');
    const url = await server.inputValue();
    await page.getByText('Leave empty to keep the stored value.').waitFor();
    await server.fill('http://127.0.0.1:8');
    await hint.waitFor();
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('This field is required.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await server.fill(url);
    await hint.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it(
    'the token for Meta is shown once with the URL to paste, and a broken channel can be repaired',
    { tags: ['long'] },
    async () => {
      const { page, faults } = await journey.open('/channels?connect=whatsapp', { as: OWNER });
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Shop number');
      await dialog.getByLabel('Phone number ID').fill(String(whatsapp.settings['phone_number_id']));
      await dialog.getByLabel('Access token').fill(whatsapp.secrets['access_token']!);
      await dialog.getByLabel('App secret').fill('f'.repeat(32));
      await dialog.getByText('Advanced').click();
      await dialog.getByLabel('API URL').fill(whatsapp.url);
      await dialog.getByRole('button', { name: 'Connect channel' }).click();
      await dialog.getByText('the app secret does not belong').first().waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await dialog.getByLabel('App secret').fill(whatsapp.secrets['app_secret']!);
      await dialog.getByRole('button', { name: 'Connect channel' }).click();
      const token = await dialog.getByLabel('Verify token', { exact: true }).inputValue();
      const address = await dialog.getByText('/inbound/whatsapp/').first().textContent();
      const challenge = new URL(address!).pathname + `?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${token}`;
      expect(await (await fetch(journey.app.url + challenge)).text()).toBe('42');
      await dialog.getByRole('button', { name: 'I have entered this token' }).click();
      await page.getByRole('heading', { name: 'Shop number', level: 1 }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await everythingKept(page)).not.toContain(token);

      await journey.app.db.execute(
        sql`UPDATE channel SET status = 'broken', status_detail = 'WhatsApp: token expired' WHERE kind = 'whatsapp'`,
      );
      await page.getByText('WhatsApp: token expired').waitFor();
      await page.getByLabel('Access token').fill(whatsapp.secrets['access_token']!);
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('This channel has an error').waitFor({ state: 'detached' });
      expect(await page.getByLabel('Access token').inputValue()).toBe('');

      // The user's input stays when another user changes the channel.
      const name = page.getByRole('region', { name: 'Settings' }).getByLabel('Name');
      await name.fill('Half typed');
      await journey.app.db.execute(sql`UPDATE channel SET name = 'Renamed' WHERE kind = 'whatsapp'`);
      await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
      expect(await name.inputValue()).toBe('Half typed');
      await page.getByRole('button', { name: 'Create a new secret' }).click();
      await dialog.getByRole('button', { name: 'Create a new secret' }).click();
      await dialog.getByRole('button', { name: 'I have entered this token' }).waitFor();
      expect(await dialog.getByLabel('Verify token', { exact: true }).inputValue()).not.toBe(token);
      expect(faults).toEqual([]);
    },
  );
});
