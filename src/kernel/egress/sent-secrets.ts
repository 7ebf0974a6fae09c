import { REDACTED } from '../redact.ts';

/**
 * Some servers repeat the request in their errors, including the Authorization header. Parley stores, shows and logs
 * the answers of servers, so this file removes the secrets of a request from its answer first.
 */
const NAME = /^(?:proxy-)?authorization$|^cookie$|^(?!idempotency)(?:.*[-_])?(?:key|token|secret|password)$/i;
/** The tokens of Telegram bots are in the path of the URL. */
const IN_PATH = /\d{6,}:[\w-]{20,}/g;
/** Texts with fewer characters occur in too many answers by chance. */
const MIN_CHARACTERS = 8;

export type Sent = {
  url: URL;
  headers: Iterable<readonly [string, string]>;
  body?: string | undefined;
  /** Secrets whose names do not show that they are secret. */
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
  // The longest secret comes first, because another secret may be a part of it.
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
  expressionsOf(secrets).reduce((rest, expression) => rest.replace(expression, REDACTED), text);

/**
 * The expressions are built once for a list of secrets, because an answer may contain a hundred thousand texts, and
 * building an expression takes longer than removing a secret.
 */
const expressions = new WeakMap<readonly string[], RegExp[]>();

function expressionsOf(secrets: readonly string[]): RegExp[] {
  const known = expressions.get(secrets);
  if (known) return known;
  const built = secrets.map(spelled);
  expressions.set(secrets, built);
  return built;
}

/** Removes the secrets from a JSON value, in its texts and in the names of its members. */
export function valueWithoutSecrets<T>(value: T, secrets: readonly string[]): T;
export function valueWithoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (typeof value !== 'object' || value === null || secrets.length === 0) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => valueWithoutSecrets(each, secrets));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      withoutSecrets(name, secrets),
      valueWithoutSecrets(each as unknown, secrets),
    ]),
  );
}

export function bytesWithoutSecrets(bytes: Buffer, secrets: readonly string[]): Buffer {
  // The text has one character for each byte, so that binary data does not change.
  const text = bytes.toString('latin1');
  const clean = withoutSecrets(
    text,
    secrets.map((secret) => Buffer.from(secret).toString('latin1')),
  );
  return clean === text ? bytes : Buffer.from(clean, 'latin1');
}

/**
 * Matches the secret in each form that JSON allows: `\/` for `/`, `\u002b` for `+`, and both forms again in JSON inside
 * a JSON text. A run of backslashes becomes one bounded part of the expression. If several parts could match the same
 * backslashes, the expression would try every division of the backslashes.
 */
function spelled(secret: string): RegExp {
  const parts = secret.match(/\\+|[^\\]/g) ?? [];
  const forms = parts.map((part, at) => {
    if (part.startsWith('\\')) return String.raw`(?:\\|u005[cC]){1,32}`;
    return (parts[at - 1]?.startsWith('\\') === true ? '' : String.raw`\\{0,8}`) + oneOf(part);
  });
  return new RegExp(forms.join(''), 'g');
}

function oneOf(character: string): string {
  const plain = character.replace(/[^\w\s]/, String.raw`\$&`);
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return String.raw`(?:${plain}|(?<=\\)u${digits})`;
}
