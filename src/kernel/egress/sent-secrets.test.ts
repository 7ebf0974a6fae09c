import { expect, test } from 'vitest';
import { cpuMs } from '../../../test/cpu-time.ts';
import { bytesWithoutSecrets, secretsOf, valueWithoutSecrets, withoutSecrets } from './sent-secrets.ts';

const SECRET = 'sh/op+7"k\\ey==';
const secrets = secretsOf({ url: new URL('https://shop.test'), headers: [['authorization', `Bearer ${SECRET}`]] });
const everyEscape = (text: string): string =>
  Array.from(text, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`).join('');

const FORMS: [string, string][] = [
  ['as it is', SECRET],
  ['as JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['as JSON with \\/', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
  ['as JSON with \\u002b', JSON.stringify(SECRET).slice(1, -1).replaceAll('+', '\\u002b')],
  ['as JSON with an escape for each character', everyEscape(SECRET)],
  ['as JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).replaceAll('/', '\\\\/')],
  ['in a URL', encodeURIComponent(SECRET)],
];

test.each(FORMS)('a secret is removed %s', (_, form) => {
  expect(withoutSecrets(`You sent ${form}!`, secrets)).toMatch(/^You sent .{0,5}\[redacted\].{0,5}!$/);
  expect(bytesWithoutSecrets(Buffer.from(`You sent ${form}!`), secrets).toString()).toContain('[redacted]');
});

test('JSON stays valid, even if the name of a member contains the secret', () => {
  const text = String.raw`{"seen":["Bearer sh\/op\u002b7\"k\\ey==",1,null],"sh/op+7\"k\\ey==":true,"n":"a\\b"}`;
  const clean = { seen: ['[redacted]', 1, null], '[redacted]': true, n: 'a\\b' };
  expect(JSON.parse(bytesWithoutSecrets(Buffer.from(text), secrets).toString())).toEqual(clean);
  expect(valueWithoutSecrets(JSON.parse(text), secrets)).toEqual(clean);
});

test('bytes without a secret do not change', () => {
  const bytes = Buffer.from([0, 255, 92, 92, 117, 200]);
  expect(bytesWithoutSecrets(bytes, secrets)).toBe(bytes);
});

test('removing a secret from a text of backslashes takes linear time', () => {
  const text = '\\'.repeat(1_000_000);
  expect(withoutSecrets(text, ['\\\\\\\\\\\\\\\\x'])).toBe(text);
});

test('removing secrets from a hundred thousand texts builds no expression for each text', () => {
  const texts = Array.from({ length: 100_000 }, (_, at) => `text ${at}`);
  expect(cpuMs(() => valueWithoutSecrets(texts, secrets))).toBeLessThan(700);
});
