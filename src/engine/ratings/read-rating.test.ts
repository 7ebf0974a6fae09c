import { describe, expect, test } from 'vitest';
import { SURVEY_TEXTS } from '../../../contract/ratings.ts';
import { isCommand, isComment, readScore } from './read-rating.ts';

describe('the answer to a survey', () => {
  const labels = SURVEY_TEXTS.ar.scores;

  test.each([
    ['4', 4],
    [' 4. ', 4],
    ['#4', 4],
    ['4/5', 4],
    ['٤', 4],
    ['سيئة جدا', 1],
    ['جيدة جدًا', 5],
  ])('%j is the score %i', (text, score) => {
    expect(readScore(text, labels)).toEqual({ score, rest: '' });
  });

  test.each(['6', '0', '45', '4 tickets please', 'Very good', '', '4,5', 'no'])('%j is no score', (text) => {
    expect(readScore(text, labels)).toBeNull();
  });

  test('the lines after a score are its comment', () => {
    expect(readScore('2\r\n\r\nToo slow\nand rude', labels)).toEqual({ score: 2, rest: 'Too slow\nand rude' });
  });
});

test('a comment has a maximum length, and no control characters except line breaks and tabs', () => {
  expect(isComment('Too slow\n\tand rude')).toBe(true);
  for (const text of ['  ', 'x'.repeat(1_001), 'a\u0000b', 'a\u001bb', 'a\u0085b']) expect(isComment(text)).toBe(false);
});

test('an opt-out, a request for a person and a rule with an action are not comments', () => {
  const rules = [
    { name: 'Bye', words: ['arret'], action: 'opt_out' as const },
    { name: 'Label', words: ['slow'], tag: 'slow' },
  ];
  for (const text of ['STOP', 'I want to talk to a human', 'arret']) expect(isCommand(text, { rules })).toBe(true);
  expect(isCommand('You were slow', { rules })).toBe(false);
  expect(isCommand('I want to talk to a human', { hand_off: { on_request: false } })).toBe(false);
});
