import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, inboundRequest, outbound } from '../../../test/channel-tools.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startWhatsApp } from '../../../test/fakes/whatsapp.ts';
import type { ChannelAccount } from '../channel.ts';
import { fitContent } from '../fit-content.ts';
import { whatsapp } from './whatsapp.ts';
import { wireContent } from './wire-content.ts';

let fake: FakeProvider;
let account: ChannelAccount;
const tools = channelTools();
beforeAll(async () => {
  fake = await startWhatsApp();
  account = { id: 'channel_1', settings: fake.settings, secrets: fake.secrets };
});
afterAll(async () => {
  await tools.close();
  await fake.stop();
});

const send = (content: Parameters<typeof outbound>[0], more = {}) =>
  whatsapp.send!(outbound(content, { address: fake.person, ...more }), account, tools);
const last = () => fake.delivered.at(-1)!.raw as Record<string, never>;
const choice = (n: number) => ({ id: `c${n}`, label: `Choice ${n}` });

describe('sending', () => {
  test('a template is sent with numbered or named variables', async () => {
    await send({ type: 'template', name: 'order_shipped', language: 'en-US', variables: { 2: 'Monday', 1: 'A-1043' } });
    expect(last()['template']).toEqual({
      name: 'order_shipped',
      language: { code: 'en_US' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'A-1043' },
            { type: 'text', text: 'Monday' },
          ],
        },
      ],
    });
    await send({ type: 'template', name: 'hello', variables: { name: 'Asha' } });
    expect(last()['template']).toMatchObject({
      components: [{ parameters: [{ type: 'text', parameter_name: 'name', text: 'Asha' }] }],
    });
  });

  test('three choices become buttons, more become a list, and too many are refused before any call', async () => {
    await send({ type: 'choices', text: 'Which?', choices: [1, 2, 3].map(choice) });
    expect(last()['interactive']).toMatchObject({
      type: 'button',
      action: { buttons: [{ reply: { id: 'c1' } }, {}, {}] },
    });
    await send({ type: 'choices', text: 'Which?', choices: [1, 2, 3, 4].map(choice) });
    expect(last()['interactive']).toMatchObject({
      type: 'list',
      action: { sections: [{ rows: [{ id: 'c1' }, {}, {}, {}] }] },
    });
    await send({ type: 'choices', text: 'x'.repeat(1_025), choices: [1, 2].map(choice) });
    expect(last()['interactive']).toMatchObject({ type: 'list' });
    const before = fake.attempts();
    const many = Array.from({ length: 11 }, (_, n) => choice(n));
    await expect(send({ type: 'choices', text: 'Which?', choices: many })).rejects.toMatchObject({
      code: 'content_unsupported',
    });
    const spoken = { type: 'audio' as const, url: 'https://example.com/a.mp3', text: 'Listen' };
    await expect(send(spoken)).rejects.toMatchObject({ code: 'content_unsupported' });
    expect(fake.attempts()).toBe(before);
  });

  test('a question of the agent with too many choices for a list message becomes a numbered text', () => {
    const many = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(choice);
    const asked = fitContent({ type: 'choices', text: 'Which?', choices: many }, whatsapp);
    expect(asked).toEqual({
      type: 'text',
      text: ['Which?', ...many.map(({ label }, at) => `${at + 1}. ${label}`)].join('\n'),
    });
    const few = { type: 'choices' as const, text: 'Which?', choices: many.slice(0, 10) };
    expect(fitContent(few, whatsapp)).toBe(few);
  });

  test('files, locations and replies are sent in the provider’s format', async () => {
    await send({ type: 'file', url: 'https://example.com/a.pdf', name: 'a.pdf', text: 'the bill' });
    expect(last()).toMatchObject({
      type: 'document',
      document: { link: 'https://example.com/a.pdf', filename: 'a.pdf', caption: 'the bill' },
    });
    await send({ type: 'location', latitude: 25.3, longitude: 51.5 });
    expect(last()).toMatchObject({ type: 'location', location: { latitude: 25.3, longitude: 51.5 } });
    await send({ type: 'text', text: 'yes' }, { replyTo: { id: 'msg_1', providerMessageId: 'wamid.in.1' } });
    expect(last()).toMatchObject({ context: { message_id: 'wamid.in.1' } });
  });

  test.each([
    [400, 131047, 'session_window_closed', false, false],
    [400, 131026, 'recipient_unreachable', false, false],
    [400, 132001, 'template_refused', false, false],
    [400, 130429, 'provider_rate_limited', true, false],
    [500, 131000, 'provider_unavailable', true, false],
    [403, 10, 'channel_unauthorized', false, true],
    [401, 190, 'channel_unauthorized', false, true],
    [403, 368, 'channel_unauthorized', false, true],
    [400, 133010, 'channel_unauthorized', false, true],
    [400, 100, 'provider_refused', false, false],
  ])('the status %i with code %i is reported as %s', async (status, code, ours, retryable, broken) => {
    fake.fail({ status, code });
    const failure = await send({ type: 'text', text: 'x' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: ours, facts: { providerCode: String(code) } });
    const { facts } = failure as { facts: { retryable?: boolean; channelBroken?: boolean } };
    expect([facts.retryable ?? false, facts.channelBroken ?? false]).toEqual([retryable, broken]);
  });
});

