import { type FakeProvider, type Hook, json, startProvider } from './provider.ts';
import type { Answer } from './receiver.ts';

const TOKEN = '123456789:AAF-fake_token_for_tests_0123456789';
const CHAT = '700100200';
const METHODS: Record<string, string> = {
  sendMessage: 'text',
  sendPhoto: 'photo',
  sendAudio: 'audio',
  sendVideo: 'video',
  sendDocument: 'document',
  sendLocation: 'latitude',
  sendVenue: 'address',
};

const method = (path: string) => path.split('/').at(-1)!;

const error = (status: number, description: string, parameters?: unknown) => ({
  status,
  json: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
});

/**
 * Telegram's Bot API has `POST /bot<token>/<method>`, with `{ok, result}` or `{ok: false, error_code, description,
 * parameters}` as the response.
 */
export async function startTelegram(): Promise<FakeProvider & { hookUrl(): string }> {
  let hook = { url: '', secret_token: 'hook-secret-of-the-test' };
  let messageId = 0;
  let updateId = 5_000;
  let stored: { bytes: Buffer; answers: Answer[] } = { bytes: Buffer.alloc(0), answers: [] };
  const { receiver, ...rest } = await startProvider({
    isSend: ({ path }) => method(path) in METHODS,
    isAuthorized: ({ path }) => path.startsWith(`/bot${TOKEN}/`) || path.startsWith(`/file/bot${TOKEN}/`),
    unauthorized: error(401, 'Unauthorized'),
    take(call) {
      const body = json(call);
      const what = METHODS[method(call.path)]!;
      if (body[what] === undefined) return { malformed: error(400, `Bad Request: ${what} is empty`) };
      if (String(body['chat_id']) !== CHAT) return { malformed: error(400, 'Bad Request: chat not found') };
      return {
        to: String(body['chat_id']),
        text: body['text'] ?? body['caption'] ?? '',
        id: `${CHAT}:${++messageId}`,
        raw: body,
      };
    },
    accepted: ({ id }) => ({
      json: {
        ok: true,
        result: { message_id: Number(id.split(':')[1]), date: 1, chat: { id: Number(CHAT), type: 'private' } },
      },
    }),
    failed: ({ status, retryAfter, text = 'failed' }) =>
      error(status, text, retryAfter === undefined ? undefined : { retry_after: retryAfter }),
    other(call) {
      const name = method(call.path);
      if (call.path.startsWith('/file/')) return stored.answers.shift() ?? { text: stored.bytes };
      if (name === 'getFile') return { json: { ok: true, result: { ...json(call), file_path: 'photos/file_1.jpg' } } };
      if (name === 'setWebhook') hook = { url: '', secret_token: '', ...json(call) };
      if (name === 'deleteWebhook') hook = { ...hook, url: '' };
      const results: Record<string, unknown> = {
        getMe: { id: 1, is_bot: true, username: 'parley_bot' },
        getWebhookInfo: { url: hook.url, pending_update_count: 0 },
      };
      return { json: { ok: true, result: results[name] ?? true } };
    },
  });
  const updateOf = (content: object, { eventId = String(++updateId), from = CHAT } = {}): Hook => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': hook.secret_token },
    body: JSON.stringify({
      update_id: Number(eventId),
      message: {
        message_id: 1,
        date: 1,
        from: { id: Number(from), is_bot: false, first_name: 'Noor', language_code: 'en' },
        chat: { id: Number(from), type: 'private', first_name: 'Noor' },
        ...content,
      },
    }),
  });
  return {
    ...rest,
    hookUrl: () => hook.url,
    kind: 'telegram',
    url: receiver.url,
    settings: { api_url: receiver.url },
    secrets: { bot_token: TOKEN, hook_secret: 'hook-secret-of-the-test' },
    person: CHAT,
    says: (text, options) => updateOf({ text }, options),
    sends: (bytes, { caption, answers = [] } = {}) => {
      stored = { bytes, answers: [...answers] };
      const file = { file_id: 'large', file_size: bytes.length };
      const isVoice = bytes.subarray(0, 4).toString() === 'OggS';
      return updateOf({
        ...(isVoice ? { voice: { ...file, duration: 3 } } : { photo: [{ ...file, file_id: 'small' }, file] }),
        ...(caption && { caption }),
      });
    },
    reports: () => null,
    stop: () => receiver.stop(),
  };
}
