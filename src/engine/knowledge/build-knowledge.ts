import type { Finding, Passage } from '../provider.ts';
import { isEmptyWord, type Term, termsOf } from './analyze-text.ts';
import { isCount } from './detect-features.ts';
import { foldText, wordsOf } from './fold-text.ts';
import { KeyTable } from './key-table.ts';
import { mendTypo } from './mend-typo.ts';
import { addTermKeys, columnsOf, labelsOf, readPassage } from './read-passage.ts';
import { addTermWays, type Demand, readQuestion, WORTH } from './read-question.ts';
import { stemWord } from './stem-word.ts';
import { runToEnd, type Steps } from './steps.ts';

/**
 * Ranked search that knows when it has no answer. A plain ranking always has a first result. Here a passage is found
 * only if it (with its headings and its document's name) meets the demands of the question: every informative word in
 * some form, the kind of fact that was asked for, and nothing that shows it is about a similar but different thing.
 * Built in memory from the agent's passages, in time linear in their length. Building and searching run in steps, so
 * that the thread that serves many agents can switch between them.
 */
export class KnowledgeIndex {
  private readonly passages: Passage[] = [];
  /** Words in each passage's text. */
  private readonly lengths: number[] = [];
  private readonly keys = new KeyTable();
  /** Stem → the words that have it, for correcting typing errors. */
  private readonly vocabulary = new Map<string, string[]>();
  /** Stems that distinguish two things with similar names: "300" of "AquaBoil 300". */
  private readonly telling = new Set<string>();
  /** Stems of all names in headings and labels. */
  private readonly names = new Set<string>();
  /** Only during the build: texts that were read lately, and the stems of each label. */
  private readonly read = new Map<string, Term[]>();
  private readonly labels = new Map<string, Label>();
  private textBytes = 0;

  /** Memory in bytes, accurate enough to keep many indexes within a limit. */
  get bytes(): number {
    return this.keys.bytes + this.textBytes;
  }

  get isFull(): boolean {
    return this.passages.length >= MAX_PASSAGES || this.bytes >= MAX_INDEX_BYTES;
  }

  /** Adds the next passage; passages after `isFull` are ignored. */
  add(passage: Passage): void {
    if (this.isFull) return;
    const { keys, length } = readPassage(passage, this.passages.at(-1), (text) => this.termsOf(text));
    this.passages.push(passage);
    this.lengths.push(length);
    this.keys.add(keys);
    this.textBytes += PASSAGE_BYTES + 2 * passage.text.length;
    for (const column of columnsOf(passage)) for (const term of this.termsOf(column)) this.names.add(term.stem);
    for (const label of labelsOf(passage)) {
      if (this.labels.has(label)) continue;
      const stems = this.termsOf(label).filter((term) => !isEmptyWord(term));
      this.labels.set(label, new Set(stems.map((term) => term.stem)));
    }
  }

  /** Called after the last passage and before the first search. */
  *close(): Steps<void> {
    yield* this.keys.close();
    yield* this.findTelling([...this.labels.values()]);
    this.labels.clear();
    this.read.clear();
  }

