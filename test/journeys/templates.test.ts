import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeProvider } from '../fakes/provider.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';
import { OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

/** WhatsApp templates are chosen from Meta's current list, with a preview, in a test message and in a campaign. */
let journey: Journey;
let whatsapp: FakeProvider;
let cookie: string;
let orgId: string;
let channelId: string;
let agentId: string;

beforeAll(async () => {
  whatsapp = await startWhatsApp();
  journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ cookie, orgId } = await journey.owner());
  agentId = (await make('/agents', { name: 'Concierge', definition: {} })).id;
  const { verify_token: _, ...secrets } = whatsapp.secrets;
  const settings = { ...whatsapp.settings, ...secrets };
  channelId = (await make('/channels', { agent_id: agentId, kind: 'whatsapp', name: 'Shop', settings })).id;
});
afterAll(async () => {
  await journey?.stop();
  await whatsapp?.stop();
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
const make = async (path: string, body: unknown): Promise<any> =>
  (await journey.api(`POST /organizations/${orgId}${path}`, body, cookie)).body;

test('a test message uses an approved template and its values', async () => {
  const { page } = await journey.open(`/channels/${channelId}`, { as: OWNER });
  const picker = page.getByRole('combobox', { name: 'Template instead of the message' });
  await picker.click();
  const options = page.getByRole('option');
  await expect
    .poll(() => options.allTextContents())
    .toEqual([
      'order_ready · ar – waits for approval',
      'order_ready · en-US',
      'sign_in · en – has a part of a kind that Parley does not know',
      'spring_sale · en',
    ]);
  expect(await options.nth(0).getAttribute('data-combobox-disabled')).toBe('true');
  await options.nth(1).click();
  await page.getByLabel('Value of {{1}}').fill('Asha');
  await page.getByLabel('Value of {{2}}').fill('A-17');
  const preview = page.getByRole('figure', { name: 'How it looks' });
  await expect.poll(() => preview.textContent()).toContain('Your orderHi Asha, order A-17 is ready.Example Shop');
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByLabel('Phone number', { exact: true }).fill(whatsapp.person);
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect.poll(() => whatsapp.delivered.length).toBe(1);
  expect(whatsapp.delivered[0]!.raw).toMatchObject({
    type: 'template',
    template: {
      name: 'order_ready',
      language: { code: 'en_US' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Asha' },
            { type: 'text', text: 'A-17' },
          ],
        },
      ],
    },
  });
});

test('a test message fills the header and the buttons of a template', async () => {
  const { page } = await journey.open(`/channels/${channelId}`, { as: OWNER });
  await page.getByRole('combobox', { name: 'Template instead of the message' }).click();
  await page.getByRole('option', { name: 'spring_sale · en' }).click();
  await page.getByLabel('Header: URL of the image').fill('shop.example/spring.png');
  await page.getByLabel('Value of {{name}}').fill('Asha');
  await page.getByLabel('Button 1: end of its URL').fill('spring?ref=7');
  await page.getByLabel('Button 2: coupon code').fill('SPRING10');
  // The values are checked before the message is sent.
  const { length } = whatsapp.delivered;
  await page.getByLabel('Phone number', { exact: true }).fill(whatsapp.person);
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('The value of "header.image" must start with https://.').first().waitFor();
  expect(whatsapp.delivered).toHaveLength(length);
  await page.getByLabel('Header: URL of the image').fill('https://shop.example/spring.png');
  const preview = page.getByRole('figure', { name: 'How it looks' });
  await expect.poll(() => preview.textContent()).toContain('Imagehttps://shop.example/spring.pngHi Asha!');
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByLabel('Phone number', { exact: true }).fill(whatsapp.person);
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect.poll(() => JSON.stringify(whatsapp.delivered.at(-1)?.raw)).toContain('SPRING10');
  expect(whatsapp.delivered.at(-1)!.raw).toMatchObject({
    template: {
      name: 'spring_sale',
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/spring.png' } }] },
        { type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Asha' }] },
        { type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: 'spring?ref=7' }] },
        {
          type: 'button',
          index: '1',
          sub_type: 'copy_code',
          parameters: [{ type: 'coupon_code', coupon_code: 'SPRING10' }],
        },
      ],
    },
  });
});

