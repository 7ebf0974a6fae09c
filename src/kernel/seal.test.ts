import { describe, expect, it } from 'vitest';
import { deriveKey, newDataKey, open, placeOf, seal, SealError, unwrapDataKey } from './seal.ts';

const key = deriveKey('a secret of the installation', 'test');
const place = placeOf({ table: 'model_setting', column: 'api_key', row: 'openai', organization: 'org_1' });

describe('a sealed credential', () => {
  it('a sealed credential opens at its own place', () => {
    const sealed = seal(key, 'sk-Ключ-مفتاح', place);
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toContain('sk-');
    expect(open(key, sealed, place)).toBe('sk-Ключ-مفتاح');
    expect(open(key, seal(key, '', place), place)).toBe('');
  });

  it('sealing the same text twice has different results', () => {
    expect(seal(key, 'same', place)).not.toBe(seal(key, 'same', place));
  });

  it.each([0, 1, 2, 3])('a credential does not open at another place (part %i of the place)', (part) => {
    const sealed = seal(key, 'value', place);
    expect(() => open(key, sealed, place.with(part, `${place[part]}x`))).toThrow(SealError);
  });

  it('a credential does not open if the parts of its place are split differently', () => {
    const sealed = seal(key, 'value', ['ab', 'c']);
    expect(() => open(key, sealed, ['a', 'bc'])).toThrow(SealError);
    expect(() => open(key, sealed, ['ab', 'c', ''])).toThrow(SealError);
  });

  it('a credential does not open if any byte of it is changed', () => {
    const sealed = seal(key, 'value', place);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const altered = Buffer.from(bytes);
      altered[i]! ^= 1;
      expect(() => open(key, `v1.${altered.toString('base64url')}`, place)).toThrow(SealError);
    }
  });

  it.each([
    ['nothing', () => ''],
    ['no version', (sealed: string) => sealed.slice(3)],
    ['another version', (sealed: string) => sealed.replace('v1', 'v2')],
    ['a cut end', (sealed: string) => sealed.slice(0, -4)],
    ['only a nonce', (sealed: string) => sealed.slice(0, 19)],
    ['extra characters after it', (sealed: string) => `${sealed}.x`],
    ['characters that base64 skips', (sealed: string) => `${sealed.slice(0, 6)}\n${sealed.slice(6)}`],
  ])('a credential does not open with %s', (_what, alter) => {
    expect(() => open(key, alter(seal(key, 'value', place)), place)).toThrow(SealError);
  });

  it('a credential does not open under a key for another purpose or from another secret', () => {
    const sealed = seal(key, 'value', place);
    expect(() => open(deriveKey('a secret of the installation', 'other'), sealed, place)).toThrow(SealError);
    expect(() => open(deriveKey('another secret', 'test'), sealed, place)).toThrow(SealError);
  });
});

describe('the data key of an organization', () => {
  it('a data key is restored from its stored form', () => {
    const { key: dataKey, wrapped } = newDataKey(key, 'org_1');
    const sealed = seal(dataKey, 'value', place);
    expect(open(unwrapDataKey(key, wrapped, 'org_1'), sealed, place)).toBe('value');
  });

  it('a data key cannot be decrypted for another organization', () => {
    const { wrapped } = newDataKey(key, 'org_1');
    expect(() => unwrapDataKey(key, wrapped, 'org_2')).toThrow(SealError);
  });
});
