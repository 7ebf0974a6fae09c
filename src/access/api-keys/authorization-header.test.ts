import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../contract/problems.ts';
import { cpuMs } from '../../../test/cpu-time.ts';
import { CHALLENGE, readToken } from './authorization-header.ts';

const refusalOf = (headers: string[]): Refusal => {
  try {
    readToken(headers);
  } catch (error) {
    return error as Refusal;
  }
  throw new Error('was not refused');
};

describe('Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['bEaReR    abc', 'abc'],
    ['Bearer abc  ', 'abc'],
    ['\tBearer abc\t', 'abc'],
    ['  Bearer abc', 'abc'],
  ])('the token of %j is accepted', (value, token) => {
    expect(readToken([value])).toBe(token);
  });

  it.each([
    ['none', []],
    ['empty', ['']],
    ['white space only', [' \t ']],
    ['another scheme', ['Basic dXNlcjpwYXNz']],
    ['a scheme that begins like ours', ['Bearerabc']],
    ['the token alone', ['parley_us_abc']],
    ['a tab for the space', ['Bearer\tabc']],
    ['no token', ['Bearer']],
    ['no token after spaces', ['Bearer     ']],
    ['two headers', ['Bearer abc', 'Bearer abc']],
    ['two headers, one of them empty', ['Bearer abc', '']],
  ])('an unusable header is refused: %s', (_, headers) => {
    const refusal = refusalOf(headers);
    expect(refusal.code).toBe('authorization_missing');
    expect(refusal.extras.headers).toEqual({ 'WWW-Authenticate': CHALLENGE });
    expect(refusal.message).not.toContain('abc');
  });

  it('two words, and two header values joined by a comma, count as one malformed token', () => {
    expect(readToken(['Bearer abc def'])).toBe('abc def');
    expect(readToken(['Bearer abc, Bearer def'])).toBe('abc, Bearer def');
  });

  it('a header with many spaces is read in linear time', () => {
    const header = `Bearer ${' '.repeat(100_000)}x${' '.repeat(100_000)}y`;
    expect(cpuMs(() => void readToken([header]))).toBeLessThan(200);
  });
});
