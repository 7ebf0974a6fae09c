import { member, type ProviderAnswer, statusFailure, textMember } from '../call-provider.ts';
import { readRetryAfter } from '../../kernel/retry-after.ts';
import { ChannelFailure, type FailureFacts } from '../channel.ts';

type Meaning = [code: string, facts?: FailureFacts];

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  0: ['channel_unauthorized', { channelBroken: true }],
  3: ['channel_unauthorized', { channelBroken: true }],
  10: ['channel_unauthorized', { channelBroken: true }],
  190: ['channel_unauthorized', { channelBroken: true }],
  33: ['channel_unauthorized', { channelBroken: true }],
  368: ['channel_unauthorized', { channelBroken: true }],
  131005: ['channel_unauthorized', { channelBroken: true }],
  131031: ['channel_unauthorized', { channelBroken: true }],
  131042: ['channel_unauthorized', { channelBroken: true }],
  133010: ['channel_unauthorized', { channelBroken: true }],
  4: ['provider_rate_limited', { retryable: true }],
  80007: ['provider_rate_limited', { retryable: true }],
  130429: ['provider_rate_limited', { retryable: true }],
  131048: ['provider_rate_limited', { retryable: true }],
  131056: ['provider_rate_limited', { retryable: true }],
  1: ['provider_unavailable', { retryable: true }],
  2: ['provider_unavailable', { retryable: true }],
  131000: ['provider_unavailable', { retryable: true }],
  131016: ['provider_unavailable', { retryable: true }],
  131047: ['session_window_closed'],
  131026: ['recipient_unreachable'],
  131030: ['recipient_unreachable'],
  131050: ['recipient_opted_out'],
};
/** The fix of errors whose text from Meta contains no fix. */
const FIXES: Readonly<Record<number, string>> = {
  190: 'Create a new access token and enter it in the settings of the channel.',
  368: 'Meta has restricted the account. See Account quality in WhatsApp Manager.',
  131005: 'Give the access token the right whatsapp_business_messaging.',
  131026: 'The number is not on WhatsApp, has not accepted its terms, or uses an old version of the app.',
  131030: 'Add the number to the allowed recipients of the test number, or use your own number.',
  131031: 'Meta has locked the account. See Account quality in WhatsApp Manager.',
  131042: 'Add a payment method to the account in WhatsApp Manager.',
  131047: 'The person has not written for 24 hours. Send a template.',
  131048: 'Meta limits the number because people blocked or reported it. Send less, and only to people who agreed.',
  131049: 'Meta did not deliver this marketing message. Try again after 24 hours.',
  131050: 'The person has stopped marketing messages of this number.',
  131051: 'WhatsApp does not support this type of message.',
  131052: 'WhatsApp could not read the file. Ask the person to send it again.',
  131053: 'WhatsApp could not read the file at this address. Check its type, its size and that it is public.',
  132000: 'Give one value for each placeholder of the template.',
  132001: 'Check the name and the language of the template in WhatsApp Manager.',
  132005: 'Shorten the values of the template.',
  132007: 'The text breaks the rules of WhatsApp. Edit the template.',
  132012: 'A value has another form than the template requires, such as text instead of an image.',
  132015: 'Meta has paused the template because of its quality. Choose another one, or wait.',
  132016: 'Meta has disabled the template because of its quality. Create another one.',
  132068: 'The flow of the template is blocked. Repair it in WhatsApp Manager.',
  133010: 'Register the phone number for the Cloud API.',
};

/** Adds the fix to the text from Meta. */
const withCure = (text: string, code: unknown): string => {
  const fix = typeof code === 'number' ? FIXES[code] : undefined;
  return fix === undefined ? `WhatsApp: ${text}` : `WhatsApp: ${sentence(text)} ${fix}`;
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const TEMPLATE_CODES = [132000, 132999] as const;
const PERMISSION_CODES = [200, 299] as const;

function meaningOf(code: number): Meaning | null {
  if (MEANINGS[code]) return MEANINGS[code];
  if (code >= TEMPLATE_CODES[0] && code <= TEMPLATE_CODES[1]) return ['template_refused'];
  if (code >= PERMISSION_CODES[0] && code <= PERMISSION_CODES[1])
    return ['channel_unauthorized', { channelBroken: true }];
  return null;
}

export function failureOf(answer: ProviderAnswer): ChannelFailure {
  const error = member(answer.json, 'error');
  const code = member(error, 'code');
  const detail = textMember(member(error, 'error_data'), 'details') ?? textMember(error, 'message');
  const providerCode = typeof code === 'number' ? String(code) : undefined;
  const meaning = typeof code === 'number' ? meaningOf(code) : null;
  if (!meaning) {
    const fix = typeof code === 'number' ? FIXES[code] : undefined;
    const whole = [detail && sentence(detail), fix].filter(Boolean).join(' ');
    return statusFailure(answer, 'WhatsApp', { ...(providerCode && { providerCode }), detail: whole || undefined });
  }
  const [ours, facts] = meaning;
  const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
  return new ChannelFailure(ours, withCure(detail ?? 'refused', code), {
    ...facts,
    providerCode: String(code),
    retryAfterMs,
    ...(facts?.channelBroken && { setting: 'access_token' }),
  });
}

/**
 * Error 100 is an invalid parameter. A connection sends two parameters, and the error of Meta names the wrong
 * parameter.
 */
export function connectFailureOf(answer: ProviderAnswer): ChannelFailure {
  const error = member(answer.json, 'error');
  if (member(error, 'code') !== 100) return failureOf(answer);
  const facts = { providerCode: '100', channelBroken: true };
  if (textMember(error, 'message')?.includes('appsecret_proof')) {
    const detail = 'WhatsApp: the app secret does not belong to the app of the access token.';
    return new ChannelFailure('channel_unauthorized', detail, { ...facts, setting: 'app_secret' });
  }
  const detail = 'WhatsApp does not know this phone number id, or the access token has no access to it.';
  return new ChannelFailure('channel_unauthorized', detail, { ...facts, setting: 'phone_number_id' });
}

/** The reason in a status notification why an accepted message could not be delivered later. */
export function deliveryError(error: unknown): { code: string; detail: string; provider_code: string | null } {
  const code = member(error, 'code');
  const known = typeof code === 'number' ? meaningOf(code) : null;
  const text =
    textMember(member(error, 'error_data'), 'details') ??
    textMember(error, 'title') ??
    'The message was not delivered.';
  return {
    code: known?.[0] ?? 'provider_refused',
    detail: withCure(text, code),
    provider_code: typeof code === 'number' ? String(code) : null,
  };
}
