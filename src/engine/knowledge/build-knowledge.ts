import { type Answer, type Finding, type Gathered, MAX_QUESTION_CHARACTERS, type Passage } from '../provider.ts';
import { isEmptyWord, type Term, termsOf } from './analyze-text.ts';
import { type Candidate, factsOf, type IndexView, type Rest, signalsOf } from './answer-signals.ts';
import { chanceOf, decide, nearOf, type Weighed } from './decide-answer.ts';
import { ANSWER_AT } from './decision-weights.ts';
import { isCount } from './detect-features.ts';
import { offerSections, rankedFirst, sectionAround } from './find-sections.ts';
import { focusQuestion } from './focus-question.ts';
import { foldText, type Writing, wordsOf, writingOf } from './fold-text.ts';
import { gatherSections, tokensOf } from './gather-sections.ts';
import { fuseRanks } from './fuse-ranks.ts';
import { GramTable } from './gram-table.ts';
import { KeyTable } from './key-table.ts';
import { respell } from './latin-words.ts';
import { questionKey } from './question-key.ts';
import { type Asked, rankPassages, type Ranked } from './rank-passages.ts';
import { addTermKeys, columnsOf, labelsOf, readPassage } from './read-passage.ts';
import { type Demand, readQuestion } from './read-question.ts';
import type { PausableWork } from './pausable-work.ts';
import { textToEmbed } from './vector-key.ts';
import type { VectorTable } from './vector-table.ts';
import { Vocabulary } from './vocabulary.ts';

/**
 * Two searches over an agent's passages. The search `gather` ranks passages for a model and prefers recall. The search
 * `answer` selects the quotes of an agent without a model, and detects that no passage answers. A passage is found only
 * if it (with its headings and its document's name) meets the demands of the question: every informative word in some
 * form, the kind of fact that was asked for, and no evidence for a similar but different thing. If no passage is found,
 * the ranking decides which sections may be offered. The index is built in memory from the agent's passages, in time
 * linear in their length. Building and searching run in steps, so that the thread that serves many agents can switch
 * between them.
 */
export class KnowledgeIndex {
  private readonly passages: Passage[] = [];
  /** The number of words in the text of each passage. */
  private readonly lengths: number[] = [];
  private readonly keys = new KeyTable();
  private readonly grams = new GramTable();
  private readonly vocabulary = new Vocabulary();
  /** The number of tokens that all passages need in a model's prompt. */
  private tokens = 0;
  /** The stems that distinguish two things with similar names, such as "300" of "AquaBoil 300". */
  private readonly telling = new Set<string>();
  /** The stems of all names that occur in headings and labels. */
  private readonly names = new Set<string>();
  /** During the build only: recently read texts, and the stems of each label. */
  private readonly read = new Map<string, Term[]>();
  private readonly labels = new Map<string, Label>();
  /** The passages of a document for each wording of a question that was learned from people. */
  private readonly wordings = new Map<string, { places: number[]; section: boolean }>();
  private textBytes = 0;

  /** The approximate memory in bytes, which is accurate enough to limit the total of many indexes. */
  get bytes(): number {
    return this.keys.bytes + this.grams.bytes + this.vocabulary.bytes + this.textBytes;
  }

  get isFull(): boolean {
    return this.passages.length >= MAX_PASSAGES || this.bytes >= MAX_INDEX_BYTES;
  }

  /** Adds the next passage. Passages after `isFull` are ignored. */
  add(passage: Passage): void {
    if (this.isFull) return;
    const { keys, length } = readPassage(passage, this.passages.at(-1), (text) => this.termsOf(text));
    this.passages.push(passage);
    this.lengths.push(length);
    this.keys.add(keys);
    const { wordings = [] } = passage;
    const texts = [passage.document, passage.heading ?? '', passage.text, ...wordings.map(({ question }) => question)];
    this.grams.add(texts.flatMap((text) => this.termsOf(text)));
    for (const { question, section, written } of wordings) {
      const key = written ? '' : questionKey(question);
      if (key !== '') this.learn(key, section);
      this.textBytes += PASSAGE_BYTES + 2 * (key.length + question.length);
    }
    this.tokens += tokensOf(passage);
    const { heading, section, text } = passage;
    this.textBytes += PASSAGE_BYTES + 2 * (text.length + (heading?.length ?? 0) + (section?.length ?? 0));
    for (const column of columnsOf(passage)) for (const term of this.termsOf(column)) this.names.add(term.stem);
    for (const label of labelsOf(passage)) {
      if (this.labels.has(label)) continue;
      const stems = this.termsOf(label).filter((term) => !isEmptyWord(term));
      this.labels.set(label, new Set(stems.map((term) => term.stem)));
    }
  }