test('a template that does not fit its definition is refused when a campaign is saved and before a reply', async () => {
  const campaign = await make('/campaigns', { name: 'Wrong', agent_id: agentId, channel_id: channelId });
  const saving = async (template: object) => {
    const path = `PATCH /organizations/${orgId}/campaigns/${campaign.id}`;
    const { status, body } = await journey.api(path, { settings: { opening: { template } } }, cookie);
    return [status, body.code, body.errors?.[0]?.detail];
  };
  expect(await saving({ name: 'order_ready', language: 'en-US', variables: { '1': 'Asha' } })).toEqual([
    422,
    'validation_failed',
    'The template "order_ready" needs a value for "2".',
  ]);
  expect((await saving({ name: 'order_ready', language: 'en-US', variables: { '1': 'A', '2': 'B' } }))[0]).toBe(200);

  const key = (await make('/keys', { label: 'Shop', scope: 'organization', permissions: ['channels'] })).value;
  const { body: sent } = await journey.app.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
    key,
    body: { to: { address: '+97430000019' }, content: { type: 'text', text: 'Hello' } },
  });
  expect(sent.code).toBe('session_window_closed');
  const { body: other } = await journey.app.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
    key,
    body: { to: { address: '+97430000019' }, content: { type: 'template', name: 'order_ready', language: 'en_US' } },
  });
  const reply = { template: { name: 'order_redy', language: 'en', variables: {}, text: '' } };
  const refused = await journey.api(
    `POST /organizations/${orgId}/conversations/${other.conversation_id}/reply`,
    reply,
    cookie,
  );
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    422,
    'There is no template "order_redy". Templates: order_ready, sign_in, spring_sale.',
  ]);
});

test('a campaign opens with a template and its placeholders; the page fits a phone in Arabic', async () => {
  const campaign = await make('/campaigns', { name: 'Ready', agent_id: agentId, channel_id: channelId });
  const { page } = await journey.open(`/campaigns/${campaign.id}`, { as: OWNER });
  await settled(page);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('A template approved by the provider').check();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'order_ready · en-US' }).click();
  await page.getByRole('button', { name: 'Save', exact: false }).first().click();
  await page.getByText('Enter a value.').first().waitFor();
  await page.getByLabel('Value of {{1}}').fill('{{end_user.name|there}}');
  await page.getByLabel('Value of {{2}}').fill('{{order_id}}');
  await expect
    .poll(() => page.getByRole('figure', { name: 'How it looks' }).textContent())
    .toContain('Hi {{end_user.name|there}}, order {{order_id}} is ready.');
  await page.getByRole('button', { name: 'Save', exact: false }).first().click();
  const read = () => journey.api(`GET /organizations/${orgId}/campaigns/${campaign.id}`, undefined, cookie);
  await expect
    .poll(async () => (await read()).body.settings.opening)
    .toEqual({
      template: {
        name: 'order_ready',
        language: 'en-US',
        variables: { '1': '{{end_user.name|there}}', '2': '{{order_id}}' },
      },
    });
  const phone = await journey.open(`/campaigns/${campaign.id}`, {
    as: OWNER,
    viewport: { width: 390, height: 844 },
    liked: { language: 'ar', theme: 'dark' },
  });
  await settled(phone.page);
  await phone.page.getByRole('tab', { name: 'الإعدادات' }).click();
  await phone.page.getByRole('figure', { name: 'كيف يبدو' }).scrollIntoViewIfNeeded();
  expect(await tooWide(phone.page)).toEqual([]);
  expect(await seriousFaults(phone.page)).toEqual([]);
});

