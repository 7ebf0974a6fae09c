import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText } from './split-text.ts';

test('a text that fits is not split', () => {
  expect(splitText('hello', 5)).toEqual(['hello']);
  expect(splitText('', 5)).toEqual(['']);
});

test('a text is split at paragraphs if possible, otherwise at sentences or words', () => {
  expect(splitText('First one here.\n\nSecond one. Third', 30)).toEqual(['First one here.', 'Second one. Third']);
  expect(splitText('One sentence. Another sentence', 25)).toEqual(['One sentence.', 'Another sentence']);
  expect(splitText('word after word', 12)).toEqual(['word after', 'word']);
});

test('splitting loses no word, exceeds no limit and splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 2, max: 60 }), (text, max) => {
      const parts = splitText(text, max);
      expect(parts.every((part) => part.length <= max && part.isWellFormed())).toBe(true);
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }),
  );
});