  /**
   * An answer that a member wrote may have several passages. A wording without `section` belongs only to the last
   * passage.
   */
  private learn(key: string, section: boolean): void {
    const at = this.passages.length - 1;
    const before = this.wordings.get(key)?.places ?? [];
    const isSame = before.length > 0 && this.passages[before[0]!]!.document_id === this.passages[at]!.document_id;
    this.wordings.set(key, { places: isSame && !section ? [...before, at] : [at], section });
  }

  /** Call this method after the last passage and before the first search. */
  *close(): PausableWork<void> {
    yield* this.keys.close();
    yield* this.grams.close();
    yield* this.findTelling([...this.labels.values()]);
    this.labels.clear();
    this.read.clear();
  }

  /** Finds the result for a person's question, which is an answer, sections to choose from, or nothing. */
  *answer(message: string): PausableWork<Answer> {
    const learned = this.learnedFor(message);
    if (learned !== null) return { findings: learned, offers: [] };
    const weighed = yield* this.weigh(message);
    const answered = new Map<number, Finding>();
    const unclear: Weighed[] = [];
    for (const one of weighed) {
      const decision = this.isHeadingOf(message, one) ? 'answer' : decide(one);
      if (decision === 'ask') unclear.push(one);
      if (decision === 'answer') for (const at of one.candidates[0]!.at) answered.set(at, one.findingOf(at));
    }
    if (answered.size > 0) return { findings: inOrder([...answered].slice(0, MAX_SAID)), offers: [] };
    // If a message has several unclear questions, the agent asks back about the likeliest.
    const [first] = unclear.toSorted((a, b) => b.near - a.near);
    return { findings: [], offers: first?.offers ?? [] };
  }

  /** A question in the words of a stored wording is answered from the passage of the wording. */
  private learnedFor(message: string): Finding[] | null {
    if (this.wordings.size === 0) return null;
    const known = this.wordings.get(questionKey(message.slice(0, MAX_QUESTION_CHARACTERS)));
    if (known === undefined) return null;
    const [first] = known.places;
    const places = known.section ? sectionAround(this.passages, first!) : known.places;
    return places.slice(0, MAX_SAID).map((at) => ({ passage: this.passages[at]!, score: 1 }));
  }

  /** A question with the words of a heading is answered from its section, whatever kind of fact the section states. */
  private isHeadingOf(message: string, { candidates }: Weighed): boolean {
    const at = candidates[0]?.at[0];
    const heading = at === undefined ? undefined : this.passages[at]!.heading;
    const asked = lineOf(message.slice(0, MAX_QUESTION_CHARACTERS));
    // Each heading follows the headings above it.
    return asked.split(' ').length > 2 && heading != null && ` ${lineOf(heading)}`.endsWith(` ${asked}`);
  }

  /** Finds the candidates for each question of a message, with the signals for the decision. */
  *weigh(message: string): PausableWork<Weighed[]> {
    const asked = yield* this.focus(message, '');
    const around = asked.filter(({ worth }) => worth < 1);
    const weighed: Weighed[] = [];
    const writing = writingOf(respell(message.slice(0, MAX_QUESTION_CHARACTERS)));
    for (const one of asked) {
      // A number alone, such as the number of a choice, is not a question.
      if (one.worth === 1 && one.terms.some(({ word }) => /\p{L}/u.test(word)))
        weighed.push(yield* this.weighOne(one, around, writing));
    }
    return weighed;
  }

