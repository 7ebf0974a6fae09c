import { describe, expect, it } from 'vitest';
import { checkOrigin } from './origin.ts';

const BASE = 'https://us.parley.test';
const check =
  (headers: Record<string, string>, method = 'POST') =>
  () =>
    checkOrigin(method, { host: 'us.parley.test', ...headers }, BASE);

describe('a change', () => {
  it.each([
    ['from the configured address', { origin: BASE }],
    ['from the host that was called', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' }],
    ['from a program', {}],
    ['typed by a person', { 'sec-fetch-site': 'none' }],
    ['of the same origin without Origin', { 'sec-fetch-site': 'same-origin' }],
  ])('%s is let in', (_what, headers) => {
    expect(check(headers)).not.toThrow();
  });

  it.each([
    ['from another site', { origin: 'https://evil.test' }],
    ['from a sister subdomain', { origin: 'https://eu.parley.test' }],
    ['from another port of this host', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4001' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['from an address that only begins with ours', { origin: `${BASE}.evil.test` }],
    ['from a file', { origin: 'file://' }],
    ['from an extension', { host: 'abc', origin: 'chrome-extension://abc' }],
    ['of a browser from another site without Origin', { 'sec-fetch-site': 'cross-site' }],
    ['of a browser from a sister without Origin', { 'sec-fetch-site': 'same-site' }],
    ['of a browser from another site that says so', { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }],
  ])('%s is refused', (_what, headers) => {
    expect(check(headers)).toThrow(expect.objectContaining({ code: 'origin_refused' }));
  });

  it('is checked for every method that changes', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(check({ origin: 'https://evil.test' }, method)).toThrow(/dashboard itself/);
    for (const method of ['GET', 'HEAD']) expect(check({ origin: 'https://evil.test' }, method)).not.toThrow();
  });
});
