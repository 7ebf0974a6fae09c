import { randomBytes } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { MAX_ATTACHMENT_BYTES } from '../../../contract/limits.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import {
  apiBase,
  callProvider,
  fetchBytes,
  member,
  type ProviderAnswer,
  readJson,
  statusFailure,
  textMember,
} from '../call-provider.ts';
import {
  type ChannelAccount,
  ChannelFailure,
  type ChannelKind,
  InboundError,
  type InboundEvent,
  type InboundMessage,
  type SendTools,
} from '../channel.ts';
import { equalSecrets } from '../equal-secrets.ts';

/**
 * Telegram Bot API (https://core.telegram.org/bots/api): private chats with a bot. The address of a person is the ID of
 * the chat.
 */
const API = 'https://api.telegram.org';
/** https://core.telegram.org/bots/api#inlinekeyboardbutton */
const MAX_CALLBACK_BYTES = 64;

export const telegram: ChannelKind = {
  kind: 'telegram',
  capabilities: {
    content: ['text', 'image', 'audio', 'video', 'file', 'location', 'choices'],
    max_text: 4_096,
    receipts: [],
    inbound: true,
    reply_window_hours: null,
    needs_address: true,
  },
  ...CHANNEL_FORMS.telegram,
  ownSecrets: {
    make: () => ({ hook_secret: randomBytes(32).toString('base64url') }),
    shown: null,
    sentToProvider: ['hook_secret'],
  },
  // A negative ID belongs to a group, which has many members.
  vouchesFor: (address) => !address.startsWith('-'),
  readAddress: (text) => (/^-?\d{1,20}$/.test(text) ? text : null),

  async connect(account, tools) {
    const me = await call(account, tools, 'getMe', {});
    await call(account, tools, 'setWebhook', {
      url: tools.inboundUrl,
      secret_token: account.secrets['hook_secret'],
      allowed_updates: ['message', 'callback_query'],
    });
    return { bot_username: textMember(me, 'username') ?? '' };
  },

  /** A bot has only one webhook address, which another channel may use now. */
  async disconnect(account, tools) {
    const hook = await call(account, tools, 'getWebhookInfo', {});
    if (textMember(hook, 'url') === tools.inboundUrl) await call(account, tools, 'deleteWebhook', {});
  },

  async send(message, account, tools) {
    const [method, body] = requestOf(message.content);
    const repliedTo = message.replyTo?.providerMessageId?.split(':')[1];
    const sent = await call(account, tools, method, {
      chat_id: message.address,
      ...body,
      ...(repliedTo && { reply_parameters: { message_id: Number(repliedTo), allow_sending_without_reply: true } }),
    });
    // Message IDs are unique only within a chat.
    return { providerMessageId: `${message.address}:${String(member(sent, 'message_id'))}`, status: 'sent' };
  },

  /** https://core.telegram.org/bots/api#getfile: the address is valid for an hour and contains the token. */
  async fetchFile({ file_id: fileId }, account, tools) {
    const path = textMember(await call(account, tools, 'getFile', { file_id: fileId }), 'file_path') ?? '';
    // The path that Telegram returns becomes part of an address with a secret.
    if (!/^[\w./-]+$/.test(path) || path.includes('..')) {
      throw new ChannelFailure('provider_refused', 'Telegram names no path for the file.');
    }
    const { bot_token: token = '' } = account.secrets;
    const url = `${apiBase(account.settings, API)}/file/bot${token}/${path}`;
    return fetchBytes(tools, 'Telegram', { url, secrets: [token] });
  },

  inbound: {
    verify: ({ headers }, { secrets }) =>
      equalSecrets(headers['x-telegram-bot-api-secret-token'] ?? '', secrets['hook_secret'] ?? ''),
    /**
     * The pressed button shows a spinner until Parley calls this method. The response to a webhook may contain a call
     * of the method.
     */
    answer({ body }) {
      const id = textMember(member(readJson(body), 'callback_query'), 'id');
      if (id === undefined) return null;
      const call = { method: 'answerCallbackQuery', callback_query_id: id };
      return { type: 'application/json; charset=utf-8', body: JSON.stringify(call) };
    },
    parse({ body }): InboundEvent[] {
      const update = readJson(body);
      const updateId = member(update, 'update_id');
      if (typeof updateId !== 'number') throw new InboundError('The body is not a Telegram bot update.');
      const pressed = member(update, 'callback_query');
      const message = member(update, 'message') ?? member(pressed, 'message');
      const chat = member(message, 'chat');
      const from = member(pressed, 'from') ?? member(message, 'from');
      const content = pressed === undefined ? contentOf(message) : choiceOf(pressed);
      if (member(chat, 'type') !== 'private' || content === null) return [];
      const names = [textMember(from, 'first_name'), textMember(from, 'last_name')].filter(Boolean);
      return [
        {
          type: 'message',
          eventId: String(updateId),
          ...(pressed === undefined && nameOf(chat, message)),
          address: String(member(chat, 'id')),
          person: { name: names.join(' ') || null, locale: textMember(from, 'language_code') ?? null },
          content,
          ...(pressed === undefined && fileOf(message)),
        },
      ];
    },
  },
};

