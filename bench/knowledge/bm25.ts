import type { Finding, Passage } from '../../src/engine/provider.ts';

/**
 * Ranks with Robertson's BM25 over the lower-case words of heading and text, as the baseline. The ranking of BM25
 * contains every passage.
 */
export const bm25 = (passages: readonly Passage[]) => {
  const documents = passages.map((passage) => wordsOf(`${passage.heading ?? ''} ${passage.text}`));
  const average = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length);
  const frequency = new Map<string, number>();
  for (const words of documents) for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return {
    search: (question: string): Finding[] => {
      const scored = documents.map((words, at) => {
        let score = 0;
        for (const word of new Set(wordsOf(question))) {
          const times = words.filter((one) => one === word).length;
          const holding = frequency.get(word) ?? 0;
          const rarity = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
          score += (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
        }
        return { passage: passages[at]!, score };
      });
      return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
    },
  };
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
