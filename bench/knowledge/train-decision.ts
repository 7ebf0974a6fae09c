import { writeFileSync } from 'node:fs';
import { SIGNALS, type Signals } from '../../src/engine/knowledge/answer-signals.ts';
import { buildKnowledge } from '../../test/build-knowledge.ts';
import { answerFeatures, logistic, sectionFeatures } from '../../src/engine/knowledge/decide-answer.ts';
import { offerSections } from '../../src/engine/knowledge/find-sections.ts';
import type { Passage } from '../../src/engine/provider.ts';
import { fit } from './logistic-regression.ts';
import { holds, LANGUAGES, passagesOf, type QuestionSet, readSets, textOf } from './judge-sets.ts';

/**
 * Trains the decision of the agent without a model (`src/engine/knowledge/decide-answer.ts`) on the question sets of
 * this folder and of `NEW_FOLDERS`, and never on the sets in other folders. `node bench/knowledge/train-decision.ts
 * [--write]`, then `npm run format`.
 *
 * Each domain is judged by weights that were trained without it (leave one domain out). The thresholds follow from the
 * results of the separately trained weights. `ANSWER_AT` is the lowest chance at which at most `WRONG_GOAL` of the
 * questions get a wrong answer. This limit holds for each half of the questions, and for the new trades of each
 * language. `ASK_AT` is the highest probability at which the numbers of right sections and honest answers are almost at
 * their maximum.
 */

/**
 * The limit of wrong answers is below the target of 4 %, because the lexicon knows the trained domains better than a
 * new domain.
 */
const WRONG_GOAL = 0.03;
/** The number of passages in a part of a document, and the fraction 1/n of its unanswerable questions that are used. */
const PART = 7;
const UNANSWERED = 6;
/** If the agent asks the person less often, few answers are lost, and unanswerable questions get an honest answer. */
const ALMOST = 0.99;
/** The training weight of a question that is asked against a part of a document. */
const PART_WEIGHT = 0.25;
/**
 * The lexicon was written with the older sets, so new trades resemble the questions of `training` more than those of
 * the older sets.
 */
const NEW_WEIGHT = 3;
const CHANCES = Array.from({ length: 95 }, (_, at) => (at + 5) / 100);
const HALVES = ['development', 'held_out', 'unseen', 'training', 'new_trades', 'second_trades'];
const OLD_HALVES = new Set(['development', 'held_out', 'unseen']);
/** The sets whose questions resemble those of new agents most. */
const NEW_FOLDERS = ['training', 'new-trades', 'second-trades'];

type Question = {
  domain: string;
  language: string;
  half: string;
  weight: number;
  answerable: boolean;
  passages: readonly Passage[];
  candidates: { at: readonly number[]; signals: Signals; isRight: boolean }[];
  hasSection(offers: { passages: Passage[] }[]): boolean;
};

const questions = LANGUAGES.flatMap((language) => trainingSets(language).flatMap((set) => read(language, set)));
const parts = LANGUAGES.flatMap((language) => trainingSets(language).flatMap((set) => readParts(language, set)));
const domains = [...new Set(questions.map(({ domain }) => domain))];
console.log(`${questions.length} questions of ${domains.length} domains, ${parts.length} to parts of documents`);

const judged = domains.flatMap((domain) => {
  const model = train([...questions, ...parts].filter((one) => one.domain !== domain));
  return questions.filter((one) => one.domain === domain).map((one) => judge(one, model));
});
/** The goal of few wrong answers holds for each half, and for the new trades of each language. */
const groups = [
  ...HALVES.map((half) => judged.filter((one) => one.half === half)),
  ...LANGUAGES.map((language) => judged.filter((one) => one.language === language && !OLD_HALVES.has(one.half))),
];
const answerAt = CHANCES.find((threshold) =>
  groups.every(
    (list) => list.filter((one) => one.chance >= threshold && !one.isRight).length / list.length <= WRONG_GOAL,
  ),
)!;
const most = Math.max(...CHANCES.map(goodAt));
const askAt = CHANCES.findLast((threshold) => goodAt(threshold) >= ALMOST * most)!;
console.log(`answer at ${answerAt.toFixed(2)}, ask at ${askAt.toFixed(2)}; each domain by weights of the others:`);
for (const language of [...LANGUAGES, 'all']) {
  for (const half of [...HALVES, 'all']) {
    report(
      `${language} ${half}`,
      judged.filter((one) => [one.language, 'all'].includes(language) && [one.half, 'all'].includes(half)),
    );
  }
}
const model = train([...questions, ...parts]);
for (const [at, name] of ['constant', ...SIGNALS].entries()) console.log(`  ${name}: ${model.answer[at]!.toFixed(2)}`);
if (process.argv.includes('--write')) write();

function trainingSets(language: string): QuestionSet[] {
  return [...readSets(language), ...NEW_FOLDERS.flatMap((folder) => readSets(language, folder))];
}

type Model = { answer: number[]; section: number[] };
type Judged = Question & { chance: number; near: number; isRight: boolean; inOffers: boolean };

/**
 * Asks the questions of a set against parts of its documents. New agents have few passages, so most parts of a document
 * do not answer the question, although they are about the same trade.
 */
