import { expect, test } from 'vitest';
import { stepDetail } from './step-details.ts';

test.each([
  ['miss', 'Unanswered 1 in a row.', 'The first unanswered question in this conversation.'],
  ['miss', 'Unanswered 3 in a row.', '3 unanswered questions in a row.'],
  ['search', '2 found', '2 passages'],
  ['passages', 'all 0', 'All documents: 0 passages'],
  ['model', 'gpt-x: length', 'gpt-x, cut at the longest answer'],
  ['fallback', 'dont_know', 'No model gave an answer, so the agent says that it does not know.'],
  ['embedding_failed', 'too_large', 'There are too many documents for it. Parley searched by words.'],
  ['language', 'The person writes ar.', 'The person writes in Arabic.'],
  ['rule', 'The rule "Refund" fits.', 'The rule “Refund” fits.'],
  ['slot', '"Date" was answered.', '“Date” was answered.'],
  ['slot_refused', '"Guests" was not understood: too_large.', '“Guests”: the number is too large.'],
  ['slot_refused', '"Date" was not understood: skip.', '“Date” is required, and the person wanted to skip it.'],
  [
    'slot_refused',
    '"Mail" was not understood: email.',
    '“Mail”: the answer has another form than the question asks for.',
  ],
  ['small_talk', 'This is small talk: thanks.', 'Thanks'],
  ['images', '2', '2 images'],
  ['fallback', 'openai/gpt-x: provider_timeout', 'openai/gpt-x took too long.'],
  ['tool', 'find_order', 'find_order'],
])('a step of the kind %s with the detail %j is shown as a sentence', (kind, detail, sentence) => {
  expect(stepDetail({ kind, detail }, 'en')).toBe(sentence);
});

test('the sentence is in the language of the reader', () => {
  expect(stepDetail({ kind: 'miss', detail: 'Unanswered 1 in a row.' }, 'ar')).toBe(
    'أول سؤال بلا إجابة في هذه المحادثة.',
  );
  expect(stepDetail({ kind: 'search', detail: '2 found' }, 'ar')).toBe('مقطعان');
  expect(stepDetail({ kind: 'slot', detail: '"التاريخ" was skipped.' }, 'ar')).toBe('تُخطّي «التاريخ».');
});
