import { createHmac } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import {
  apiBase,
  callProvider,
  fetchBytes,
  member,
  type ProviderAnswer,
  statusFailure,
  textMember,
  setting,
} from '../call-provider.ts';
import { readRetryAfter } from '../../kernel/retry-after.ts';
import {
  type ChannelAccount,
  ChannelFailure,
  type ChannelKind,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  type SendTools,
  withFiles,
} from '../channel.ts';
import { equalSecrets } from '../equal-secrets.ts';

/**
 * The kind sends SMS over Twilio's Programmable Messaging (https://www.twilio.com/docs/messaging/api/message-resource).
 */
const API = 'https://api.twilio.com';
const MAX_FILES = 10;

export const sms: ChannelKind = {
  kind: 'sms',
  capabilities: {
    content: ['text', 'image'],
    max_text: 1_600,
    receipts: ['delivered', 'failed'],
    inbound: true,
    reply_window_hours: null,
    needs_address: true,
  },
  ...CHANNEL_FORMS.sms,
  addressOf: (endUser) => endUser.phone,
  personAt: (address) => ({ phone: address }),
  readAddress: (text) => (/^\+[1-9]\d{6,14}$/.test(text) ? text : null),

  async connect(account, tools) {
    const answer = await call(account, tools, '.json');
    const status = textMember(answer.json, 'status');
    if (status !== 'active') {
      throw new ChannelFailure('channel_unauthorized', `The Twilio account is ${status ?? 'not readable'}.`, {
        channelBroken: true,
      });
    }
    const from = setting(account.settings, 'from');
    if (from.startsWith('+')) await checkNumber(account, tools, from);
    return { account_name: textMember(answer.json, 'friendly_name') ?? '' };
  },

  async send(message, account, tools) {
    const { content } = message;
    const from = setting(account.settings, 'from');
    const form = new URLSearchParams({
      To: message.address!,
      [from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: from,
      StatusCallback: tools.inboundUrl,
    });
    if ('text' in content && content.text) form.set('Body', content.text);
    if (content.type === 'image') form.set('MediaUrl', content.url);
    const answer = await call(account, tools, '/Messages.json', form);
    return { providerMessageId: textMember(answer.json, 'sid') ?? null, status: 'sent' };
  },

  async fetchFile({ message: sid, media }, account, tools) {
    const url = `${accountUrl(account)}/Messages/${sid}/Media/${media}`;
    return fetchBytes(tools, 'Twilio', { url, headers: authorization(account) }, { followsRedirect: true });
  },

  inbound: {
    verify: (request, { secrets }) =>
      request.method === 'POST' &&
      equalSecrets(request.headers['x-twilio-signature'] ?? '', signatureOf(request, secrets['auth_token'] ?? '')),
    parse: ({ body }, { settings }) =>
      parse(new URLSearchParams(body.toString('utf8')), setting(settings, 'account_sid')),
    // The response contains no text, because the agent's answer is sent as a separate message.
    answer: () => ({ type: 'text/xml; charset=utf-8', body: '<?xml version="1.0" encoding="UTF-8"?><Response/>' }),
  },
};

/**
 * Only when a message is sent does Twilio refuse a number that the account does not own. A refusal at the first message
 * would be too late, so this function checks the number.
 */
async function checkNumber(account: ChannelAccount, tools: SendTools, from: string): Promise<void> {
  const query = `?PhoneNumber=${encodeURIComponent(from)}&PageSize=1`;
  const answer = await call(account, tools, `/IncomingPhoneNumbers.json${query}`);
  const numbers = member(answer.json, 'incoming_phone_numbers');
  if (Array.isArray(numbers) && numbers.length > 0) return;
  const detail = `The Twilio account has no number ${from}.`;
  throw new ChannelFailure('channel_unauthorized', detail, { channelBroken: true, setting: 'from' });
}

const accountUrl = ({ settings }: ChannelAccount): string =>
  `${apiBase(settings, API)}/2010-04-01/Accounts/${setting(settings, 'account_sid')}`;

function authorization({ settings, secrets }: ChannelAccount): { authorization: string } {
  const credentials = Buffer.from(`${setting(settings, 'account_sid')}:${secrets['auth_token']}`).toString('base64');
  return { authorization: `Basic ${credentials}` };
}

async function call(
  account: ChannelAccount,
  tools: SendTools,
  path: string,
  form?: URLSearchParams,
): Promise<ProviderAnswer> {
  const answer = await callProvider(tools, {
    url: accountUrl(account) + path,
    headers: {
      ...authorization(account),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form && { method: 'POST', body: form.toString() }),
  });
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw failureOf(answer);
}

/** https://www.twilio.com/docs/api/errors */
const OURS: Readonly<Record<number, string>> = {
  21211: 'recipient_unreachable',
  21214: 'recipient_unreachable',
  21408: 'recipient_unreachable',
  21610: 'recipient_opted_out',
  21612: 'recipient_unreachable',
  21614: 'recipient_unreachable',
  30003: 'recipient_unreachable',
  30004: 'recipient_unreachable',
  30005: 'recipient_unreachable',
  30006: 'recipient_unreachable',
};
/** 21611 means that Twilio's queue for this number is full. */
const BUSY = new Set([14107, 20429, 21611, 30001, 63018]);

function failureOf(answer: ProviderAnswer): ChannelFailure {
  const code = member(answer.json, 'code');
  const detail = textMember(answer.json, 'message');
  const providerCode = typeof code === 'number' ? String(code) : String(answer.status);
  if (typeof code === 'number' && OURS[code]) {
    return new ChannelFailure(OURS[code], `Twilio: ${detail ?? 'refused'}`, { providerCode });
  }
  if (typeof code === 'number' && BUSY.has(code)) {
    const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
    return new ChannelFailure('provider_rate_limited', `Twilio: ${detail}`, {
      providerCode,
      retryable: true,
      retryAfterMs,
    });
  }
  return statusFailure(answer, 'Twilio', { providerCode, detail, setting: 'auth_token' });
}

/**
 * The signature is HMAC-SHA-1 over the called address and the form's fields in the order of their names
 * (https://www.twilio.com/docs/usage/security#validating-requests).
 */
function signatureOf({ url, body }: InboundRequest, authToken: string): string {
  if (authToken === '') return '';
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  const sorted = fields.toSorted(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)));
  const signed = url + sorted.map(([name, value]) => name + value).join('');
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function parse(form: URLSearchParams, accountSid: string): InboundEvent[] {
  const sid = form.get('MessageSid');
  if (!sid || form.get('AccountSid') !== accountSid) return [];
  const status = form.get('MessageStatus');
  if (status !== null) return receiptOf(sid, status, form.get('ErrorCode'));
  const from = form.get('From') ?? '';
  const text = form.get('Body') || (Number(form.get('NumMedia') ?? 0) > 0 ? '[media]' : '');
  if (!/^\+[1-9]\d{6,14}$/.test(from) || text === '') return [];
  const content = { type: 'text' as const, text };
  return withFiles({ type: 'message', eventId: sid, address: from, person: { phone: from }, content }, filesOf(form));
}

/**
 * Twilio sends up to ten addresses. The URL to fetch is built from the IDs in the addresses of files, so that the token
 * is sent only to Twilio.
 */
function filesOf(form: URLSearchParams): NonNullable<InboundMessage['file']>[] {
  return Array.from({ length: MAX_FILES }, (_, index) => form.get(`MediaUrl${index}`)).flatMap((url) => {
    const [, message, media] = /\/Messages\/([MS]M\w{32})\/Media\/(ME\w{32})$/.exec(url ?? '') ?? [];
    return message && media ? [{ name: '', source: { message, media } }] : [];
  });
}

function receiptOf(providerMessageId: string, status: string, errorCode: string | null): InboundEvent[] {
  if (status === 'delivered' || status === 'read') return [{ type: 'receipt', providerMessageId, status }];
  if (status !== 'failed' && status !== 'undelivered') return [];
  const code = OURS[Number(errorCode)] ?? 'provider_refused';
  const detail = `Twilio reports the message as ${status}${errorCode ? ` (error ${errorCode})` : ''}.`;
  return [{ type: 'receipt', providerMessageId, status, error: { code, detail, provider_code: errorCode } }];
}
