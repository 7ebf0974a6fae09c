import { describe, expect, it } from 'vitest';
import { parseAllow, type AllowList } from './allow-list.ts';

function parsed(list: string | string[]): AllowList {
  const result = parseAllow(list);
  if ('fault' in result) throw new Error(result.fault);
  return result.ok;
}

describe('the allow list of outgoing calls', () => {
  it('the allow list is empty if nothing is set', () => {
    const allow = parsed('');
    expect(allow.host('localhost', 80)).toBe(false);
    expect(allow.address('127.0.0.1', 80)).toBe(false);
  });

  it('a name matches exactly, in any case, with or without a final dot', () => {
    const allow = parsed(' models.internal , Ollama ');
    expect(allow.host('MODELS.internal', 80)).toBe(true);
    expect(allow.host('models.internal.', 80)).toBe(true);
    expect(allow.host('ollama', 11434)).toBe(true);
    expect(allow.host('evil.models.internal', 80)).toBe(false);
    expect(allow.host('models.internal.evil.test', 80)).toBe(false);
  });

  it('an address matches by CIDR, in IPv4, IPv6 and mapped form', () => {
    const allow = parsed(['10.2.0.0/16', 'fd00::/8', '127.0.0.1']);
    expect(allow.address('10.2.255.1', 443)).toBe(true);
    expect(allow.address('10.3.0.0', 443)).toBe(false);
    expect(allow.address('fd12::1', 443)).toBe(true);
    expect(allow.address('fe80::1', 443)).toBe(false);
    expect(allow.address('::ffff:7f00:1', 443)).toBe(true);
    expect(allow.address('127.0.0.2', 443)).toBe(false);
  });

  it('an entry with a port allows only this port', () => {
    const allow = parsed('ollama:11434,127.0.0.1:21,[::1]:8080');
    expect(allow.host('ollama', 11434)).toBe(true);
    expect(allow.host('ollama', 80)).toBe(false);
    expect(allow.address('127.0.0.1', 21)).toBe(true);
    expect(allow.address('127.0.0.1', 22)).toBe(false);
    expect(allow.address('::1', 8080)).toBe(true);
    expect(allow.address('::1', 80)).toBe(false);
  });

  it.each([
    ...'http://localhost *.internal host:99999 host:0 user@host host?x [::1 a/b /8 10.0.0/8'.split(' '),
    ...'10.0.0.0/ 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/8/8 ::/129'.split(' '),
    'a b',
  ])('the entry %s is refused, and the error names it', (entry) => {
    const result = parseAllow(['fine.internal', entry]);
    expect('fault' in result && result.fault).toContain(`"${entry}"`);
  });
});