test('a failure contains the text of Meta and its fix, and a refused template is explained by its definition', async () => {
  fake.fail({ status: 400, code: 131042, text: 'Business eligibility payment issue' });
  await expect(send({ type: 'text', text: 'x' })).rejects.toThrow(
    'WhatsApp: (#131042) Business eligibility payment issue. Add a payment method to the account in WhatsApp Manager.',
  );
  fake.fail({ status: 400, code: 132000, text: 'Number of parameters does not match' });
  const content = { type: 'template', name: 'order_ready', language: 'en_US', variables: { '1': 'Asha' } } as const;
  await expect(send(content)).rejects.toThrow('WhatsApp: The template "order_ready" needs a value for "2".');
});

test('a refusal of another kind contains the fix', async () => {
  fake.fail({ status: 400, code: 131053, text: 'Media upload error' });
  await expect(send({ type: 'text', text: 'x' })).rejects.toThrow(
    'WhatsApp answered 400: (#131053) Media upload error. WhatsApp could not read the file at this address.',
  );
});

test.each([
  [{ 'header.image': 'shop.example/a.png' }, 'The value of "header.image" must start with https://.'],
  [{ '1': 'Asha', 'button.1.url': ' ' }, 'The template needs a value for "button.1.url".'],
  [
    { 'header.latitude': 'north', 'header.longitude': '51.5' },
    'The value of "header.latitude" must be a number, such as 25.2854.',
  ],
])('a template with the values %j is refused before the call to Meta', async (variables, fault) => {
  const { length } = fake.delivered;
  const failure = await send({ type: 'template', name: 'order_ready', variables }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'template_refused', message: `WhatsApp: ${fault}` });
  expect(fake.delivered).toHaveLength(length);
});

test('a template is sent with its header and the values of its buttons', async () => {
  const wireOf = (variables: Record<string, string>) =>
    (wireContent({ type: 'template', name: 't', variables })['template'] as { components: unknown[] }).components;
  expect(wireOf({ 'header.text': 'Spring' })).toEqual([
    { type: 'header', parameters: [{ type: 'text', text: 'Spring' }] },
  ]);
  expect(wireOf({ 'header.document': 'https://a.example/b.pdf', 'header.document_name': 'Bill.pdf' })).toEqual([
    {
      type: 'header',
      parameters: [{ type: 'document', document: { link: 'https://a.example/b.pdf', filename: 'Bill.pdf' } }],
    },
  ]);
  expect(wireOf({ 'header.video': 'https://a.example/b.mp4' })).toEqual([
    { type: 'header', parameters: [{ type: 'video', video: { link: 'https://a.example/b.mp4' } }] },
  ]);
  const place = { latitude: '25.28', longitude: '51.53', name: 'Shop', address: 'Doha' };
  expect(
    wireOf({
      'header.latitude': '25.28',
      'header.longitude': '51.53',
      'header.name': 'Shop',
      'header.address': 'Doha',
    }),
  ).toEqual([{ type: 'header', parameters: [{ type: 'location', location: place }] }]);
  expect(wireOf({ 'button.2.payload': 'stop', first_name: 'Asha' })).toEqual([
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Asha' }] },
    { type: 'button', index: '1', sub_type: 'quick_reply', parameters: [{ type: 'payload', payload: 'stop' }] },
  ]);
});

const ask = (token: string) =>
  inboundRequest({ method: 'GET', query: `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}` });

