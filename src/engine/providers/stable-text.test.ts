import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { Passage } from '../provider.ts';
import { citePassages } from './cite-passages.ts';
import { createStableText } from './stable-text.ts';

const passages: Passage[] = ['a', 'b', 'c'].map((text) => ({
  document_id: text,
  document: text,
  section: null,
  heading: null,
  text,
}));

const PARTS = [
  ...'Word كلمة 【 】 [ ] ( ) . , ، 1 9 ٢ [1] [2,3] 😀'.split(' '),
  ' ',
  '\n',
  '\t',
  '\u00a0',
  '\0',
  '\ud83d',
  '\ude00',
  ' [2, 3]',
];

/** What a reader sees after each piece, and the message that is stored in the end. */
function show(pieces: string[]): { seen: string[]; stored: string } {
  let text = '';
  const words = { isRead: () => true, add: (more: string) => void (text += more), takeBack: () => void (text = '') };
  const settled = createStableText(words, () => passages);
  const seen = pieces.map((piece) => {
    settled.add(piece);
    return text;
  });
  const { text: whole } = citePassages(pieces.join('').trim(), passages);
  const stored = whole.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
  return { seen, stored };
}

describe('words that are shown before the answer is whole', () => {
  it('deltas are shown at once, without markers', () => {
    expect(show(['We', ' open', ' at nine', ' [', '1', ']', '.']).seen).toEqual([
      'We',
      'We open',
      'We open at nine',
      'We open at nine',
      'We open at nine',
      'We open at nine',
      'We open at nine.',
    ]);
  });

  it('deltas keep brackets that are not markers: links, unknown numbers, words', () => {
    const pieces = ['See [1]', '(https://a.example)', ' or [9]', ' or [x', '].'];
    expect(show(pieces).seen.at(-1)).toBe('See [1](https://a.example) or [9] or [x].');
  });

  it('the shown text is always a beginning of the stored message', () => {
    const part = fc.constantFrom(...PARTS);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.array(fc.nat(8), { maxLength: 40 }), (parts, cuts) => {
        let rest = parts.join('');
        const pieces = cuts.map((length) => {
          const piece = rest.slice(0, length);
          rest = rest.slice(length);
          return piece;
        });
        const { seen, stored } = show([...pieces, rest]);
        for (const text of seen) expect(stored.startsWith(text)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the shown text ends where the message ends, and after a marker that never ends', () => {
    const long = show(['x'.repeat(MAX_MESSAGE_CHARACTERS - 1), 'yz', 'z']);
    expect(long.seen.at(-1)).toBe(long.stored);
    expect(show(['So [', ...Array.from({ length: 2_000 }, () => '1,'), '] what']).seen.at(-1)).toBe('So');
  });
});
