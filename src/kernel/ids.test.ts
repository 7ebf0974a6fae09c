import { expect, test } from 'vitest';
import { derivedId, firstId, newId, timeOfId } from './ids.ts';

test('an ID is a UUIDv7 in base32', () => {
  // 48 bits of time, and SHA-256 of "x" (2d711642b726b0440162) with version and variant.
  expect(derivedId('run', 1_700_000_000_000, 'x')).toBe(`run_${base32('018bcfe568007d719642b726b0440162')}`);
});

test.each([0, 1, 1_023, 2 ** 32, 1_700_000_000_000, 2 ** 48 - 1])('an ID contains its time: %d', (at) => {
  expect(timeOfId(newId('run', at))).toBe(at);
  expect(newId('run', at).startsWith(firstId('run', at))).toBe(true);
});

test('IDs of one millisecond differ, and a later ID sorts after an earlier one', () => {
  const ids = Array.from({ length: 2_000 }, () => newId('msg', 1_700_000_000_000));
  expect(new Set(ids).size).toBe(2_000);
  expect(newId('msg', 1_700_000_000_001) > ids.toSorted().at(-1)!).toBe(true);
});

const base32 = (hex: string): string => {
  let value = BigInt(`0x${hex}`);
  let text = '';
  for (let digit = 0; digit < 26; digit++, value >>= 5n)
    text = '0123456789abcdefghjkmnpqrstvwxyz'[Number(value & 31n)] + text;
  return text;
};