describe('connecting', () => {
  test('connecting reads the name of the number, and reports a wrong token', async () => {
    expect(await whatsapp.connect!(account, tools)).toMatchObject({ verified_name: 'Example' });
    const wrong = { ...account, secrets: { ...account.secrets, access_token: 'wrong' } };
    await expect(whatsapp.connect!(wrong, tools)).rejects.toMatchObject({ code: 'channel_unauthorized' });
  });

  test('the challenge is answered only if the caller knows the verify token', () => {
    const inbound = whatsapp.inbound!;
    expect(inbound.verify(ask('verify-token-of-the-test'), account, Date.now())).toBe(true);
    expect(inbound.answer!(ask('verify-token-of-the-test'), account)).toMatchObject({ body: '1158201444' });
    expect(inbound.parse(ask('verify-token-of-the-test'), account)).toEqual([]);
    expect(inbound.verify(ask('other'), account, Date.now())).toBe(false);
    expect(inbound.verify(ask(''), { ...account, secrets: {} }, Date.now())).toBe(false);
  });
});

describe('templates', () => {
  test('templates are read from every page, with their variables and whether they can be sent', async () => {
    const found = await whatsapp.listTemplates!(account, tools);
    expect(found).toEqual([
      {
        name: 'order_ready',
        language: 'ar',
        status: 'pending',
        category: 'utility',
        header: null,
        header_type: null,
        body: 'مرحبًا {{1}}، طلبك {{2}} جاهز.',
        footer: null,
        buttons: [],
        variables: ['1', '2'],
        can_be_sent: false,
      },
      {
        name: 'order_ready',
        language: 'en-US',
        status: 'approved',
        category: 'utility',
        header: 'Your order',
        header_type: 'text',
        body: 'Hi {{1}}, order {{2}} is ready.',
        footer: 'Example Shop',
        buttons: ['Thanks'],
        variables: ['1', '2'],
        can_be_sent: true,
      },
      // Buttons for one-time passwords are of a kind that Parley does not know.
      expect.objectContaining({ name: 'sign_in', status: 'approved', can_be_sent: false }),
      expect.objectContaining({
        name: 'spring_sale',
        header_type: 'image',
        variables: ['header.image', 'name', 'button.1.url', 'button.2.code'],
        can_be_sent: true,
      }),
    ]);
  });

  test('a missing or foreign account is a failure with an explanation', async () => {
    const { business_account_id: _, ...settings } = account.settings;
    await expect(whatsapp.listTemplates!({ ...account, settings }, tools)).rejects.toMatchObject({
      code: 'provider_refused',
      facts: { setting: 'business_account_id' },
    });
    const other = { ...account, settings: { ...account.settings, business_account_id: '12345' } };
    await expect(whatsapp.listTemplates!(other, tools)).rejects.toMatchObject({ code: 'provider_refused' });
  });
});

const parse = (value: object, id = '106540352242922') =>
  whatsapp.inbound!.parse(
    inboundRequest({
      body: JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ changes: [{ value: { metadata: { phone_number_id: id }, ...value } }] }],
      }),
    }),
    account,
  );
const message = (more: object) => ({ messages: [{ from: '97430000000', id: 'wamid.1', ...more }] });

describe('inbound notifications', () => {
  test('notifications of text, pressed buttons, chosen rows, locations and files are read', () => {
    const texts = [
      { type: 'text', text: { body: 'hi' } },
      { type: 'button', button: { text: 'Yes', payload: 'y' } },
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'a', title: 'Size A' } } },
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'b', title: 'Size B' } } },
      { type: 'image', image: { id: '1', caption: 'look' } },
      { type: 'audio', audio: { id: '1' } },
    ].map((one) => (parse(message(one))[0] as { content: { text: string } }).content.text);
    expect(texts).toEqual(['hi', 'Yes', 'Size A', 'Size B', 'look', '[audio]']);
    const place = { type: 'location', location: { latitude: 1, longitude: 2 } };
    expect(parse(message(place))).toMatchObject([{ address: '+97430000000', content: { type: 'location' } }]);
  });

  test('reactions, and messages to another number of the same app, are ignored', () => {
    expect(parse(message({ type: 'reaction', reaction: { emoji: '👍' } }))).toEqual([]);
    expect(parse(message({ type: 'text', text: { body: 'hi' } }), '999999')).toEqual([]);
  });
});
