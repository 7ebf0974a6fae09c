import { buildKnowledge } from '../../test/build-knowledge.ts';
import type { Finding } from '../../src/engine/provider.ts';
import { judgeSets, LANGUAGES, recallOf, readSets, type Verdict } from './judge-sets.ts';

/**
 * Prints the figures of an agent without a model, only as totals. `node bench/knowledge/measure.ts [folder]`. With a
 * folder, such as `new-trades`, the set in that folder is measured. A set in a folder must stay unseen, so do not print
 * its single questions.
 */
type Knowledge = ReturnType<typeof buildKnowledge>;

const folder = process.argv[2];

const percent = (some: number, all: number): string => `${((100 * some) / Math.max(1, all)).toFixed(0)} %`;

for (const language of LANGUAGES) {
  const sets = readSets(language, folder);
  const verdicts = judgeSets(sets, buildKnowledge);
  console.log(`${language}, ${verdicts.length} questions`);
  for (const kind of new Set(verdicts.map((verdict) => verdict.kind))) {
    report(
      kind,
      verdicts.filter((verdict) => verdict.kind === kind),
    );
  }
  report('all', verdicts);
  const beside = folder === undefined ? sets : [...readSets(language), ...sets];
  const among = (find: (knowledge: Knowledge, question: string) => readonly Finding[]) =>
    recallOf(
      sets,
      (passages) => {
        const knowledge = buildKnowledge(passages);
        return { find: (question) => find(knowledge, question).map(({ passage }) => passage) };
      },
      beside,
    );
  const rank = among((knowledge, question) => knowledge.rank(question).slice(0, 8));
  const gather = among((knowledge, question) => knowledge.gather(question, 24_000).findings);
  console.log(
    `  among all documents: recall@8 ${percent(rank.found, rank.of)}, before a model ${percent(gather.found, gather.of)}`,
  );
}

function report(title: string, list: readonly Verdict[]): void {
  const count = (fits: (one: Verdict) => boolean): string => percent(list.filter(fits).length, list.length);
  console.log(
    `  ${title.padEnd(11)} ${String(list.length).padStart(3)}: ` +
      [
        `right at once ${count(atOnce)}`,
        `right within one tap ${count((one) => one.right)}`,
        `honest ${count(isHonest)}`,
        `right or honest within one tap ${count((one) => one.right || isHonest(one))}`,
        `wrong with a source ${count((one) => one.did === 'answer' && !one.right)}`,
        `wrong, marked as uncertain ${count((one) => one.did === 'offer' && one.isShown && !one.right)}`,
        `asks about what no document answers ${count((one) => !one.answerable && one.did === 'offer' && !one.isShown)}`,
      ].join(', '),
  );
}

function atOnce({ right, did }: Verdict): boolean {
  return right && did === 'answer';
}
function isHonest({ answerable, did }: Verdict): boolean {
  return !answerable && did === 'nothing';
}
