import { describe, expect, it } from 'vitest';
import { groupQuestions } from './group-questions.ts';

const grouped = async (...texts: string[]) =>
  (await groupQuestions(texts.map((text) => ({ text })))).map((members) => members.map(({ text }) => text));

describe('unanswered questions', () => {
  it('questions with the same stems form one group, whatever the form and order of the words', async () => {
    expect(
      await grouped('Do you wrap gifts?', 'Can you wrap a gift', 'Are gifts wrapped?', 'Where is the museum?'),
    ).toEqual([['Do you wrap gifts?', 'Can you wrap a gift', 'Are gifts wrapped?'], ['Where is the museum?']]);
  });
  it('questions in Arabic match with and without the article and other attached letters', async () => {
    expect(await grouped('هل تغلفون الهدايا؟', 'تغلفون هدايا', 'أين المتحف؟')).toEqual([
      ['هل تغلفون الهدايا؟', 'تغلفون هدايا'],
      ['أين المتحف؟'],
    ]);
  });
  it('questions in Hindi match by their stems', async () => {
    expect(await grouped('क्या आप उपहार लपेटते हैं?', 'उपहार लपेटते हैं क्या')).toHaveLength(1);
  });
  it('questions with the same subject form one group, whatever else they ask', async () => {
    expect(await grouped('Do you sell gift cards for shops?', 'Do you have gift cards?')).toHaveLength(1);
  });
  it('questions that share only a small part stay separate', async () => {
    expect(await grouped('Do you wrap gifts in blue paper for weddings?', 'Do you sell gifts?')).toHaveLength(2);
  });
  it('questions without informative words are grouped by their text', async () => {
    expect(await grouped('?', ' ? ', 'what is it', '')).toHaveLength(3);
  });
});
