/** Standard Webhooks 1.0 (https://www.standardwebhooks.com) with WebCrypto: the same code on Node, Deno, Bun and at the edge. */
const TOLERANCE_SECONDS = 5 * 60;

type HeaderValues = Headers | Record<string, string | string[] | undefined>;

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** An event of Parley: `type` says what happened, `data` is described under /docs#events of your server. */
export type WebhookEvent = { id: string; type: string; [member: string]: unknown };

async function verify<T = WebhookEvent>(
  /** As it came, byte for byte: read it before any parser of JSON. */
  body: string | Uint8Array,
  headers: HeaderValues,
  /** `whsec_…`; several while you replace one. */
  secret: string | readonly string[],
  { now = Date.now() }: { now?: number } = {},
): Promise<T> {
  const id = valueOf(headers, 'webhook-id');
  const timestamp = valueOf(headers, 'webhook-timestamp');
  const signatures = valueOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A header of the signature is missing.');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The timestamp is more than five minutes off.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const given = signatures
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => bytesOf(entry.slice('v1,'.length)));
  for (const one of [secret].flat()) {
    const key = bytesOf(one.replace(/^whsec_/, ''));
    if (!key || key.length === 0) throw new TypeError('The secret must be whsec_ and base64.');
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    // `verify` compares in constant time.
    for (const signature of given)
      if (signature && (await crypto.subtle.verify('HMAC', imported, signature, signed)))
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
  }
  throw new WebhookVerificationError('No signature matches.');
}

function valueOf(headers: HeaderValues, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found.join(' ') : found;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** `await webhooks.verify(body, headers, secret)` returns the event, or throws `WebhookVerificationError`. */
export const webhooks = { verify };