  private *weighOne(one: Asked, around: readonly Asked[], writing: Writing): PausableWork<Weighed> {
    const ranked = yield* this.score([one, ...around]);
    const strict = saidOf(yield* this.search(one.demands), writing);
    const group = strict.map(({ at }) => at);
    const order = rankedFirst(ranked.scores).slice(0, MAX_CANDIDATES);
    const places: Candidate[] = group.length === 0 ? [] : [{ at: group, coverage: Math.max(0.01, strict[0]!.score) }];
    for (const at of order) if (!group.includes(at)) places.push({ at: [at], coverage: 0 });
    const view: IndexView = {
      keys: this.keys,
      passages: this.passages,
      isTelling: (demand) => this.isTelling(demand),
    };
    const facts = factsOf(one, around.length === 0, view);
    const candidates: Weighed['candidates'] = [];
    for (const place of places) {
      yield;
      const signals = signalsOf(facts, place, ranked, this.restOf(place, order, ranked), view);
      candidates.push({ at: place.at, signals, chance: chanceOf(signals) });
    }
    candidates.sort((a, b) => b.chance - a.chance);
    // If a section exists in two languages, it is offered in one language only.
    const isInWriting = ({ at }: Weighed['candidates'][number]): boolean =>
      writingIn(this.findingAt(at[0]!, ranked.scores)) === writing;
    const inWriting = candidates.filter(isInWriting);
    const isForeign = inWriting.length > 0 && inWriting[0] !== candidates[0];
    const foreign = isForeign && candidates[0]!.chance >= ANSWER_AT ? [candidates[0]!] : [];
    const offered = inWriting.length > 0 ? [...foreign, ...inWriting] : candidates;
    const { offers, chances } = offerSections(this.passages, offered);
    return {
      candidates,
      offers,
      near: nearOf(candidates[0]?.signals, chances),
      isForeign,
      chances,
      findingOf: (at) => strict.find((found) => found.at === at) ?? this.findingAt(at, ranked.scores),
    };
  }

  private restOf({ at }: Candidate, order: readonly number[], { scores }: Ranked): Rest {
    const own = this.passages[at[0]!]!;
    const best = scores[order[0]!] ?? 1;
    let elsewhere = 0;
    const near = new Set<string>();
    for (const place of order) {
      const { document_id, section } = this.passages[place]!;
      if (document_id === own.document_id && section === own.section) continue;
      elsewhere = Math.max(elsewhere, scores[place]!);
      if (scores[place]! >= NEAR * best) near.add(`${document_id} ${section}`);
    }
    return { best, elsewhere, rivals: near.size };
  }

  /** True if all passages fit into this number of tokens. */
  fits(tokens: number): boolean {
    return this.tokens <= tokens;
  }

  /**
   * Returns the passages that a model receives to answer the message, or all passages if they need at most `tokens`.
   */
  *gather(message: string, earlier: string, tokens: number): PausableWork<Gathered> {
    const documents = [...new Set(this.passages.map(({ document }) => document))].slice(0, MAX_NAMED);
    if (this.fits(tokens)) {
      return { whole: true, findings: this.passages.map((passage) => ({ passage, score: 1 })), documents };
    }
    const { scores } = yield* this.score(yield* this.focus(message, earlier));
    const chosen = yield* gatherSections(this.passages, scores, tokens);
    return { whole: false, findings: chosen.map((at) => this.findingAt(at, scores)), documents };
  }

  /**
   * Gathers passages like `gather`, by words and by meaning. `vector`: the vector of the question. `vectors`: the
   * vectors of the passages. The search by meaning is used only if not all documents are passed.
   */
  *gatherByMeaning(
    message: string,
    earlier: string,
    tokens: number,
    { vector, vectors }: { vector: Int8Array; vectors: VectorTable },
  ): PausableWork<Gathered> {
    const documents = [...new Set(this.passages.map(({ document }) => document))].slice(0, MAX_NAMED);
    const { scores: words } = yield* this.score(yield* this.focus(message, earlier));
    const scores = yield* fuseRanks(words, yield* vectors.search(vector));
    const chosen = yield* gatherSections(this.passages, scores, tokens);
    return { whole: false, findings: chosen.map((at) => this.findingAt(at, scores)), documents, meaning: 'used' };
  }

