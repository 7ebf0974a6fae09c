import type { Finding, KnowledgeSearch, Passage } from '../provider.ts';
import { isEmptyWord, joinedAt, phraseAt, type Term, termsOf, weekdayOf } from './analyze-text.ts';
import { featuresOf, isCount } from './detect-features.ts';
import { foldText, wordsOf } from './fold-text.ts';
import { mendTypo } from './mend-typo.ts';
import { addTermWays, type Demand, readQuestion, WORTH } from './read-question.ts';
import { HEADING_SEPARATOR } from './split-document.ts';
import { stemWord } from './stem-word.ts';

/**
 * Ranked search that knows when it does not know. A plain ranking always has a first place; here a passage is found
 * only when it (with its headings and its document's name) meets the demands of the question: every informative word
 * in some form, the kind of fact asked for, and nothing that tells it to be about a twin. Built in memory from the
 * agent's passages, in time linear in their length.
 */
export const buildKnowledge = (passages: readonly Passage[]): KnowledgeSearch => {
  const index = new Index(passages.slice(0, MAX_PASSAGES));
  return { search: (question, limit) => index.search(question.slice(0, MAX_QUESTION), limit) };
};

/** About a hundred thousand paragraphs, some hundred megabytes: more is for a real search engine. */
export const MAX_PASSAGES = 50_000;
const MAX_QUESTION = 1_000;
const MAX_DEMANDS = 40;
/** Where a word stands decides how much it tells about the passage. */
const FIELD = { text: 1, before: 0.72, heading: 0.96, above: 0.9, document: 0.85 } as const;

type Entry = { passage: Passage; keys: Map<string, number>; length: number };
type Label = { stems: Set<string> };

class Index {
  private readonly entries: Entry[] = [];
  private readonly postings = new Map<string, number[]>();
  /** Stem → the words that have it, for mending typing slips. */
  private readonly vocabulary = new Map<string, string[]>();
  /** Stems by which one of two like-named things is told from the other: "300" of "AquaBoil 300". */
  private readonly telling = new Set<string>();

  constructor(passages: readonly Passage[]) {
    const read = new Map<string, Term[]>();
    const terms = (text: string): Term[] => {
      let found = read.get(text);
      if (found === undefined) read.set(text, (found = termsOf(text)));
      return found;
    };
    const labels = new Map<string, Label>();
    for (const [at, passage] of passages.entries()) {
      const entry = this.readPassage(passage, passages[at - 1], terms);
      for (const key of entry.keys.keys()) {
        const posting = this.postings.get(key);
        if (posting === undefined) this.postings.set(key, [at]);
        else posting.push(at);
      }
      this.entries.push(entry);
      for (const label of labelsOf(passage)) {
        if (!labels.has(label))
          labels.set(label, {
            stems: new Set(
              terms(label)
                .filter((term) => !isEmptyWord(term))
                .map((term) => term.stem),
            ),
          });
      }
    }
    this.findTelling([...labels.values()]);
  }

