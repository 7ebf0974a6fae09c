import type { EventData } from './wire.ts';

/**
 * Signs and verifies by Standard Webhooks 1.0 (https://www.standardwebhooks.com) with WebCrypto. The code of this file
 * runs on Node, Deno, Bun and edge runtimes.
 */
const TOLERANCE_SECONDS = 5 * 60;

type HeaderValues = Headers | Record<string, string | string[] | undefined>;
type Body = string | Uint8Array | ArrayBuffer;

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export type EventType = keyof EventData;
/**
 * In code with an event of Parley, `switch (event.type)` narrows `data`. A newer server may send types that this
 * version does not know, so ignore them in `default`.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [Name in Type]: { id: string; type: Name; timestamp: string; data: EventData[Name] };
}[Type];

export type WebhookHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };

async function verify<T = WebhookEvent>(
  /** The parameter is the raw bytes of the body, before any JSON parser. */
  body: Body,
  headers: HeaderValues,
  /** The secret has the form `whsec_…`, and you can pass several secrets while you replace one. */
  secret: string | readonly string[] | undefined,
  { now = Date.now() }: { now?: number | undefined } = {},
): Promise<T> {
  const keys = await Promise.all([secret].flat().map((one) => keyOf(one, 'verify')));
  const bytes = bytesOf(body);
  const id = valueOf(headers, 'webhook-id');
  const timestamp = valueOf(headers, 'webhook-timestamp');
  const signatures = valueOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A header of the signature is missing.');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The timestamp is more than five minutes off.');
  const signed = signedBytes(id, timestamp, bytes);
  const received = signatures
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => fromBase64(entry.slice('v1,'.length)));
  for (const key of keys)
    for (const signature of received)
      // `crypto.subtle.verify` compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
  throw new WebhookVerificationError('No signature matches.');
}

/**
 * Returns the headers of a signed call, for example to the inbound URL of a webhook channel. Send exactly the `body`
 * that was signed.
 */
async function sign(
  body: Body,
  secret: string | undefined,
  { id = crypto.randomUUID(), now = Date.now() }: { id?: string | undefined; now?: number | undefined } = {},
): Promise<WebhookHeaders> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = await keyOf(secret, 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(id, timestamp, bytesOf(body)));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${base64}` };
}

async function keyOf(secret: string | undefined, usage: 'sign' | 'verify') {
  if (!secret) throw new TypeError('The secret is missing. Pass the whsec_… value of the endpoint.');
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (!key || key.length === 0) throw new TypeError('The secret must be whsec_ and base64.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('The body must be the raw body: a string or bytes, before any JSON parser.');
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}

function valueOf(headers: HeaderValues | undefined, name: string): string | undefined {
  if (headers === undefined || headers === null) throw new TypeError('Pass the headers of the request.');
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found.join(' ') : found;
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * The call `await webhooks.verify(body, headers, secret)` returns the event, or throws `WebhookVerificationError`. The
 * call `await webhooks.sign(body, secret)` returns the headers of a signed call.
 */
export const webhooks = { verify, sign };