  get size(): number {
    return this.passages.length;
  }

  /** Maps each key to the indexes of its passages, so that a vector leads to its passages. */
  *placesByKey(keyOf: (text: string) => string): PausableWork<Map<string, number[]>> {
    const places = new Map<string, number[]>();
    for (const [at, passage] of this.passages.entries()) {
      if (at % 100 === 0) yield;
      const key = keyOf(textToEmbed(passage));
      const same = places.get(key);
      if (same) same.push(at);
      else places.set(key, [at]);
    }
    return places;
  }

  /** Ranks all passages that share something with the question, the nearest first. */
  *rank(message: string): PausableWork<Finding[]> {
    const { scores } = yield* this.score(yield* this.focus(message, ''));
    return rankedFirst(scores).map((at) => this.findingAt(at, scores));
  }

  private findingAt(at: number, scores: Float64Array): Finding {
    return { passage: this.passages[at]!, score: scores[at]! };
  }

  private *focus(message: string, earlier: string): PausableWork<Asked[]> {
    const { questions, story } = focusQuestion(message.slice(0, MAX_QUESTION_CHARACTERS));
    const asked: Asked[] = [];
    for (const question of questions) asked.push(yield* this.understand(question, 1));
    if (story !== '') asked.push(yield* this.understand(story, STORY_WORTH));
    if (earlier !== '') asked.push(yield* this.understand(earlier.slice(0, MAX_QUESTION_CHARACTERS), EARLIER_WORTH));
    return asked;
  }

  private *score(asked: readonly Asked[]): PausableWork<Ranked> {
    return yield* rankPassages(this.keys, this.grams, this.passages.length, asked);
  }

  private *understand(question: string, worth: number): PausableWork<Asked> {
    const text = this.vocabulary.joinWords(respell(question, this.vocabulary.writings));
    const demands = readQuestion(text).slice(0, MAX_DEMANDS);
    for (const demand of demands) {
      yield;
      yield* this.vocabulary.mend(demand, (key) => this.keys.has(key));
    }
    // Letters are compared in the spelling of the documents.
    const intended = new Map(demands.map(({ term, intended }) => [term?.word, intended]));
    const terms = termsOf(text).flatMap((term) => {
      const words = intended.get(term.word) ?? [];
      return words.length === 0 || words.length > MAX_INTENDED ? [term] : words.flatMap(termsOf);
    });
    return { demands, terms, worth };
  }

  /** Finds the passages that answer, the best passage first. */
  private *search(demands: readonly Demand[]): PausableWork<Located[]> {
    const weights: number[] = [];
    const candidates = new Set<number>();
    for (const demand of demands) {
      yield;
      weights.push(this.weightOf(demand));
      if (demand.force === 'kind') continue;
      for (const key of demand.ways.keys()) for (const at of this.keys.showing(key)) candidates.add(at);
    }
    const ways = demands.map((demand) => this.waysOf(demand));
    const found: Located[] = [];
    for (const at of candidates) {
      yield;
      const score = this.judge(at, demands, ways, weights);
      if (score === null) continue;
      const passage = this.passages[at]!;
      const counted = demands.every(({ counts }) => counts === undefined || isCounted(passage.text, counts));
      if (counted) found.push({ passage, score, at });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, MAX_FOUND);
  }

  /** Returns the score of a passage that answers. Null: the passage does not answer the question. */
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

  /** Returns the alternatives of a demand that occur in at least one passage. */
  private waysOf({ ways }: Demand): Way[] {
    return [...ways].flatMap(([key, worth]) => {
      const id = this.keys.idOf(key);
      return id === null ? [] : [{ id, worth }];
    });
  }

  /**
   * A word that occurs in no document may be another way to express something in the passage. The word of a question is
   * not a paraphrase if it names a known topic, if another passage has it, or if it is next to a name ("Wave Ultra" is
   * not "Wave").
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

  /** The terms of texts are cached, because headings and names repeat with every passage below them. */
  private termsOf(text: string): Term[] {
    const known = this.read.get(text);
    if (known !== undefined) return known;
    const terms = termsOf(text);
    for (const term of terms) this.vocabulary.add(term);
    if (this.read.size >= MAX_READ) this.read.clear();
    this.read.set(text, terms);
    return terms;
  }

