import { REDACTED } from '../redact.ts';

/**
 * Some servers repeat the request in their errors, including the Authorization header. Their answers are stored, shown
 * and logged, so the secrets of a request are removed from its answer here, before any other code reads it.
 */
const NAME = /^(?:proxy-)?authorization$|^cookie$|^(?!idempotency)(?:.*[-_])?(?:key|token|secret|password)$/i;
/** Telegram bot tokens are in the path. */
const IN_PATH = /\d{6,}:[\w-]{20,}/g;
/** Shorter texts occur in too many answers by chance. */
const MIN_CHARACTERS = 8;

export type Sent = {
  url: URL;
  headers: Iterable<readonly [string, string]>;
  body?: string | undefined;
  /** Secrets that no name betrays. */
  others?: readonly string[] | undefined;
};

export function secretsOf({ url, headers, body, others = [] }: Sent): string[] {
  const found = [...(url.pathname.match(IN_PATH) ?? []), ...others];
  for (const [name, value] of [...headers, ...url.searchParams, ...formOf(headers, body)]) {
    if (!NAME.test(name)) continue;
    const [, scheme = '', token = ''] = /^(bearer|basic|token)\s+(\S+)$/i.exec(value) ?? [];
    found.push(value, token);
    if (scheme.toLowerCase() === 'basic')
      found.push(
        Buffer.from(token, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, ''),
      );
  }
  const long = found.filter((secret) => secret.length >= MIN_CHARACTERS);
  const all = new Set(long.flatMap((secret) => [secret, encodeURIComponent(secret), inForm(secret)]));
  // The longest first: one may be a part of another.
  return [...all].toSorted((one, other) => other.length - one.length);
}

function formOf(headers: Sent['headers'], body: string | undefined): Iterable<[string, string]> {
  const isForm = [...headers].some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes('x-www-form-urlencoded'),
  );
  return isForm && body !== undefined ? new URLSearchParams(body) : [];
}

const inForm = (secret: string): string => new URLSearchParams([['', secret]]).toString().slice(1);

export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);

export function bytesWithoutSecrets(bytes: Buffer, secrets: readonly string[]): Buffer {
  // Byte for byte, so that binary data does not change.
  const inBytes = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  if (!inBytes.some((secret) => bytes.includes(secret, 0, 'latin1'))) return bytes;
  return Buffer.from(withoutSecrets(bytes.toString('latin1'), inBytes), 'latin1');
}