/** The name has the same format as in `send`, so that a reply can refer to a message of either side. */
const nameOf = (chat: unknown, message: unknown) => ({
  providerMessageId: `${String(member(chat, 'id'))}:${String(member(message, 'message_id'))}`,
});

function requestOf(content: MessageContent): [method: string, body: Record<string, unknown>] {
  switch (content.type) {
    case 'image':
      return ['sendPhoto', { photo: content.url, caption: content.text }];
    case 'audio':
      return ['sendAudio', { audio: content.url, caption: content.text }];
    case 'video':
      return ['sendVideo', { video: content.url, caption: content.text }];
    case 'file':
      return ['sendDocument', { document: content.url, caption: content.text }];
    case 'location': {
      const { latitude, longitude, text: title } = content;
      if (!title) return ['sendLocation', { latitude, longitude }];
      return ['sendVenue', { latitude, longitude, title, address: `${latitude}, ${longitude}` }];
    }
    case 'choices': {
      const keys = content.choices.map(({ id, label }, index) => [
        // A press of the button is reported by its label. A long ID is not cut, because the cut ID may equal another ID
        // or end inside a character.
        { text: label, callback_data: Buffer.byteLength(id) > MAX_CALLBACK_BYTES ? `#${index + 1}` : id },
      ]);
      return ['sendMessage', { text: content.text, reply_markup: { inline_keyboard: keys } }];
    }
    case 'text':
      return ['sendMessage', { text: content.text }];
    default:
      throw new ChannelFailure('content_unsupported', `Telegram cannot carry ${content.type}.`);
  }
}

async function call(
  { settings, secrets }: ChannelAccount,
  tools: SendTools,
  method: string,
  body: Record<string, unknown>,
): Promise<unknown> {
  const base = apiBase(settings, API);
  const answer = await callProvider(tools, {
    url: `${base}/bot${secrets['bot_token']}/${method}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status === 200 && member(answer.json, 'ok') === true) return member(answer.json, 'result');
  throw failureOf(answer);
}

/**
 * In an error, `error_code` repeats the status, and `description` is for people
 * (https://core.telegram.org/bots/api#making-requests).
 */
function failureOf(answer: ProviderAnswer): ChannelFailure {
  const detail = textMember(answer.json, 'description');
  const code = member(answer.json, 'error_code');
  const providerCode = String(typeof code === 'number' ? code : answer.status);
  const seconds = member(member(answer.json, 'parameters'), 'retry_after');
  const headers = typeof seconds === 'number' ? { 'retry-after': String(seconds) } : answer.headers;
  // A token that never existed results in 404, and a revoked token in 401.
  if (answer.status === 404) {
    return new ChannelFailure('channel_unauthorized', 'Telegram does not know this bot token (404).', {
      providerCode,
      channelBroken: true,
      setting: 'bot_token',
    });
  }
  if (answer.status === 403 || (answer.status === 400 && NO_SUCH_CHAT.test(detail ?? ''))) {
    return new ChannelFailure('recipient_unreachable', `Telegram: ${detail ?? 'the person has blocked the bot'}`, {
      providerCode,
    });
  }
  return statusFailure({ ...answer, headers }, 'Telegram', { providerCode, detail, setting: 'bot_token' });
}

/** Telegram has no separate code for an unknown chat, only the status 400 that every wrong request gets. */
const NO_SUCH_CHAT = /\bchat not found\b/i;

function contentOf(message: unknown): MessageContent | null {
  const text = textMember(message, 'text') ?? textMember(message, 'caption');
  if (text) return { type: 'text', text };
  const location = member(message, 'location');
  const [latitude, longitude] = [member(location, 'latitude'), member(location, 'longitude')];
  if (typeof latitude === 'number' && typeof longitude === 'number') return { type: 'location', latitude, longitude };
  const kind = OTHER_KINDS.find((name) => member(message, name) !== undefined);
  return kind ? { type: 'text', text: `[${kind}]` } : null;
}

/** Telegram sends a photo in several sizes, the largest last. A Telegram message of any other type has one file. */
function fileOf(message: unknown): Pick<InboundMessage, 'file'> {
  const photos = member(message, 'photo');
  const file = Array.isArray(photos)
    ? photos.at(-1)
    : FILES.map((kind) => member(message, kind)).find((found) => found !== undefined);
  const id = textMember(file, 'file_id');
  const size = member(file, 'file_size');
  if (id === undefined || (typeof size === 'number' && size > MAX_ATTACHMENT_BYTES)) return {};
  return { file: { name: textMember(file, 'file_name') ?? '', source: { file_id: id } } };
}

const FILES = ['document', 'voice', 'audio', 'video', 'video_note', 'sticker'] as const;
const OTHER_KINDS = 'photo voice audio video video_note document sticker contact poll dice'.split(' ');

/** The person saw the label of the pressed button, so the label counts as the person's text. */
function choiceOf(pressed: unknown): MessageContent | null {
  const id = textMember(pressed, 'data');
  const keyboard = member(member(member(pressed, 'message'), 'reply_markup'), 'inline_keyboard');
  const keys: unknown[] = Array.isArray(keyboard) ? keyboard.flat() : [];
  const label = textMember(
    keys.find((key) => member(key, 'callback_data') === id),
    'text',
  );
  const text = label ?? id;
  return text ? { type: 'text', text } : null;
}
