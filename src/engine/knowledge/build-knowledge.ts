import type { Finding, KnowledgeSearch, Passage } from '../provider.ts';
import { isEmptyWord, type Term, termsOf } from './analyze-text.ts';
import { isCount } from './detect-features.ts';
import { foldText, wordsOf } from './fold-text.ts';
import { mendTypo } from './mend-typo.ts';
import { addTermKeys, columnsOf, type Entry, labelsOf, readPassage } from './read-passage.ts';
import { addTermWays, type Demand, readQuestion, WORTH } from './read-question.ts';
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
/** A word in more labels than this is no name that two things share. */
const MAX_ALIKE = 50;

type Label = ReadonlySet<string>;

class Index {
  private readonly entries: Entry[] = [];
  private readonly postings = new Map<string, number[]>();
  /** Stem → the words that have it, for mending typing slips. */
  private readonly vocabulary = new Map<string, string[]>();
  /** Stems by which one of two like-named things is told from the other: "300" of "AquaBoil 300". */
  private readonly telling = new Set<string>();
  /** Stems of all that headings and labels name. */
  private readonly names = new Set<string>();

  constructor(passages: readonly Passage[]) {
    const read = new Map<string, Term[]>();
    const terms = (text: string): Term[] => {
      let found = read.get(text);
      if (found === undefined) read.set(text, (found = termsOf(text)));
      return found;
    };
    const labels = new Map<string, Label>();
    for (const [at, passage] of passages.entries()) {
      const entry = readPassage(passage, passages[at - 1], terms);
      this.entries.push(entry);
      for (const key of entry.keys.keys()) {
        const posting = this.postings.get(key);
        if (posting === undefined) this.postings.set(key, [at]);
        else posting.push(at);
      }
      for (const column of columnsOf(passage)) for (const term of terms(column)) this.names.add(term.stem);
      for (const label of labelsOf(passage)) {
        if (labels.has(label)) continue;
        const stems = terms(label).filter((term) => !isEmptyWord(term));
        labels.set(label, new Set(stems.map((term) => term.stem)));
      }
    }
    for (const list of read.values()) for (const term of list) this.remember(term);
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
      if (score === null) continue;
      const counted = demands.every(({ counts }) => counts === undefined || isCounted(entry.passage.text, counts));
      if (counted) found.push({ passage: entry.passage, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  /** The score of a passage that answers; null for one that does not. */
  private judge(entry: Entry, demands: readonly Demand[], weights: readonly number[]): number | null {
    let [met, wanted, missing, found, kindMissing, sure] = [0, 0, 0, 0, false, true];
    for (const [at, demand] of demands.entries()) {
      const weight = weights[at]!;
      const shown = shownIn(entry, demand);
      wanted += weight;
      met += weight * shown;
      if (demand.force === 'may') {
        if (!demand.general && shown >= SHOWN) found += 0.5;
        continue;
      }
      if (shown >= SHOWN) {
        if (demand.force === 'must') found++;
        continue;
      }
      if (demand.decisive || this.isTelling(demand)) return null;
      if (demand.force === 'kind') kindMissing = true;
      else missing++;
      sure &&= this.mayBeParaphrase(demand, demands);
    }
    if (wanted === 0) return null;
    const coverage = met / wanted;
    if (kindMissing) return null;
    if (missing > 0 && (!sure || missing > 1 || found < 2 || coverage < 0.55)) return null;
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

  /**
   * A word that no document has may only be another way to put what the passage says. It is not when it names a
   * matter we know, when some other passage has it, or when it stands beside a name: "Wave Ultra" is no "Wave".
   */
  private mayBeParaphrase(demand: Demand, demands: readonly Demand[]): boolean {
    const { term, at } = demand;
    if (term === null || at === null || term.means.length > 0 || term.kindOf.length > 0) return false;
    if ([...demand.ways.keys()].some((key) => this.postings.has(key))) return false;
    return !demands.some(
      (other) =>
        other.at !== null && other.term !== null && Math.abs(other.at - at) === 1 && this.names.has(other.term.stem),
    );
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
    if (demand.force === 'may') {
      if (demand.term !== null && this.names.has(demand.term.stem)) return 0.7;
      return demand.general ? 0.15 : 0.3;
    }
    return holding.size === 0 ? 1.1 : 0.2 + 0.8 * rarity;
  }

  private mend(demand: Demand): void {
    const { term } = demand;
    if (term === null || demand.force !== 'must' || term.span > 1) return;
    if (term.means.length > 0 || term.kindOf.length > 0) return;
    for (const key of demand.ways.keys()) if (this.postings.has(key)) return;
    for (const mended of mendTypo(term, this.vocabulary)) {
      if (mended.term !== null) addTermWays(demand.ways, mended.term, WORTH.typo);
      else demand.ways.set(`s:${mended.stem}`, WORTH.typo);
      if (mended.weak) demand.force = 'may';
    }
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
      for (const stem of label) {
        this.names.add(stem);
        const alike = holders.get(stem);
        if (alike === undefined) holders.set(stem, [label]);
        else if (alike.length <= MAX_ALIKE) alike.push(label);
      }
    }
    for (const alike of holders.values()) {
      if (alike.length < 2 || alike.length > MAX_ALIKE) continue;
      for (const label of alike) {
        for (const stem of label) if (alike.some((other) => !other.has(stem))) this.telling.add(stem);
      }
    }
  }
}

/** Below this a demand is not shown. */
const SHOWN = 0.5;

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
