import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KEY_PATTERN } from '../../../contract/key-pattern.ts';
import { REGION_IDS } from '../../../contract/regions.ts';
import { mintKey, parseKey, shownPrefix } from './key-format.ts';

const document = readFileSync(new URL('../../../docs/key-format.md', import.meta.url), 'utf8');
const SCANNER = new RegExp(KEY_PATTERN);

describe('API key format', () => {
  it('the format matches the published test vectors', () => {
    const rows = [...document.matchAll(/^\| `([0-9a-f]{64})` \| (\w\w) \| `(\S+)` \|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const [, entropy, region, value] of rows) {
      expect(mintKey(region as 'us', Buffer.from(entropy!, 'hex'))).toBe(value);
      expect(parseKey(value!)).toEqual({ ok: true, region });
    }
    const refused = [...document.matchAll(/^\| `(\S+)` \| ([a-z].*) \|$/gm)];
    expect(refused.length).toBeGreaterThanOrEqual(6);
    for (const [, value] of refused) expect(parseKey(value!)).toEqual({ ok: false, fault: 'malformed' });
  });

  it('a key contains its region, matches the scanner expression and shows six random characters', () => {
    expect(document).toContain(KEY_PATTERN);
    for (const region of REGION_IDS) {
      for (let i = 0; i < 200; i++) {
        const value = mintKey(region);
        expect(parseKey(value)).toEqual({ ok: true, region });
        expect(SCANNER.exec(`key=${value};`)?.[0]).toBe(value);
        expect(shownPrefix(value)).toBe(value.slice(0, 16));
      }
    }
  });

  it('a key contains the CRC-32 that zlib computes', () => {
    const value = mintKey('qa');
    let check = 0n;
    for (const c of value.slice(53)) {
      check = check * 62n + BigInt('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.indexOf(c));
    }
    expect(Number(check)).toBe(crc32(value.slice(0, 53)));
  });

  it('a key with a changed, missing or added character is refused', () => {
    const value = mintKey('eu', Buffer.alloc(32, 7));
    for (let at = 0; at < value.length; at++) {
      for (const c of ['0', 'z', '_', ' ', 'é', '\u0000', '١']) {
        if (value[at] === c) continue;
        expect(parseKey(value.slice(0, at) + c + value.slice(at + 1)).ok).toBe(false);
      }
      expect(parseKey(value.slice(0, at) + value.slice(at + 1)).ok).toBe(false);
      expect(parseKey(`${value.slice(0, at)}A${value.slice(at)}`).ok).toBe(false);
    }
  });

  it('a key of an unknown region is refused, even with the right checksum', () => {
    const checked = `parley_xx_${'A'.repeat(43)}`;
    let rest = BigInt(crc32(checked));
    let check = '';
    for (let i = 0; i < 6; i++) {
      check = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[Number(rest % 62n)] + check;
      rest /= 62n;
    }
    expect(parseKey(checked + check)).toEqual({ ok: false, fault: 'malformed' });
  });
});