test('a campaign test takes values for the variables, and a review warns about a missing template', async () => {
  const campaign = await make('/campaigns', { name: 'Sale', agent_id: agentId, channel_id: channelId });
  const { page } = await journey.open(`/campaigns/${campaign.id}`, { as: OWNER });
  await page.getByText('File', { exact: true }).click();
  const file = (rows: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  const choose = async (rows: string) => {
    await page.locator('input[type=file]').setInputFiles(file(rows));
    await page.getByRole('button', { name: 'Review' }).click();
  };
  const rows = 'phone,name,image\n+97430000041,Asha,https://shop.example/a.png\n+97430000042,Omar,shop.example/b.png\n';
  await choose(rows);
  await page.getByText('WhatsApp refuses the message to each person who has not written').waitFor();
  await page.getByRole('link', { name: 'Choose a template' }).click();
  await page.getByLabel('A template approved by the provider').check();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'spring_sale · en' }).click();
  await page.getByLabel('Header: URL of the image').fill('{{image}}');
  await page.getByLabel('Value of {{name}}').fill('{{end_user.name}}');
  await page.getByLabel('Button 1: end of its URL').fill('spring');
  await page.getByLabel('Button 2: coupon code').fill('SPRING10');
  await page.getByLabel('Phone number', { exact: true }).fill(whatsapp.person);
  await page.getByLabel('Your name', { exact: true }).fill('Asha');
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('The value of "header.image" must start with https://.').first().waitFor();
  await page.getByLabel('Test value of image').fill('https://shop.example/test.png');
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect.poll(() => JSON.stringify(whatsapp.delivered.at(-1)?.raw)).toContain('test.png');
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Everything is saved').first().waitFor();
  await page.getByRole('tab', { name: 'To whom' }).click();
  await page.getByText('File', { exact: true }).click();
  await choose(rows);
  await page.getByText('WhatsApp would refuse 1 message:').waitFor();
  expect(await page.getByText('WhatsApp refuses the message to each person').count()).toBe(0);
});

test('the name of a template is typed if templates cannot be listed, and the page explains why', async () => {
  const { verify_token: _, ...secrets } = whatsapp.secrets;
  const { business_account_id: __, ...settings } = { ...whatsapp.settings, ...secrets };
  const other = await make('/channels', { agent_id: agentId, kind: 'whatsapp', name: 'Other', settings });
  const { page } = await journey.open(`/channels/${other.id}`, { as: OWNER });
  await page.getByText('The list needs the WhatsApp Business Account ID').waitFor();
  await page.getByLabel('Template instead of the message').fill('hello_world');
  const answer = await journey.api(`GET /organizations/${orgId}/channels/${other.id}/templates`, undefined, cookie);
  expect([answer.status, answer.body.code]).toEqual([422, 'channel_check_failed']);
  expect(answer.body.detail).toContain('WhatsApp Business Account ID');
  const agents = await journey.api(`GET /organizations/${orgId}/agents/${agentId}`, undefined, cookie);
  const sandbox = agents.body.sandbox_channel_id as string;
  const none = await journey.api(`GET /organizations/${orgId}/channels/${sandbox}/templates`, undefined, cookie);
  expect([none.status, none.body.code]).toEqual([409, 'channel_unsupported']);
});

test.each([
  ['en', 1280],
  ['ar', 390],
] as const)('a member sends a template when free text is no longer allowed, %s at %i', async (language, width) => {
  const say = {
    en: {
      closed: 'The person has not written recently',
      open: 'Send a template',
      missing: 'fill in each value',
      send: 'Send',
    },
    ar: { closed: 'لم يكتب الشخص مؤخرًا', open: 'إرسال قالب', missing: 'واملأ كل قيمة', send: 'إرسال' },
  }[language];
  const key = (await make('/keys', { label: 'Shop', scope: 'organization', permissions: ['channels'] })).value;
  const address = language === 'en' ? '+97430000011' : '+97430000012';
  const { body: sent } = await journey.app.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
    key,
    body: { to: { address }, content: { type: 'template', name: 'order_ready', language: 'en_US' } },
  });
  const { page } = await journey.open(`/conversations/${sent.conversation_id}`, {
    as: OWNER,
    viewport: { width, height: 844 },
    liked: { language, theme: language === 'ar' ? 'dark' : 'light' },
  });
  await page.getByText(say.closed).waitFor();
  await page.getByRole('button', { name: say.open, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: 'order_ready · en-US' }).click();
  const values = dialog.getByRole('textbox', { name: /\{\{/ });
  await values.nth(0).fill('Asha');
  await dialog.getByRole('button', { name: say.send, exact: true }).click();
  await dialog.getByRole('alert').getByText(say.missing).waitFor();
  await values.nth(1).fill('A-17');
  expect(await seriousFaults(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await dialog.getByRole('button', { name: say.send, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('log').getByText('Hi Asha, order A-17 is ready.').waitFor();
  const parameters = [
    { type: 'text', text: 'Asha' },
    { type: 'text', text: 'A-17' },
  ];
  const received = () => whatsapp.delivered.filter(({ raw }) => JSON.stringify(raw).includes(address.slice(1)));
  await expect.poll(() => received().length).toBe(2);
  expect(received().at(-1)!.raw).toMatchObject({ template: { components: [{ type: 'body', parameters }] } });
});
