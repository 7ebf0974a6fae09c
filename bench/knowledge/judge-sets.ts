import { readFileSync } from 'node:fs';
import { saidOf } from '../../src/engine/embedded/answer-question.ts';
import { splitDocument } from '../../src/engine/knowledge/split-document.ts';
import type { Finding, Passage } from '../../src/engine/provider.ts';

export const LANGUAGES = ['en', 'ar', 'hi'] as const;

export type QuestionSet = {
  half: 'development' | 'held_out';
  domain: string;
  documents: { id: string; name: string; text: string[] }[];
  /** `expect` empty: the documents do not answer. `reject`: words of a similar thing that must not be in the answer. */
  questions: { question: string; expect: string[]; reject?: string[] }[];
};

export type Verdict = { half: string; question: string; answerable: boolean; good: boolean; said: string };

export const readSets = (language: string): QuestionSet[] => {
  const file = new URL(`./${language}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { sets: QuestionSet[] }).sets;
};

/**
 * A result is good if the expected text is there and nothing of a similar thing, or if there is no answer when none is
 * known.
 */
export const judgeSets = (
  sets: readonly QuestionSet[],
  build: (passages: Passage[]) => { search(question: string, limit: number): Finding[] },
): Verdict[] =>
  sets.flatMap((set) => {
    const knowledge = build(
      set.documents.flatMap(({ id, name, text }) => splitDocument({ id, name, text: text.join('\n') })),
    );
    return set.questions.map(({ question, expect, reject = [] }) => {
      const said = saidOf(knowledge.search(question, 6))
        .map(({ passage }) => passage.text)
        .join(' | ');
      const right =
        expect.length > 0 && expect.every((part) => said.includes(part)) && !reject.some((part) => said.includes(part));
      const good = expect.length > 0 ? right : said === '';
      return { half: set.half, question, answerable: expect.length > 0, good, said };
    });
  });
