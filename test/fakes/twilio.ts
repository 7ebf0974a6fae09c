import { createHmac } from 'node:crypto';
import type { Answer } from './receiver.ts';
import { type FakeProvider, startProvider } from './provider.ts';

const SID = `AC${'a1'.repeat(16)}`;
const TOKEN = 'b2'.repeat(16);

const error = (status: number, code: number, message: string) => ({
  status,
  json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/**
 * Twilio's Programmable Messaging has form requests, JSON responses, Basic credentials, and errors as `{code, message,
 * more_info, status}`.
 */
export async function startTwilio(): Promise<FakeProvider> {
  let serial = 0;
  let stored: { bytes: Buffer; answers: Answer[] } = { bytes: Buffer.alloc(0), answers: [] };
  const authorization = `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`;
  const sid = () => `SM${String(++serial).padStart(32, '0')}`;
  const { receiver, ...rest } = await startProvider({
    isSend: ({ path }) => path === `/2010-04-01/Accounts/${SID}/Messages.json`,
    // Twilio stores media on another host, which must not receive the token.
    isAuthorized: ({ headers, path }) =>
      path === '/stored' ? headers.authorization === undefined : headers.authorization === authorization,
    unauthorized: error(401, 20003, 'Authenticate'),
    take(call) {
      const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      const form = new URLSearchParams(call.body.toString());
      if (!isForm || !form.get('To')) return { malformed: error(400, 21604, "A 'To' phone number is required.") };
      if (!form.get('Body') && !form.get('MediaUrl'))
        return { malformed: error(400, 21602, 'Message body is required.') };
      return { to: form.get('To')!, text: form.get('Body') ?? '', id: sid(), raw: Object.fromEntries(form) };
    },
    accepted: ({ id, to }) => ({
      status: 201,
      json: { sid: id, to, status: 'queued', error_code: null, num_segments: '1' },
    }),
    failed: ({ status, code = 20500, retryAfter, text = 'failed' }) => ({
      ...error(status, Number(code), text),
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
    }),
    other: ({ path }) => {
      if (path.includes('/Media/')) return stored.answers.shift() ?? { status: 307, headers: { location: '/stored' } };
      if (path === '/stored') return { text: stored.bytes };
      if (!path.includes('/IncomingPhoneNumbers.json')) {
        return { json: { sid: SID, friendly_name: 'Example', status: 'active' } };
      }
      const asked = new URLSearchParams(path.split('?')[1]).get('PhoneNumber');
      return { json: { incoming_phone_numbers: asked === '+15005550006' ? [{ phone_number: asked }] : [] } };
    },
  });
  const signed = (fields: Record<string, string>, url = '') => {
    const all: Record<string, string> = { AccountSid: SID, ...fields };
    const text =
      url +
      Object.keys(all)
        .sort()
        .map((name) => name + all[name])
        .join('');
    return {
      method: 'POST' as const,
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'x-twilio-signature': createHmac('sha1', TOKEN).update(text).digest('base64'),
      },
      body: new URLSearchParams(all).toString(),
    };
  };
  return {
    ...rest,
    kind: 'sms',
    url: receiver.url,
    settings: { account_sid: SID, from: '+15005550006', api_url: receiver.url },
    secrets: { auth_token: TOKEN },
    person: '+97430000000',
    says: (text, { eventId = sid(), from = '+97430000000', url } = {}) =>
      signed({ MessageSid: eventId, From: from, To: '+15005550006', Body: text, NumMedia: '0' }, url),
    sends: (bytes, { caption = '', answers = [], url } = {}) => {
      stored = { bytes, answers: [...answers] };
      const id = sid();
      const media = `${receiver.url}/2010-04-01/Accounts/${SID}/Messages/${id}/Media/ME${'c3'.repeat(16)}`;
      const fields = { MessageSid: id, From: '+97430000000', To: '+15005550006', Body: caption };
      return signed({ ...fields, NumMedia: '1', MediaUrl0: media, MediaContentType0: 'image/jpeg' }, url);
    },
    reports: (id, status, url) =>
      signed(
        {
          MessageSid: id,
          MessageStatus: status,
          To: '+97430000000',
          ...(status === 'failed' && { ErrorCode: '30003' }),
        },
        url,
      ),
    stop: () => receiver.stop(),
  };
}
