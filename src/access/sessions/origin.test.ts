import { describe, expect, it } from 'vitest';
import { checkOrigin } from './origin.ts';

const BASE = 'https://us.parley.test';
const check =
  (headers: Record<string, string>, method = 'POST', localAddress = '127.0.0.1', baseUrl = BASE) =>
  () =>
    checkOrigin({ method, headers: { host: 'us.parley.test', ...headers }, socket: { localAddress } }, baseUrl);

describe('a change', () => {
  it.each([
    ['from the configured address', { origin: BASE }],
    ['from the host that was called', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' }],
    ['from a program', {}],
    ['typed by a person', { 'sec-fetch-site': 'none' }],
    ['of the same origin without Origin', { 'sec-fetch-site': 'same-origin' }],
  ])('a changing request is accepted %s', (_what, headers) => {
    expect(check(headers)).not.toThrow();
  });

  it.each([
    ['from another site', { origin: 'https://evil.test' }],
    ['from a sister subdomain', { origin: 'https://eu.parley.test' }],
    ['from another port of this host', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4001' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['from an address that only begins with ours', { origin: `${BASE}.evil.test` }],
    ['from a file', { origin: 'file://' }],
    ['from an extension', { host: 'localhost', origin: 'chrome-extension://localhost' }],
    ['of a browser from another site without Origin', { 'sec-fetch-site': 'cross-site' }],
    ['of a browser from a sister without Origin', { 'sec-fetch-site': 'same-site' }],
    ['of a browser from another site that says so', { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }],
  ])('a changing request is refused %s', (_what, headers) => {
    expect(check(headers)).toThrow(expect.objectContaining({ code: 'origin_refused' }));
  });

  it('every method that changes data is checked', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(check({ origin: 'https://evil.test' }, method)).toThrow(/only from the dashboard/);
    for (const method of ['GET', 'HEAD']) expect(check({ origin: 'https://evil.test' }, method)).not.toThrow();
  });
});

describe('a host', () => {
  const hosts = (...names: string[]) => names.map((host) => ({ host }));

  it.each(
    hosts('us.parley.test', 'US.Parley.Test', 'us.parley.test:443', '127.0.0.1:4000', 'localhost:5173', '[::1]:4000'),
  )('$host is a name of this server on this machine', (headers) => {
    expect(check(headers, 'GET')).not.toThrow();
  });

  it.each(
    hosts(
      'evil.test',
      'evil.test:4000',
      'us.parley.test:4000',
      'us.parley.test.evil.test',
      'localhost.evil.test',
      '127.0.0.1.evil.test:4000',
      '127.0.0.2',
      '192.168.1.5:4000',
      '',
    ),
  )('"$host" is refused, with any method and any Origin', (headers) => {
    for (const method of ['GET', 'POST'])
      for (const origin of [null, `http://${headers.host}`, BASE])
        expect(check({ ...headers, ...(origin !== null && { origin }) }, method)).toThrow(
          expect.objectContaining({ code: 'host_unknown' }),
        );
  });

  it('the host is refused if only a forwarded header contains our name', () => {
    const forwarded = { 'x-forwarded-host': 'us.parley.test', forwarded: 'host=us.parley.test' };
    expect(check({ host: 'evil.test', ...forwarded }, 'GET')).toThrow(
      expect.objectContaining({ code: 'host_unknown' }),
    );
  });

  it('a name of this machine is refused if the server is reached from another machine', () => {
    expect(check({ host: 'localhost:4000' }, 'GET', '192.0.2.7')).toThrow(
      expect.objectContaining({ code: 'host_unknown' }),
    );
    // A published port of a container, without a configured name.
    expect(check({ host: 'localhost:4000' }, 'GET', '172.17.0.2', 'http://127.0.0.1:4000')).not.toThrow();
  });
});
