import { createHash } from 'node:crypto';
import type { Passage } from '../provider.ts';
import { isEmptyWord, termsOf } from './analyze-text.ts';
import { HASH_BYTES, textToEmbed } from './vector-key.ts';
import { respell } from './latin-words.ts';

/**
 * Returns the informative words of a question, in a form without order and inflection. Two questions with the same key
 * ask for the same thing in the same words. The value is empty if the question has no informative word.
 */
export const questionKey = (question: string): string => {
  const stems = termsOf(respell(question))
    .filter((term) => !isEmptyWord(term))
    .map(({ stem }) => stem);
  return [...new Set(stems)].sort().join(' ');
};

/**
 * The key under which wordings of a passage are stored. The key changes with the text or the headings of the passage.
 */
export const passageKey = (passage: Pick<Passage, 'heading' | 'text'>): string => digestOf(textToEmbed(passage));

export const digestOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, HASH_BYTES * 2);