function readParts(language: string, set: QuestionSet): Question[] {
  const passages = passagesOf(set);
  return Array.from({ length: Math.floor(passages.length / PART) }, (_, part) => {
    const own = passages.slice(part * PART, (part + 1) * PART);
    const questions = set.questions.flatMap((one, at) => {
      const isAnswered = one.expect.length > 0 && own.some(({ text }) => holds(text, one.expect));
      if (!isAnswered && (at + part) % UNANSWERED !== 0) return [];
      return [{ ...one, expect: isAnswered ? one.expect : [] }];
    });
    return read(language, { ...set, questions }, own, PART_WEIGHT);
  }).flat();
}

function read(language: string, set: QuestionSet, passages = passagesOf(set), weight = 1): Question[] {
  const knowledge = buildKnowledge(passages);
  return set.questions.flatMap(({ question, expect, reject = [] }) => {
    const answerable = expect.length > 0;
    // A message may contain several questions. The set gives the answer to the last question of a message.
    const weighed = knowledge.weigh(question).at(-1);
    const candidates = (weighed?.candidates ?? []).map(({ at, signals }) => {
      const answerText = textOf(at.map((place) => passages[place]!));
      const isRight = answerable && holds(answerText, expect) && !reject.some((part) => answerText.includes(part));
      return { at, signals, isRight };
    });
    return {
      domain: `${language} ${set.domain}`,
      language,
      half: set.half,
      weight: weight * (OLD_HALVES.has(set.half) ? 1 : NEW_WEIGHT),
      answerable,
      passages,
      candidates,
      hasSection: (offers: { passages: Passage[] }[]) =>
        answerable && offers.some((offer) => holds(textOf(offer.passages), expect)),
    };
  });
}

function train(list: readonly Question[]): Model {
  const answer = fit(
    list.flatMap(({ candidates, weight }) =>
      candidates.map(({ signals, isRight }) => ({ features: answerFeatures(signals), isTrue: isRight, weight })),
    ),
  );
  const section = fit(
    list.flatMap((one) => {
      const { features, inOffers } = sectionsOf(one, answer);
      return features === null ? [] : [{ features, isTrue: inOffers, weight: one.weight }];
    }),
  );
  return { answer, section };
}

function sectionsOf(one: Question, answer: readonly number[]) {
  const candidates = one.candidates
    .map((candidate) => ({ ...candidate, chance: logistic(answer, answerFeatures(candidate.signals)) }))
    .toSorted((a, b) => b.chance - a.chance);
  const { offers, chances } = offerSections(one.passages, candidates);
  const best = candidates[0];
  return {
    best,
    features: best === undefined ? null : sectionFeatures(best.signals, chances),
    inOffers: one.hasSection(offers),
  };
}

function judge(one: Question, { answer, section }: Model): Judged {
  const { best, features, inOffers } = sectionsOf(one, answer);
  return {
    ...one,
    chance: best?.chance ?? 0,
    isRight: best?.isRight ?? false,
    near: features === null ? 0 : logistic(section, features),
    inOffers,
  };
}

/**
 * Counts the questions with a right answer, right sections or an honest answer if sections are offered from this
 * probability on.
 */
function goodAt(threshold: number): number {
  const good = judged.filter((one) => {
    if (one.chance >= answerAt) return false;
    return one.near >= threshold ? one.inOffers : !one.answerable;
  });
  return good.reduce((sum, { weight }) => sum + weight, 0);
}

function answers({ chance }: Judged): boolean {
  return chance >= answerAt;
}
function asks(one: Judged): boolean {
  return !answers(one) && one.near >= askAt;
}
function honest(one: Judged): boolean {
  return !one.answerable && !answers(one) && !asks(one);
}

function report(title: string, list: readonly Judged[]): void {
  const share = (fits: (one: Judged) => boolean): string =>
    `${((100 * list.filter(fits).length) / Math.max(1, list.length)).toFixed(0)} %`;
  const none = list.filter((one) => !one.answerable);
  console.log(
    `${title.padEnd(16)} ${String(list.length).padStart(3)}: at once ${share((one) => answers(one) && one.isRight)}, within one tap or honest ${share((one) => (answers(one) ? one.isRight : asks(one) ? one.inOffers : honest(one)))}, wrong ${share((one) => answers(one) && !one.isRight)}, asks ${share(asks)}; of ${none.length} without an answer: honest ${none.filter(honest).length}, asks ${none.filter(asks).length}, answers ${none.filter(answers).length}`,
  );
}

function listOf(weights: readonly number[]): string {
  return `[\n${weights.map((one) => `  ${one.toFixed(4)},`).join('\n')}\n]`;
}

function write(): void {
  writeFileSync(
    new URL('../../src/engine/knowledge/decision-weights.ts', import.meta.url),
    `/**
 * Written by \`node bench/knowledge/train-decision.ts --write\`: do not edit. Trained on the ${questions.length} questions of
 * ${domains.length} domains in \`bench/knowledge/*.json\`, \`training\`, \`new-trades\` and \`second-trades\`. The thresholds allow ${100 * WRONG_GOAL} % wrong answers on domains that were
 * left out of the training.
 */
export const ANSWER_WEIGHTS: readonly number[] = ${listOf(model.answer)};

export const SECTION_WEIGHTS: readonly number[] = ${listOf(model.section)};

/** At this probability or a higher one, the agent gives a candidate as the answer. */
export const ANSWER_AT = ${answerAt};

/** At this probability or a higher one, the agent asks which section the person means. */
export const ASK_AT = ${askAt};
`,
  );
}
