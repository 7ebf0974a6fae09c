import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, inboundRequest, outbound } from '../../../test/channel-tools.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startTelegram } from '../../../test/fakes/telegram.ts';
import type { ChannelAccount } from '../channel.ts';
import { telegram } from './telegram.ts';

let fake: FakeProvider;
let account: ChannelAccount;
const tools = channelTools();
const impatient = channelTools(400);
beforeAll(async () => {
  fake = await startTelegram();
  account = { id: 'channel_1', settings: fake.settings, secrets: fake.secrets };
});
afterAll(async () => {
  await tools.close();
  await impatient.close();
  await fake.stop();
});

const choices = {
  type: 'choices' as const,
  text: 'Which?',
  choices: [
    { id: 'a', label: 'Size A' },
    { id: 'b', label: 'Size B' },
  ],
};
const send = (content: Parameters<typeof outbound>[0], more = {}, through = tools) =>
  telegram.send!(outbound(content, { address: fake.person, ...more }), account, through);

describe('sending', () => {
  test('choices become buttons, and a pressed button counts as the text of its label', async () => {
    await send(choices);
    const raw = fake.delivered.at(-1)!.raw as {
      reply_markup: { inline_keyboard: { text: string; callback_data: string }[][] };
    };
    expect(raw.reply_markup.inline_keyboard.flat().map(({ text }) => text)).toEqual(['Size A', 'Size B']);
    const update = {
      update_id: 7,
      callback_query: {
        id: '1',
        data: 'b',
        from: { id: 700100200, first_name: 'Noor' },
        message: { message_id: 1, chat: { id: 700100200, type: 'private' }, reply_markup: raw.reply_markup },
      },
    };
    const events = telegram.inbound!.parse(inboundRequest({ body: JSON.stringify(update) }), account);
    const answer = telegram.inbound!.answer!(inboundRequest({ body: JSON.stringify(update) }), account);
    expect(JSON.parse(answer!.body)).toEqual({ method: 'answerCallbackQuery', callback_query_id: '1' });
    expect(events).toMatchObject([{ eventId: '7', address: '700100200', content: { type: 'text', text: 'Size B' } }]);
  });

  test('a choice whose name is too long for a button can still be pressed', async () => {
    const long = (label: string) => ({ id: `${'x'.repeat(63)}${label}`, label });
    await send({ type: 'choices', text: 'Which?', choices: [long('نعم'), long('لا')] });
    const { reply_markup } = fake.delivered.at(-1)!.raw as {
      reply_markup: { inline_keyboard: { callback_data: string }[][] };
    };
    const data = reply_markup.inline_keyboard.flat().map((key) => key.callback_data);
    expect(data.every((one) => Buffer.byteLength(one) <= 64)).toBe(true);
    const message = { message_id: 1, chat: { id: 700100200, type: 'private' }, reply_markup };
    const body = JSON.stringify({ update_id: 8, callback_query: { id: '2', data: data[1], message } });
    expect(telegram.inbound!.parse(inboundRequest({ body }), account)).toMatchObject([{ content: { text: 'لا' } }]);
  });

  test('the caption of a location is sent with it', async () => {
    await send({ type: 'location', latitude: 25.28, longitude: 51.53, text: 'Our shop' });
    expect(fake.delivered.at(-1)!.raw).toMatchObject({ latitude: 25.28, title: 'Our shop', address: '25.28, 51.53' });
  });

  test('a chat that does not exist is a fault of the recipient, not of the channel', async () => {
    const sent = telegram.send!(outbound({ type: 'text', text: 'x' }, { address: '404' }), account, tools);
    await expect(sent).rejects.toMatchObject({ code: 'recipient_unreachable', facts: { providerCode: '400' } });
  });

  test('a reply refers to the answered message', async () => {
    await send({ type: 'text', text: 'yes' }, { replyTo: { id: 'msg_1', providerMessageId: `${fake.person}:41` } });
    expect(fake.delivered.at(-1)!.raw).toMatchObject({ reply_parameters: { message_id: 41 } });
  });

  test('a call without a response in time has an unknown outcome', async () => {
    fake.fail('timeout_after_delivering');
    await expect(send({ type: 'text', text: 'x' }, {}, impatient)).rejects.toMatchObject({
      code: 'provider_timeout',
      facts: { retryable: true, mayHaveSent: true },
    });
  });

  test('a refused connection is a definite failure', async () => {
    const nowhere = { ...account, settings: { api_url: 'http://127.0.0.1:8' } };
    const sent = telegram.send!(outbound({ type: 'text', text: 'x' }, { address: '1' }), nowhere, tools);
    await expect(sent).rejects.toMatchObject({ code: 'provider_unreachable', facts: { mayHaveSent: false } });
  });

  test('a person who blocked the bot does not break the channel', async () => {
    fake.fail({ status: 403, text: 'Forbidden: bot was blocked by the user' });
    const failure = await send({ type: 'text', text: 'x' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'recipient_unreachable', facts: { providerCode: '403' } });
    expect((failure as { facts: object }).facts).not.toHaveProperty('channelBroken');
  });

  test('no failure message contains the token', async () => {
    fake.fail({ status: 400, text: 'Bad Request' });
    const failure = await send({ type: 'text', text: 'x' }).catch((error: unknown) => error);
    expect(JSON.stringify(failure) + String(failure)).not.toContain(fake.secrets['bot_token']);
  });
});

describe('connecting', () => {
  test('connecting identifies the bot and sends Telegram the inbound URL', async () => {
    expect(await telegram.connect!(account, tools)).toEqual({ bot_username: 'parley_bot' });
  });

  test('connecting reports a wrong token', async () => {
    const wrong = { ...account, secrets: { ...account.secrets, bot_token: '1:wrong' } };
    await expect(telegram.connect!(wrong, tools)).rejects.toMatchObject({ code: 'channel_unauthorized' });
  });
});

const parse = (message: object) =>
  telegram.inbound!.parse(
    inboundRequest({
      body: JSON.stringify({ update_id: 1, message: { chat: { id: 5, type: 'private' }, from: {}, ...message } }),
    }),
    account,
  );

test('locations and captions are read, and a file is a placeholder because its URL contains the token', () => {
  expect(parse({ location: { latitude: 1.5, longitude: 2 } })).toMatchObject([
    { content: { type: 'location', latitude: 1.5 } },
  ]);
  expect(parse({ photo: [{}], caption: 'look' })).toMatchObject([{ content: { text: 'look' } }]);
  expect(parse({ voice: {} })).toMatchObject([{ content: { text: '[voice]' } }]);
});

describe('inbound messages', () => {
  test('messages from groups and service messages are ignored', () => {
    expect(parse({ chat: { id: 5, type: 'group' }, text: 'hi' })).toEqual([]);
    expect(parse({ new_chat_title: 'x' })).toEqual([]);
  });
});
