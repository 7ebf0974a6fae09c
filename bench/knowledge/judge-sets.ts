import { readFileSync } from 'node:fs';
import { type buildKnowledge, splitDocument } from '../../test/build-knowledge.ts';
import type { Passage } from '../../src/engine/provider.ts';

export const LANGUAGES = ['en', 'ar', 'hi'] as const;

export type QuestionSet = {
  half:
    | 'development'
    | 'held_out'
    | 'unseen'
    | 'new_trades'
    | 'second_trades'
    | 'third_trades'
    | 'fourth_trades'
    | 'training';
  domain: string;
  documents: { id: string; name: string; text: string | string[] }[];
  /**
   * The list `expect` is empty if the documents do not answer the question. `reject` is text about a similar subject
   * that the answer must not contain. `kind` is the style of the question.
   */
  questions: { question: string; expect: string[]; reject?: string[]; kind?: string }[];
};

export type Verdict = {
  half: string;
  kind: string;
  question: string;
  answerable: boolean;
  /** The possible results of the agent without a model. */
  did: 'answer' | 'offer' | 'nothing';
  /**
   * The agent has a single candidate, so that there is nothing to choose. The candidate's text is shown immediately and
   * marked as uncertain.
   */
  isShown: boolean;
  /** True if the answer or the offered sections contain the expected text and no rejected text. */
  right: boolean;
  answer: string;
};

/** Returns the question sets of this folder, or of a folder below it. */
export const readSets = (language: string, folder = '.'): QuestionSet[] => {
  const file = new URL(`./${folder}/${language}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { sets: QuestionSet[] }).sets;
};

export const passagesOf = ({ documents }: QuestionSet): Passage[] =>
  documents.flatMap(({ id, name, text }) => splitDocument({ id, name, text: [text].flat().join('\n') }));

type Knowledge = Pick<ReturnType<typeof buildKnowledge>, 'answer'>;

/** Returns the result of the agent without a model for each question. */
export const judgeSets = (sets: readonly QuestionSet[], build: (passages: Passage[]) => Knowledge): Verdict[] =>
  sets.flatMap((set) => {
    const knowledge = build(passagesOf(set));
    return set.questions.map(({ question, expect, reject = [], kind }) => {
      const { findings, offers } = knowledge.answer(question);
      const did = findings.length > 0 ? 'answer' : offers.length > 0 ? 'offer' : 'nothing';
      const offered = offers.map((one) => textOf(one.passages));
      const answerText = did === 'answer' ? textOf(findings.map(({ passage }) => passage)) : offered.join(' | ');
      const answerable = expect.length > 0;
      const right =
        answerable &&
        (did === 'offer'
          ? offered.some((one) => holds(one, expect))
          : holds(answerText, expect) && !reject.some((part) => answerText.includes(part)));
      return {
        half: set.half,
        kind: answerable ? (kind ?? 'answerable') : 'none',
        question,
        answerable,
        did,
        isShown: did === 'offer' && offers.length === 1,
        right,
        answer: answerText,
      } as const;
    });
  });

/**
 * True if the agent gives the right answer, or gives no answer because the documents have no answer. An offer is never
 * good.
 */
export const isGood = ({ answerable, did, right }: Verdict): boolean =>
  answerable ? right && did === 'answer' : did === 'nothing';

/** Counts the answerable questions for which the passages of a search contain the answer. */
export const recallOf = (
  sets: readonly QuestionSet[],
  build: (passages: Passage[]) => { find(question: string): readonly Passage[] },
  /** A search also includes the documents in `beside`. */
  beside: readonly QuestionSet[] = [],
): { found: number; of: number } => {
  let [found, of] = [0, 0];
  for (const set of sets) {
    const others = beside.filter((other) => other !== set).flatMap(passagesOf);
    const knowledge = build([...passagesOf(set), ...others]);
    for (const { question, expect } of set.questions) {
      if (expect.length === 0) continue;
      of++;
      if (holds(textOf(knowledge.find(question)), expect)) found++;
    }
  }
  return { found, of };
};

export const textOf = (passages: readonly Passage[]): string => passages.map(({ text }) => text).join(' | ');
export const holds = (text: string, expect: readonly string[]): boolean => expect.every((part) => text.includes(part));
