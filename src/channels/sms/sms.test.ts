import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, inboundRequest, outbound } from '../../../test/channel-tools.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startTwilio } from '../../../test/fakes/twilio.ts';
import type { ChannelAccount } from '../channel.ts';
import { sms } from './sms.ts';

let fake: FakeProvider;
let account: ChannelAccount;
const tools = channelTools();
beforeAll(async () => {
  fake = await startTwilio();
  account = { id: 'channel_1', settings: fake.settings, secrets: fake.secrets };
});
afterAll(async () => {
  await tools.close();
  await fake.stop();
});

const send = (settings = {}) =>
  sms.send!(
    outbound({ type: 'text', text: 'مرحبا' }, { address: fake.person }),
    { ...account, settings: { ...account.settings, ...settings } },
    tools,
  );

describe('the signature', () => {
  /** The test vector of Twilio's own libraries. */
  const request = inboundRequest({
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    body: new URLSearchParams({
      From: '+14158675309',
      To: '+18005551212',
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
    }).toString(),
  });
  const verify = (change = {}, token = '12345') =>
    sms.inbound!.verify({ ...request, ...change }, { ...account, secrets: { auth_token: token } }, Date.now());

  test('the signature equals the test vector of Twilio’s libraries', () => expect(verify()).toBe(true));
  test('the signature does not match another URL, body or token', () => {
    expect(verify({ url: 'https://mycompany.com/myapp.php?foo=1' })).toBe(false);
    expect(verify({ body: Buffer.from('From=%2B14158675309') })).toBe(false);
    expect(verify({}, '54321')).toBe(false);
    expect(verify({}, '')).toBe(false);
  });
});

describe('sending', () => {
  test('an SMS is sent from a number or a messaging service, with a status callback to us', async () => {
    await send();
    expect(fake.delivered.at(-1)!.raw).toMatchObject({
      From: '+15005550006',
      Body: 'مرحبا',
      StatusCallback: tools.inboundUrl,
    });
    const service = `MG${'0'.repeat(32)}`;
    await send({ from: service });
    expect(fake.delivered.at(-1)!.raw).toMatchObject({ MessagingServiceSid: service });
    expect(fake.delivered.at(-1)!.raw).not.toHaveProperty('From');
  });

  test.each([
    [400, 21610, 'recipient_opted_out', false],
    [400, 21614, 'recipient_unreachable', false],
    [429, 20429, 'provider_rate_limited', true],
    [400, 21611, 'provider_rate_limited', true],
    [400, 21602, 'provider_refused', false],
    [503, 20503, 'provider_unavailable', true],
  ])('the status %i with code %i is reported as %s', async (status, code, ours, retryable) => {
    fake.fail({ status, code });
    const failure = await send().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: ours, facts: { providerCode: String(code) } });
    expect((failure as { facts: { retryable?: boolean } }).facts.retryable ?? false).toBe(retryable);
  });
});

describe('connecting', () => {
  test('connecting reads the name of the account, and reports a wrong token', async () => {
    expect(await sms.connect!(account, tools)).toEqual({ account_name: 'Example' });
    const wrong = { ...account, secrets: { auth_token: '0'.repeat(32) } };
    await expect(sms.connect!(wrong, tools)).rejects.toMatchObject({ code: 'channel_unauthorized' });
  });
});

describe('an inbound message', () => {
  test('each file becomes a message, and is fetched only from Twilio', () => {
    const [message, media] = [`MM${'1'.repeat(32)}`, (n: number) => `ME${String(n).repeat(32)}`];
    const fields: Record<string, string> = {
      MessageSid: message,
      AccountSid: String(account.settings['account_sid']),
      From: fake.person,
      Body: '',
      NumMedia: '3',
      MediaUrl0: `https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/${message}/Media/${media(1)}`,
      MediaUrl1: `https://evil.example/Messages/${message}/Media/${media(2)}`,
      MediaUrl2: 'https://evil.example/other',
    };
    const body = new URLSearchParams(fields).toString();
    const events = sms.inbound!.parse(inboundRequest({ body }), account);
    expect(events).toMatchObject([
      { eventId: message, content: { text: '[media]' }, file: { source: { message, media: media(1) } } },
      { eventId: `${message}:file2`, content: { text: '[file]' }, file: { source: { message, media: media(2) } } },
    ]);
  });

  test('the response is empty TwiML, and a message for another account is ignored', () => {
    const hook = fake.says('hello');
    expect(sms.inbound!.parse(inboundRequest({ body: hook.body }), account)).toMatchObject([
      { address: '+97430000000', content: { text: 'hello' } },
    ]);
    expect(sms.inbound!.answer!(inboundRequest({ body: hook.body }), account)!.body).toContain('<Response/>');
    const other = hook.body.replace(/AccountSid=\w+/, `AccountSid=AC${'9'.repeat(32)}`);
    expect(sms.inbound!.parse(inboundRequest({ body: other }), account)).toEqual([]);
  });
});
