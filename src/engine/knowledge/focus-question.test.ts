import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';
import { focusQuestion } from './focus-question.ts';

describe('the question in a message', () => {
  it.each([
    ['Hello! We moved last week. Do you deliver?', ['Do you deliver?'], 'We moved last week.'],
    ['Hello, do you deliver?', ['do you deliver?'], ''],
    ['السلام عليكم، كم سعر التوصيل؟', ['كم سعر التوصيل؟'], ''],
    ['नमस्ते। हम नए घर में आए हैं। क्या आप सामान पहुँचाते हैं?', ['क्या आप सामान पहुँचाते हैं?'], 'हम नए घर में आए हैं।'],
    [
      'Do you deliver? I live far away. What does it cost?',
      ['Do you deliver?', 'What does it cost?'],
      'I live far away.',
    ],
    ['I use a wheelchair.', ['I use a wheelchair.'], ''],
    ['', [''], ''],
  ])('the question in "%s" is found', (message, questions, story) => {
    expect(focusQuestion(message)).toEqual({ questions, story });
  });

  it('only the latest three questions are used', () => {
    expect(focusQuestion('Is a b? Is c d? Is e f? Is g h?').questions).toEqual(['Is c d?', 'Is e f?', 'Is g h?']);
  });
});

describe('the estimate of tokens', () => {
  it('three letters of English count as a token, and so does each letter of other scripts', () => {
    expect(estimateTokens('a'.repeat(300))).toBe(100);
    expect(estimateTokens('ا'.repeat(300))).toBe(300);
    expect(estimateTokens('क'.repeat(300))).toBe(300);
    expect(estimateTokens('{"1":2}')).toBeGreaterThanOrEqual(4);
    expect(estimateTokens('')).toBe(0);
  });
});
