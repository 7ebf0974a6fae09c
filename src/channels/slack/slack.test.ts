import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, inboundRequest, outbound } from '../../../test/channel-tools.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startSlack } from '../../../test/fakes/slack.ts';
import type { ChannelAccount } from '../channel.ts';
import { slack } from './slack.ts';

let fake: FakeProvider;
let account: ChannelAccount;
const tools = channelTools();
beforeAll(async () => {
  fake = await startSlack();
  account = { id: 'channel_1', settings: fake.settings, secrets: fake.secrets };
});
afterAll(async () => {
  await tools.close();
  await fake.stop();
});

const send = (content: Parameters<typeof outbound>[0], more = {}) =>
  slack.send!(outbound(content, { address: fake.person, ...more }), account, tools);

const owner = (signing_secret: string) => ({ ...account, secrets: { signing_secret } });

describe('the signature', () => {
  /** The example of https://docs.slack.dev/authentication/verifying-requests-from-slack */
  const AT = 1_531_420_618;
  const request = inboundRequest({
    headers: {
      'x-slack-request-timestamp': String(AT),
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  });
  const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';

  test('the signature equals the documented example and is valid for five minutes', () => {
    expect(slack.inbound!.verify(request, owner(SECRET), AT * 1_000)).toBe(true);
    expect(slack.inbound!.verify(request, owner(SECRET), (AT + 301) * 1_000)).toBe(false);
    expect(slack.inbound!.verify(request, owner('other'), AT * 1_000)).toBe(false);
    expect(slack.inbound!.verify(request, owner(''), AT * 1_000)).toBe(false);
  });
});

describe('sending', () => {
  test('text is plain: characters that look like markup or a mention are escaped', async () => {
    await send({ type: 'text', text: '<!channel> a & b' });
    expect(fake.delivered.at(-1)!.text).toBe('&lt;!channel&gt; a &amp; b');
  });

  test('the caption of an image is shown above it, not only as alternative text', async () => {
    await send({ type: 'image', url: 'https://example.com/a.png', text: 'Your seat & row' });
    expect(fake.delivered.at(-1)!.raw).toMatchObject({
      blocks: [
        { type: 'section', text: { text: 'Your seat &amp; row' } },
        { type: 'image', image_url: 'https://example.com/a.png' },
      ],
    });
  });

  test('choices become buttons, and a pressed button counts as the text of its label', async () => {
    await send({ type: 'choices', text: 'Which?', choices: [{ id: 'a', label: 'A & B' }] });
    expect(JSON.stringify(fake.delivered.at(-1)!.raw)).toContain('"action_id":"choice_0"');
    const payload = {
      type: 'block_actions',
      user: { id: fake.person },
      actions: [
        { action_id: 'choice_0', action_ts: '9.9', value: 'a', text: { type: 'plain_text', text: 'A &amp; B' } },
      ],
    };
    const request = inboundRequest({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    });
    expect(slack.inbound!.parse(request, account)).toMatchObject([
      { address: fake.person, content: { text: 'A & B' } },
    ]);
    expect(slack.inbound!.answer!(request, account)).toBeNull();
  });

  test.each([
    ['ratelimited', 'provider_rate_limited', true, false],
    ['internal_error', 'provider_unavailable', true, false],
    ['token_revoked', 'channel_unauthorized', false, true],
    ['missing_scope', 'channel_unauthorized', false, true],
    ['user_not_found', 'recipient_unreachable', false, false],
    ['msg_too_long', 'provider_refused', false, false],
  ])('a 200 response with %s is reported as %s', async (code, ours, retryable, broken) => {
    fake.fail({ status: 200, code });
    const failure = await send({ type: 'text', text: 'x' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: ours, facts: { providerCode: code } });
    const { facts } = failure as { facts: { retryable?: boolean; channelBroken?: boolean } };
    expect([facts.retryable ?? false, facts.channelBroken ?? false]).toEqual([retryable, broken]);
  });
});

const event = (more: object) =>
  slack.inbound!.parse(
    inboundRequest({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'event_callback',
        event_id: 'Ev1',
        event: {
          type: 'message',
          channel_type: 'im',
          user: 'U0G9QF9C6',
          channel: 'D1',
          ts: '1.1',
          text: 'a &lt; b',
          ...more,
        },
      }),
    }),
    account,
  );