  private *findTelling(labels: readonly Label[]): PausableWork<void> {
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

/**
 * Selects the passages to quote, which are the best passage, and passages that are as good or belong to the same list.
 * If the same answer exists in two languages, only one of them is quoted. The function prefers the answer in the script
 * of the question.
 */
const saidOf = (found: readonly Located[], writing: Writing): Located[] => {
  const best = found.find((finding) => isAsGood(finding, found[0]!) && writingIn(finding) === writing) ?? found[0];
  return best === undefined ? [] : found.filter((finding) => belongsTo(best, finding)).slice(0, MAX_SAID);
};

const belongsTo = (best: Finding, finding: Finding): boolean =>
  finding === best ||
  (finding.score >= best.score * SAME_ANSWER &&
    finding.passage.document_id === best.passage.document_id &&
    finding.passage.heading === best.passage.heading) ||
  (isAsGood(finding, best) && writingIn(finding) === writingIn(best));

/**
 * Sorts the findings so that the best section comes first. The passages of one section keep their order, for example so
 * that opening hours begin with the first day of the week.
 */
const inOrder = (found: readonly [number, Finding][]): Finding[] => {
  const sections = Map.groupBy(found, ([, { passage }]) => `${passage.document_id} ${passage.heading}`);
  return [...sections.values()].flatMap((list) => list.toSorted(([a], [b]) => a - b).map(([, finding]) => finding));
};

const isAsGood = (finding: Finding, best: Finding): boolean => finding.score >= best.score * 0.995;
const writingIn = ({ passage }: Finding): Writing => writingOf(`${passage.heading ?? ''} ${passage.text}`);

/** A demand with a value below SHOWN does not count as met. */
const SHOWN = 0.5;

/** The passage contains the number of things only if the number is near the name of the things. */
const isCounted = (text: string, things: Demand): boolean => {
  const terms = termsOf(text);
  const named = terms.flatMap((term, at) => {
    const keys: string[] = [];
    addTermKeys(term, (key) => keys.push(key), true);
    return keys.some((key) => things.ways.has(key)) ? [at] : [];
  });
  return terms.some((term, at) => isCount(term.word) && named.some((place) => Math.abs(place - at) <= MAX_APART));
};

/** For example, in "unlimited local minutes", one word is between the number and the thing. */
const MAX_APART = 2;

/** The limit is about twenty megabytes of paragraphs. More text needs a separate search engine. */
export const MAX_PASSAGES = 200_000;
/**
 * The index may have this size, which is the size for text without repeated words. Larger documents are ignored after
 * this limit.
 */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** A search finds at most this many passages. Only passages that belong to one answer are quoted. */
const MAX_FOUND = 6;
const MAX_SAID = 5;
/** A passage whose score is below this share of the best score is about another topic. */
const SAME_ANSWER = 0.9;
/** The number of passages in the ranking that are candidates for an answer. */
const MAX_CANDIDATES = 10;
/** Another section competes if its score is at least this share of the best score. */
const NEAR = 0.75;
/** The weight of earlier messages, and of the text around a question. */
const STORY_WORTH = 0.5;
const EARLIER_WORTH = 0.3;
const MAX_NAMED = 50;
const MAX_DEMANDS = 40;
/** At most this many words may replace a misspelled word. If more words are similar, the intended word is unknown. */
const MAX_INTENDED = 2;
/** A word that occurs in more labels does not show that two things are related. */
const MAX_ALIKE = 50;
/** The number of texts whose words are cached while an index is built. */
const MAX_READ = 1_000;
/** The memory of a passage in addition to its letters. */
const PASSAGE_BYTES = 120;

/** `at`: the index of the passage. */
type Located = Finding & { at: number };
type Label = ReadonlySet<string>;
type Way = { id: number; worth: number };

const lineOf = (text: string): string => wordsOf(foldText(text)).join(' ');
