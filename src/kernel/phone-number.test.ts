import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { describe, expect, test } from 'vitest';
import { isPhoneNumber } from './phone-number.ts';

describe('a phone number', () => {
  test.each(['+97430000000', '+12025550123', '+919999999999', '+201001234567', '+390612345678'])(
    '%s is valid',
    (text) => expect(isPhoneNumber(text)).toBe(true),
  );
  test.each(['97430000000', '+0123456789', '+999123456789', '+1234567', '+9743000', '+1 202 555 0123', '', '+'])(
    '%j is not valid',
    (text) => expect(isPhoneNumber(text)).toBe(false),
  );

  test('exactly the numbers that the library calls possible are valid, for all calling codes and lengths', () => {
    const different: string[] = [];
    for (let code = 1; code < 1000; code++) {
      for (let length = 5; length <= 12; length++) {
        const text = `+${code}${'2'.repeat(length)}`;
        if (text.length <= 8 || text.length > 16) continue;
        // The library also accepts a national prefix after the calling code, which E.164 does not have.
        const parsed = parsePhoneNumberFromString(text);
        if (parsed && parsed.number !== text) continue;
        if (isPhoneNumber(text) !== (parsed?.isPossible() ?? false)) different.push(text);
      }
    }
    expect(different).toEqual([]);
  });
});
