import { createHmac } from 'node:crypto';
import type { Answer } from './receiver.ts';
import { type FakeProvider, json, startProvider } from './provider.ts';

const TOKEN = 'xoxb-000000000000-fake-token-for-tests';
const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5'.replaceAll(/[yz]/g, '0');
const USER = 'U0G9QF9C6';

const no = (error: string) => ({ json: { ok: false, error } });

/** Slack's Web API has JSON requests, and status 200 with `{ok}` for every result except rate limits, which are 429. */
export async function startSlack(): Promise<FakeProvider> {
  let serial = 0;
  let stored: { bytes: Buffer; answers: Answer[] } = { bytes: Buffer.alloc(0), answers: [] };
  const { receiver, ...rest } = await startProvider({
    isSend: ({ path }) => path === '/chat.postMessage',
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${TOKEN}`,
    unauthorized: no('invalid_auth'),
    take(call) {
      const body = json(call);
      if (body['channel'] !== USER) return { malformed: no('channel_not_found') };
      if (!body['text']) return { malformed: no('no_text') };
      return { to: body['channel'], text: body['text'], id: `D024BE91L:1503435956.${++serial}`, raw: body };
    },
    accepted: ({ id }) => {
      const [channel, ts] = id.split(':');
      return { json: { ok: true, channel, ts, message: { type: 'message', ts } } };
    },
    failed: ({ status, code, retryAfter }) => ({
      status: code === undefined ? status : 200,
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
      json: { ok: false, error: String(code ?? (status === 429 ? 'ratelimited' : 'internal_error')) },
    }),
    other: ({ path }) => {
      if (path.startsWith('/files-pri/')) return stored.answers.shift() ?? { text: stored.bytes };
      if (path === '/files.info?file=F1') {
        return {
          json: { ok: true, file: { id: 'F1', url_private_download: `${receiver.url}/files-pri/T1-F1/cup.jpg` } },
        };
      }
      return {
        headers: { 'x-oauth-scopes': 'chat:write,im:history' },
        json: { ok: true, team: 'Example', user: 'parley', user_id: 'U0BOT' },
      };
    },
  });
  const signed = (value: unknown) => {
    const body = JSON.stringify(value);
    const at = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
    return {
      method: 'POST' as const,
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': at,
        'x-slack-signature': `v0=${mac}`,
      },
      body,
    };
  };
  const eventOf = (event: object, { eventId = `Ev${++serial}`, from = USER } = {}) =>
    signed({
      type: 'event_callback',
      team_id: 'T1',
      event_id: eventId,
      event: { type: 'message', channel_type: 'im', channel: 'D024BE91L', user: from, ts: '1.1', ...event },
    });
  return {
    ...rest,
    kind: 'slack',
    url: receiver.url,
    settings: { api_url: receiver.url },
    secrets: { bot_token: TOKEN, signing_secret: SIGNING_SECRET },
    person: USER,
    says: (text, options) => eventOf({ text }, options),
    sends: (bytes, { caption = '', answers = [] } = {}) => {
      stored = { bytes, answers: [...answers] };
      return eventOf({
        subtype: 'file_share',
        text: caption,
        files: [{ id: 'F1', name: 'cup.jpg', size: bytes.length }],
      });
    },
    reports: () => null,
    stop: () => receiver.stop(),
  };
}
