import { MAX_ATTACHMENT_BYTES } from '../../contract/limits.ts';
import { type EgressRequest, EgressError } from '../kernel/egress.ts';
import { readRetryAfter } from '../kernel/retry-after.ts';
import { ChannelFailure, type FailureFacts, InboundError, type SendTools } from './channel.ts';

/** A provider's HTTP response. `json`: the parsed body if the body is JSON. */
export type ProviderAnswer = { status: number; headers: Record<string, string>; text: string; json: unknown };

/**
 * Calls a provider once through the egress guard. Any HTTP response counts as a definite result. Without a response,
 * the result is definite only if the connection was never made. If the connection was made, the request may have
 * arrived (`mayHaveSent`).
 */
export async function callProvider(
  { egress, signal }: Pick<SendTools, 'egress' | 'signal'>,
  request: EgressRequest,
): Promise<ProviderAnswer> {
  try {
    const answer = await egress.request({ ...request, signal });
    const text = answer.body.toString('utf8');
    return { status: answer.status, headers: answer.headers, text, json: parse(text) };
  } catch (error) {
    throw noAnswer(error);
  }
}

/**
 * Checks an address from a provider's response that would receive our credentials. The address must be encrypted and
 * belong to the provider, or to the server in the settings that replaces the provider.
 */
export function ownAddress(provider: string, url: string, { api, hosts }: { api: string; hosts: RegExp }): string {
  const { protocol, host, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '', origin: '' };
  if ((protocol === 'https:' && hosts.test(host)) || origin === new URL(api).origin) return url;
  throw new ChannelFailure('provider_refused', `${provider} names an address for the file that is not its own.`);
}

/**
 * Downloads a file from the provider. A file larger than MAX_ATTACHMENT_BYTES is a definite failure, like any status
 * outside 200–299. For a provider that stores files on another host, one redirect is followed without the headers,
 * which are only for the provider.
 */
export async function fetchBytes(
  { egress, signal }: Pick<SendTools, 'egress' | 'signal'>,
  provider: string,
  request: EgressRequest,
  { followsRedirect = false }: { followsRedirect?: boolean } = {},
): Promise<Buffer> {
  try {
    const answer = await egress.request({ ...request, signal, maxBytes: MAX_ATTACHMENT_BYTES });
    if (answer.status >= 200 && answer.status <= 299) return answer.body;
    const { location } = answer.headers;
    const isRedirect = answer.status >= 300 && answer.status <= 399;
    if (followsRedirect && isRedirect && location && URL.canParse(location, request.url)) {
      return await fetchBytes({ egress, signal }, provider, { url: new URL(location, request.url).href });
    }
    throw statusFailure({ ...answer, text: '', json: null }, provider);
  } catch (error) {
    throw noAnswer(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Maps a missing response to a failure. A missing response includes a call that its caller ended after a time limit.
 */
export function noAnswer(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const tooSlow = 'The provider took too long to answer.';
    return new ChannelFailure('provider_timeout', tooSlow, { retryable: true, mayHaveSent: true, setting: 'api_url' });
  }
  if (!(error instanceof EgressError)) return error;
  if (error.code === 'egress_refused') {
    return new ChannelFailure('address_refused', error.message, {
      channelBroken: true,
      setting: 'api_url',
      cause: error,
    });
  }
  const mayHaveSent = !error.neverConnected;
  const code = error.code === 'egress_timeout' ? 'provider_timeout' : 'provider_unreachable';
  return new ChannelFailure(code, error.message, { retryable: true, mayHaveSent, setting: 'api_url', cause: error });
}

/** Maps a status outside 200–299 to a failure if the provider has no more exact code. */
export function statusFailure(
  answer: ProviderAnswer,
  provider: string,
  facts: Pick<FailureFacts, 'providerCode' | 'setting'> & { detail?: string | undefined } = {},
): ChannelFailure {
  const { status } = answer;
  const { providerCode = String(status), detail, setting } = facts;
  const reason = detail ? `: ${detail.slice(0, 300)}` : '.';
  if (status === 401) {
    return new ChannelFailure('channel_unauthorized', `${provider} refuses the credentials (401)${reason}`, {
      providerCode,
      channelBroken: true,
      setting,
    });
  }
  if (status === 429 || status === 408 || status >= 500) {
    const code = status === 429 ? 'provider_rate_limited' : 'provider_unavailable';
    return new ChannelFailure(code, `${provider} answered ${status}${reason}`, {
      providerCode,
      retryable: true,
      retryAfterMs: readRetryAfter(answer.headers['retry-after']),
    });
  }
  return new ChannelFailure('provider_refused', `${provider} answered ${status}${reason}`, { providerCode });
}

/** Reads a member of an object that comes from an untrusted source. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

export const textMember = (value: unknown, name: string): string | undefined => {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
};

/** Parses the body of an inbound webhook. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new InboundError('The body is not JSON.');
  }
}

/** Reads a stored setting that its schema declares as text. */
export const setting = (settings: Readonly<Record<string, unknown>>, name: string): string =>
  textMember(settings, name) ?? '';

/** The base URL of the provider: its own address, or a compatible server that the operator configured. */
export const apiBase = (settings: Readonly<Record<string, unknown>>, usual: string): string =>
  (textMember(settings, 'api_url') ?? usual).replace(/\/$/, '');
