import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Signs webhooks as Standard Webhooks 1.0 (https://www.standardwebhooks.com), with HMAC-SHA-256 over
 * `id.timestamp.body`. The secret is the base64 text after `whsec_`. During a rotation, the header may contain several
 * signatures, one of which must match.
 */
export const TOLERANCE_SECONDS = 5 * 60;
const SECRET_BYTES = 32;

export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * Returns the three headers of a signed webhook. With several secrets (during a rotation), the signature header
 * contains one signature for each secret.
 */
export function signWebhook(
  secrets: string | readonly string[],
  id: string,
  at: Date,
  body: string | Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = [secrets].flat().map((secret) => signatureOf(secret, id, timestamp, body).toString('base64'));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

export function verifyWebhook(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
  now: number,
): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = signatureOf(secret, id, timestamp, body);
  return signatures.split(' ').some((entry) => {
    const [version, value, ...rest] = entry.split(',');
    if (version !== 'v1' || value === undefined || rest.length > 0) return false;
    const given = Buffer.from(value, 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const signatureOf = (secret: string, id: string, timestamp: string, body: string | Buffer): Buffer =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
