import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redact } from '../../kernel/redact.ts';
import { mintKey, parseKey } from '../api-keys/key-format.ts';
import { isTokenLike, mintToken, parseToken, shownTokenPrefix } from './token-format.ts';

test('a value matches the documented expression for secret scanners', () => {
  const page = readFileSync(new URL('../../../docs/access-tokens.md', import.meta.url), 'utf8');
  const pattern = /`(\\bparley_token_[^`]+)`/.exec(page)![1]!;
  expect(mintToken('qa')).toMatch(new RegExp(`^${pattern}$`));
  expect(mintKey('qa')).not.toMatch(new RegExp(pattern));
});

test('a value contains its region and a checksum, and a changed character is detected', () => {
  const value = mintToken('qa');
  expect(parseToken(value)).toBe('qa');
  for (const at of [14, 20, 40, value.length - 1]) {
    const other = value[at] === 'a' ? 'b' : 'a';
    expect(parseToken(value.slice(0, at) + other + value.slice(at + 1))).toBeNull();
  }
  for (const wrong of ['', value.slice(1), `${value}0`, value.replace('_qa_', '_us_'), value.toUpperCase()])
    expect(parseToken(wrong)).toBeNull();
});

test('a token is never mistaken for an API key, and an API key never for a token', () => {
  expect(parseKey(mintToken('us')).ok).toBe(false);
  expect(parseToken(mintKey('us'))).toBeNull();
  expect(isTokenLike(mintKey('us'))).toBe(false);
  expect(isTokenLike(mintToken('us'))).toBe(true);
});

test('a log line contains only the displayed prefix', () => {
  const value = mintToken('eu');
  const line = redact(`{"msg":"seen ${value} here"}`);
  expect(line).not.toContain(value.slice(24));
  expect(line).toContain(shownTokenPrefix(value));
});
