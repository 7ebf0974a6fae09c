import { describe, expect, it } from 'vitest';
import { groupQuestions } from './group-questions.ts';

const grouped = async (...texts: string[]) =>
  (await groupQuestions(texts.map((text) => ({ text })))).map((members) => members.map(({ text }) => text));

describe('unanswered questions', () => {
  it('with the same stems are one, whatever form and order the words have', async () => {
    expect(
      await grouped('Do you wrap gifts?', 'Can you wrap a gift', 'Are gifts wrapped?', 'Where is the museum?'),
    ).toEqual([['Do you wrap gifts?', 'Can you wrap a gift', 'Are gifts wrapped?'], ['Where is the museum?']]);
  });
  it('in Arabic: with and without the article and other attached letters', async () => {
    expect(await grouped('هل تغلفون الهدايا؟', 'تغلفون هدايا', 'أين المتحف؟')).toEqual([
      ['هل تغلفون الهدايا؟', 'تغلفون هدايا'],
      ['أين المتحف؟'],
    ]);
  });
  it('in Hindi', async () => {
    expect(await grouped('क्या आप उपहार लपेटते हैं?', 'उपहार लपेटते हैं क्या')).toHaveLength(1);
  });
  it('with what it is about in common are one, whatever else is asked of it', async () => {
    expect(await grouped('Do you sell gift cards for shops?', 'Do you have gift cards?')).toHaveLength(1);
  });
  it('that only share a small part stay apart', async () => {
    expect(await grouped('Do you wrap gifts in blue paper for weddings?', 'Do you sell gifts?')).toHaveLength(2);
  });
  it('without any informative word are grouped by their text', async () => {
    expect(await grouped('?', ' ? ', 'what is it', '')).toHaveLength(3);
  });
});