  *search(asked: string, limit: number): Steps<Finding[]> {
    const demands = readQuestion(this.joinWords(asked.slice(0, MAX_QUESTION))).slice(0, MAX_DEMANDS);
    for (const demand of demands) {
      yield;
      yield* this.mend(demand);
    }
    const weights: number[] = [];
    const candidates = new Set<number>();
    for (const demand of demands) {
      yield;
      weights.push(this.weightOf(demand));
      if (demand.force === 'kind') continue;
      for (const key of demand.ways.keys()) for (const at of this.keys.showing(key)) candidates.add(at);
    }
    const ways = demands.map((demand) => this.waysOf(demand));
    const found: Finding[] = [];
    for (const at of candidates) {
      yield;
      const score = this.judge(at, demands, ways, weights);
      if (score === null) continue;
      const passage = this.passages[at]!;
      const counted = demands.every(({ counts }) => counts === undefined || isCounted(passage.text, counts));
      if (counted) found.push({ passage, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  /** The score of a passage that answers; null for one that does not. */
  private judge(
    passage: number,
    demands: readonly Demand[],
    ways: readonly Way[][],
    weights: readonly number[],
  ): number | null {
    let [met, wanted, missing, found, kindMissing, sure] = [0, 0, 0, 0, false, true];
    for (const [at, demand] of demands.entries()) {
      const weight = weights[at]!;
      const shown = this.shownIn(passage, ways[at]!);
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
    return coverage - 0.01 * Math.log2(1 + this.lengths[passage]! / 12);
  }

  private shownIn(passage: number, ways: readonly Way[]): number {
    let best = 0;
    for (const { id, worth } of ways) best = Math.max(best, worth * this.keys.worthIn(passage, id));
    return best;
  }

  /** The ways of a demand that occur in at least one passage. */
  private waysOf({ ways }: Demand): Way[] {
    return [...ways].flatMap(([key, worth]) => {
      const id = this.keys.idOf(key);
      return id === null ? [] : [{ id, worth }];
    });
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
   * A word that occurs in no document may be another way to say what the passage says. It is not a paraphrase when it
   * names a known topic, when another passage has it, or when it stands beside a name: "Wave Ultra" is not "Wave".
   */
  private mayBeParaphrase(demand: Demand, demands: readonly Demand[]): boolean {
    const { term, at } = demand;
    if (term === null || at === null || term.means.length > 0 || term.kindOf.length > 0) return false;
    if ([...demand.ways.keys()].some((key) => this.keys.has(key))) return false;
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
      for (const at of this.keys.showing(key)) holding.add(at);
    }
    const total = this.passages.length + 1;
    const rarity = Math.min(1, Math.max(0, Math.log(total / (holding.size + 0.5)) / Math.log(total)));
    if (demand.force === 'may') {
      if (demand.term !== null && this.names.has(demand.term.stem)) return 0.7;
      return demand.general ? 0.15 : 0.3;
    }
    return holding.size === 0 ? 1.1 : 0.2 + 0.8 * rarity;
  }

  private *mend(demand: Demand): Steps<void> {
    const { term } = demand;
    if (term === null || demand.force !== 'must' || term.span > 1) return;
    if (term.means.length > 0 || term.kindOf.length > 0) return;
    for (const key of demand.ways.keys()) if (this.keys.has(key)) return;
    for (const mended of yield* mendTypo(term, this.vocabulary)) {
      if (mended.term !== null) addTermWays(demand.ways, mended.term, WORTH.typo);
      else demand.ways.set(`s:${mended.stem}`, WORTH.typo);
      if (mended.weak) demand.force = 'may';
    }
  }

  /** Cached: headings and names repeat with every passage below them. */
  private termsOf(text: string): Term[] {
    const known = this.read.get(text);
    if (known !== undefined) return known;
    const terms = termsOf(text);
    for (const term of terms) this.remember(term);
    if (this.read.size >= MAX_READ) this.read.clear();
    this.read.set(text, terms);
    return terms;
  }

  private remember(term: Term): void {
    if (/^\d/.test(term.word)) return;
    const words = this.vocabulary.get(term.stem);
    if (words === undefined) this.vocabulary.set(term.stem, [term.word]);
    else if (words.length < 6 && !words.includes(term.word)) words.push(term.word);
    else return;
    this.textBytes += WORD_BYTES + 2 * term.word.length;
  }

  private *findTelling(labels: readonly Label[]): Steps<void> {
    const holders = new Map<string, Label[]>();
    for (const label of labels) {
      yield;
      for (const stem of label) {
        this.names.add(stem);
        const alike = holders.get(stem);
        if (alike === undefined) holders.set(stem, [label]);
        else if (alike.length <= MAX_ALIKE) alike.push(label);
      }
    }
    for (const alike of holders.values()) {
      if (alike.length < 2 || alike.length > MAX_ALIKE) continue;
      yield;
      for (const label of alike) {
        for (const stem of label) if (alike.some((other) => !other.has(stem))) this.telling.add(stem);
      }
    }
  }
}

/** Below this value a demand is not met. */
const SHOWN = 0.5;

/** A passage counts things only if a number stands near them. */
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

/** The index of these passages, built in one go. */
export const buildKnowledge = (passages: Iterable<Passage>) => {
  const index = new KnowledgeIndex();
  for (const passage of passages) index.add(passage);
  runToEnd(index.close());
  return { search: (question: string, limit: number): Finding[] => runToEnd(index.search(question, limit)) };
};

/** About twenty megabytes of paragraphs: more needs a real search engine. */
export const MAX_PASSAGES = 200_000;
/** The size of an index for text without repeated words; the rest of such documents is not read. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
const MAX_QUESTION = 1_000;
const MAX_DEMANDS = 40;
/** A word in more labels than this does not relate two things to each other. */
const MAX_ALIKE = 50;
/** How many texts are cached, as words, while an index is built. */
const MAX_READ = 1_000;
/** Overhead of a passage and of a word, without their letters. */
const PASSAGE_BYTES = 120;
const WORD_BYTES = 150;

type Label = ReadonlySet<string>;
type Way = { id: number; worth: number };
