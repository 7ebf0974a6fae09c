import { expect, test } from 'vitest';
import { shownText } from './shown-text.ts';

test.each([
  ['\u202e0001', String.raw`\u{202e}0001`],
  ['A\u200b-1\u0007', String.raw`A\u{200b}-1\u{7}`],
  ['\u2066x\u2069\u{e0041}', String.raw`\u{2066}x\u{2069}\u{e0041}`],
])('an invisible character in an argument is made visible: %j', (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

test('visible characters of any language are shown unchanged', () => {
  for (const text of ['Order A-1\n\tLamp', 'طلب رقم ١٢', 'می‌خواهم', '👩‍💻', 'ग्राहक']) expect(shownText(text)).toBe(text);
});