  search(question: string, limit: number): Finding[] {
    const demands = readQuestion(this.joinWords(question)).slice(0, MAX_DEMANDS);
    for (const demand of demands) this.mend(demand);
    const weights = demands.map((demand) => this.weightOf(demand));
    const candidates = new Set<number>();
    for (const demand of demands) {
      if (demand.force === 'kind') continue;
      for (const key of demand.ways.keys()) for (const at of this.postings.get(key) ?? []) candidates.add(at);
    }
    const found: Finding[] = [];
    for (const at of candidates) {
      const entry = this.entries[at]!;
      const score = this.judge(entry, demands, weights);
      if (
        score !== null &&
        demands.every(({ counts }) => counts === undefined || isCounted(entry.passage.text, counts))
      )
        found.push({ passage: entry.passage, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  /** The score of a passage that answers; null for one that does not. */
  private judge(entry: Entry, demands: readonly Demand[], weights: readonly number[]): number | null {
    let [met, wanted, missing, found, kindMissing, matterMissing] = [0, 0, 0, 0, false, false];
    for (const [at, demand] of demands.entries()) {
      const weight = weights[at]!;
      const shown = shownIn(entry, demand);
      wanted += weight;
      met += weight * shown;
      if (demand.force === 'may') {
        if (demand.term !== null && shown >= SHOWN) found += 0.5;
        continue;
      }
      if (shown >= SHOWN) {
        if (demand.force === 'must') found++;
        continue;
      }
      if (demand.decisive || this.isTelling(demand)) return null;
      if (demand.force === 'kind') kindMissing = true;
      else missing++;
      if (demand.term !== null && demand.term.means.length > 0) matterMissing = true;
    }
    if (wanted === 0) return null;
    const coverage = met / wanted;
    if (kindMissing) return null;
    if (missing > 0 && (matterMissing || missing > 1 || found < 2.5 || coverage < 0.7)) return null;
    if (found === 0 && coverage < 0.7) return null;
    return coverage - 0.01 * Math.log2(1 + entry.length / 12);
  }

  /** "cheque book" where the documents write "chequebook", and the other way round. */
  private joinWords(question: string): string {
    const words = wordsOf(foldText(question));
    const joined: string[] = [];
    for (let at = 0; at < words.length; at++) {
      const [word, next] = [words[at]!, words[at + 1]];
      if (next !== undefined && word.length >= 3 && next.length >= 2 && this.vocabulary.has(stemWord(word + next))) {
        joined.push(word + next);
        at++;
      } else joined.push(this.splitWord(word) ?? word);
    }
    return joined.join(' ');
  }

  private splitWord(word: string): string | null {
    if (word.length < 7 || this.vocabulary.has(stemWord(word)) || termsOf(word)[0]!.means.length > 0) return null;
    for (let at = 3; at <= word.length - 3; at++) {
      const [head, tail] = [word.slice(0, at), word.slice(at)];
      if (this.vocabulary.has(stemWord(head)) && this.vocabulary.has(stemWord(tail))) return `${head} ${tail}`;
    }
    return null;
  }

  private isTelling(demand: Demand): boolean {
    return demand.term !== null && this.telling.has(demand.term.stem);
  }

  private weightOf(demand: Demand): number {
    if (demand.force === 'kind') return 0.8;
    const holding = new Set<number>();
    for (const key of demand.ways.keys()) {
      if (key.startsWith('f:')) continue;
      for (const at of this.postings.get(key) ?? []) holding.add(at);
    }
    const total = this.entries.length + 1;
    const rarity = Math.min(1, Math.max(0, Math.log(total / (holding.size + 0.5)) / Math.log(total)));
    if (demand.force === 'may') return demand.term === null ? 0.15 : 0.3;
    return holding.size === 0 ? 1.1 : 0.2 + 0.8 * rarity;
  }

  private mend(demand: Demand): void {
    const { term } = demand;
    if (term === null || demand.force !== 'must' || term.span > 1 || term.means.length > 0 || term.kindOf.length > 0)
      return;
    for (const key of demand.ways.keys()) if (this.postings.has(key)) return;
    for (const mended of mendTypo(term, this.vocabulary)) {
      if (mended.term !== null) addTermWays(demand.ways, mended.term, WORTH.typo);
      else demand.ways.set(`s:${mended.stem}`, WORTH.typo);
      if (mended.weak) demand.force = 'may';
    }
  }

  private readPassage(passage: Passage, before: Passage | undefined, terms: (text: string) => Term[]): Entry {
    const keys = new Map<string, number>();
    const path = passage.heading?.split(HEADING_SEPARATOR) ?? [];
    const text = terms(passage.text);
    this.addKeys(keys, text, FIELD.text);
    const inText = new Set(keys.keys());
    for (const [at, heading] of path.entries())
      this.addKeys(keys, terms(heading), at === path.length - 1 ? FIELD.heading : FIELD.above);
    this.addKeys(keys, terms(passage.document.replace(/\.[a-z]{2,4}$/i, '').replace(/[-_]/g, ' ')), FIELD.document);
    if (before !== undefined && before.heading === passage.heading && REFERS_BACK.test(passage.text)) {
      this.addKeys(keys, terms(before.text), FIELD.before);
    }
    for (const [key, field] of keys.entries().toArray()) {
      // A heading speaks for a kind ("Pets" for "dog") unless the text names other kinds.
      if (key.startsWith('c:') && (inText.has(key) || !inText.has(`n:${key.slice(2)}`)))
        keys.set(`t:${key.slice(2)}`, field);
    }
    for (const feature of featuresOf(foldText(passage.text))) keys.set(`f:${feature}`, 1);
    return { passage, keys, length: text.length };
  }

  private addKeys(keys: Map<string, number>, terms: readonly Term[], field: number): void {
    const add = (key: string): void => {
      if ((keys.get(key) ?? 0) < field) keys.set(key, field);
    };
    let within = 0;
    for (const [at, term] of terms.entries()) {
      const phrase = phraseAt(terms, at);
      if (phrase !== null) within = Math.max(within, at + phrase.span);
      // Inside "debit card" the card is no card in general.
      addTermKeys(term, add, at >= within);
      this.remember(term);
      if (phrase !== null) addTermKeys(phrase, add, true);
      const joined = joinedAt(terms, at);
      if (joined !== null) add(`s:${joined}`);
      if (at > 0 && /^\d/.test(term.word)) add(`j:${terms[at - 1]!.stem} ${term.stem}`);
    }
    for (const day of daysNamed(terms)) add(`c:day_${day}`);
  }

  private remember(term: Term): void {
    if (/^\d/.test(term.word)) return;
    const words = this.vocabulary.get(term.stem);
    if (words === undefined) this.vocabulary.set(term.stem, [term.word]);
    else if (words.length < 6 && !words.includes(term.word)) words.push(term.word);
  }

  private findTelling(labels: readonly Label[]): void {
    const holders = new Map<string, Label[]>();
    for (const label of labels) {
      for (const stem of label.stems) holders.set(stem, [...(holders.get(stem) ?? []), label]);
    }
    for (const alike of holders.values()) {
      // A word in more labels than this is no name that things share.
      if (alike.length < 2 || alike.length > 50) continue;
      for (const label of alike) {
        for (const stem of label.stems) if (alike.some((other) => !other.stems.has(stem))) this.telling.add(stem);
      }
    }
  }
}

/** Below this a demand is not shown. */
const SHOWN = 0.5;
const REFERS_BACK =
  /^(?:it|its|they|their|this|these|both|he|she|هو|هي|وهو|وهي|يتميز|ويتميز|كما|यह|ये|इस|इसकी|इसका|इसके|इसमें|उनकी|उनका)(?![\p{L}\p{M}])/iu;

const shownIn = (entry: Entry, demand: Demand): number => {
  let best = 0;
  for (const [key, worth] of demand.ways) {
    const field = entry.keys.get(key);
    if (field !== undefined && worth * field > best) best = worth * field;
  }
  return best;
};

/** A number stands near the things that are counted, or they are not counted here. */
const isCounted = (text: string, things: Demand): boolean => {
  const terms = termsOf(text);
  const named = terms.flatMap((term, at) => {
    const keys: string[] = [];
    addTermKeys(term, (key) => keys.push(key), true);
    return keys.some((key) => things.ways.has(key)) ? [at] : [];
  });
  return terms.some((term, at) => isCount(term.word) && named.some((place) => Math.abs(place - at) <= MAX_APART));
};

/** "unlimited local minutes": one word may stand between. */
const MAX_APART = 2;

const addTermKeys = (term: Term, add: (key: string) => void, meanings: boolean): void => {
  add(`s:${term.stem}`);
  if (term.otherStem !== null) add(`s:${term.otherStem}`);
  if (term.skeleton !== null) add(`k:${term.skeleton}`);
  if (!meanings) return;
  for (const concept of term.means) add(`c:${concept}`);
  for (const concept of term.kindOf) add(`n:${concept}`);
};

/** What a passage says it is about: its headings, the label before a colon, the first cell of a table row. */
const labelsOf = (passage: Passage): string[] => {
  const labels = passage.heading?.split(HEADING_SEPARATOR) ?? [];
  const label = /^([^:;.!?؟।]{2,60}):/.exec(passage.text)?.[1];
  const cell = /^[^:;]{1,40}: ([^:;]{1,60});/.exec(passage.text)?.[1];
  return [...labels, ...(cell === undefined ? (label === undefined ? [] : [label]) : [cell])].filter(
    (text) => text.length <= 80,
  );
};

const RANGE = new Set(['to', 'till', 'until', 'through', 'الي', 'حتي', 'لغايه', 'से', 'तक', 'thru']);
const EVERY_DAY = new Set(['daily', 'everyday', 'يوميا', 'रोजाना', 'प्रतिदिन']);

/** "Sunday to Thursday" names the days between, "daily" all of them. */
const daysNamed = (terms: readonly Term[]): number[] => {
  const days: number[] = [];
  for (const [at, term] of terms.entries()) {
    const everyDay = EVERY_DAY.has(term.word) || (term.word === 'every' && terms[at + 1]?.word === 'day');
    if (everyDay) days.push(0, 1, 2, 3, 4, 5, 6);
    const from = weekdayOf(term);
    if (from === null) continue;
    const between = terms[at + 1];
    const direct = between === undefined ? null : weekdayOf(between);
    const last =
      between !== undefined && RANGE.has(between.word) && terms[at + 2] !== undefined
        ? weekdayOf(terms[at + 2]!)
        : null;
    const to = last ?? direct;
    if (to !== null) for (let day = from; day !== to; day = (day + 1) % 7) days.push(day);
  }
  return days;
};