test('messages of the app itself, edits, and messages in channels are ignored', () => {
  expect(event({})).toMatchObject([{ eventId: 'Ev1', content: { text: 'a < b' } }]);
  expect(event({ bot_id: 'B1' })).toEqual([]);
  expect(event({ subtype: 'message_changed' })).toEqual([]);
  expect(event({ channel_type: 'channel' })).toEqual([]);
});

test('each file becomes a message, the first with text and ID; files that are too large stay at Slack', () => {
  const file = (id: string) => ({ name: `${id}.pdf`, source: { file_id: id } });
  const files = ['F1', 'F2'].map((id) => ({ id, name: `${id}.pdf`, size: 10_485_760 }));
  const [first, second, ...more] = event({ subtype: 'file_share', files });
  expect(first).toMatchObject({
    eventId: 'Ev1',
    providerMessageId: expect.any(String),
    content: { text: 'a < b' },
    file: file('F1'),
  });
  expect(second).toMatchObject({ eventId: 'Ev1:file2', content: { text: '[file]' }, file: file('F2') });
  expect(second).not.toHaveProperty('providerMessageId');
  expect(more).toEqual([]);
  const [large, ...others] = event({ subtype: 'file_share', files: [{ id: 'F1', size: 10_485_761 }], text: '' });
  expect([large, others]).toEqual([expect.objectContaining({ content: { type: 'text', text: '[file]' } }), []]);
  expect(large).not.toHaveProperty('file');
});

test('the token is sent to no other host, even if Slack names one for a file', async () => {
  const asked: string[] = [];
  const named = (url: string) => ({
    ...tools,
    egress: {
      ...tools.egress,
      request: async (request: { url: string }) => {
        asked.push(request.url);
        const body = Buffer.from(JSON.stringify({ ok: true, file: { url_private_download: url } }));
        return { status: 200, headers: {}, body };
      },
    },
  });
  const clear = 'http://files.slack.com/f';
  for (const url of ['https://slack.com.evil.example/f', 'https://evilslack.com/f', clear, 'file:///etc/passwd', '']) {
    await expect(slack.fetchFile!({ file_id: 'F1' }, account, named(url))).rejects.toMatchObject({
      code: 'provider_refused',
    });
  }
  expect(new Set(asked)).toEqual(new Set([`${fake.url}/files.info?file=F1`]));
  await slack.fetchFile!({ file_id: 'F1' }, account, named('https://files.slack.com/files-pri/T1-F1/a.pdf'));
  expect(asked.at(-1)).toBe('https://files.slack.com/files-pri/T1-F1/a.pdf');
});

test.each([
  ['<mailto:asha@example.qa|asha@example.qa>', 'asha@example.qa'],
  ['see <https://example.qa/a?b=1&amp;c=2>', 'see https://example.qa/a?b=1&c=2'],
  ['<http://example.qa|example.qa> and <tel:+97430000000|+974 3000 0000>', 'example.qa and +974 3000 0000'],
  ['<https://example.qa/order|my order>', 'my order (https://example.qa/order)'],
  ['&lt;mailto:x@example.qa&gt; <@U1>', '<mailto:x@example.qa> <@U1>'],
])('a link that Slack created is read in the form that the person typed: %s', (text, typed) => {
  expect(event({ text })).toMatchObject([{ content: { text: typed } }]);
});

describe('what comes in', () => {
  test('the challenge of the connect flow is answered', () => {
    const request = inboundRequest({ body: JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1aB' }) });
    expect(slack.inbound!.answer!(request, account)).toMatchObject({ body: '3eZbrw1aB' });
    expect(slack.inbound!.parse(request, account)).toEqual([]);
  });

  test('connecting reads the team, and a wrong token is reported', async () => {
    expect(await slack.connect!(account, tools)).toEqual({ team: 'Example', bot_user_id: 'U0BOT' });
    const wrong = { ...account, secrets: { ...account.secrets, bot_token: 'xoxb-wrong' } };
    await expect(slack.connect!(wrong, tools)).rejects.toMatchObject({ code: 'channel_unauthorized' });
  });
});
