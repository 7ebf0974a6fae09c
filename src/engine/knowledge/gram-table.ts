import { isEmptyWord, type Term } from './analyze-text.ts';

/**
 * Ranks passages by the letters that their words share with a question: groups of three letters, with the weights of
 * BM25. The ranking finds passages that stems miss: other forms of a word, compounds, typing errors, names in several
 * spellings. The groups are stored as hashes in flat arrays that are about as large as the text.
 */
export class GramTable {
  /** The hashes of the groups, passage by passage, which are removed when the table is closed. */
  private cells = new Uint32Array(1_024);
  private ends: number[] = [];
  private postings = new Uint32Array(0);
  private postingStarts = new Uint32Array(1);
  private mask = 0;
  /** The average number of groups in a passage. */
  private average = 1;

  get bytes(): number {
    const groups = this.ends.at(-1) ?? 0;
    return 4 * groups + 8 * this.ends.length + 4 * bucketsFor(groups);
  }

  add(terms: readonly Term[]): void {
    const groups = lettersOf(terms);
    const start = this.ends.at(-1) ?? 0;
    if (start + groups.size > this.cells.length) {
      const larger = new Uint32Array(Math.max(start + groups.size, 2 * this.cells.length));
      larger.set(this.cells);
      this.cells = larger;
    }
    let at = start;
    for (const group of groups) this.cells[at++] = group;
    this.ends.push(at);
  }

  /**
   * Inverts the table, so that each group leads to its passages. The inversion of the table has one step for each
   * passage.
   */
  *close(): Generator<void, void> {
    const groups = this.ends.at(-1) ?? 0;
    this.mask = bucketsFor(groups) - 1;
    this.average = Math.max(1, groups / Math.max(1, this.ends.length));
    const next = new Uint32Array(this.mask + 2);
    for (let at = 0; at < groups; at++) next[(this.cells[at]! & this.mask) + 1]!++;
    yield;
    for (let bucket = 1; bucket < next.length; bucket++) next[bucket]! += next[bucket - 1]!;
    this.postingStarts = next.slice();
    this.postings = new Uint32Array(groups);
    let at = 0;
    for (const [passage, end] of this.ends.entries()) {
      while (at < end) this.postings[next[this.cells[at++]! & this.mask]!++] = passage;
      yield;
    }
    this.cells = new Uint32Array(0);
  }

  /** Adds the score of each passage for the given terms, multiplied by `worth`. */
  *score(terms: readonly Term[], worth: number, scores: Float64Array): Generator<void, void> {
    const passages = this.ends.length;
    const buckets = new Set([...lettersOf(terms)].slice(0, MAX_GROUPS).map((group) => group & this.mask));
    let seen = 0;
    for (const bucket of buckets) {
      if (++seen % A_STEP === 0) yield;
      const [start, end] = [this.postingStarts[bucket]!, this.postingStarts[bucket + 1]!];
      // Two groups that share a bucket may list a passage twice.
      const rarity = rarityOf(Math.min(end - start, passages), passages);
      for (let at = start; at < end; at++) {
        const passage = this.postings[at]!;
        const length = this.ends[passage]! - (passage === 0 ? 0 : this.ends[passage - 1]!);
        scores[passage]! += (worth * rarity * 2.2) / (1 + 1.2 * (0.25 + (0.75 * length) / this.average));
      }
    }
  }
}

/** Returns the weight by BM25 of a key that `holding` of `all` passages have. */
export const rarityOf = (holding: number, all: number): number => Math.log(1 + (all - holding + 0.5) / (holding + 0.5));

const LETTERS = 3;
/** One question has at most this many groups. */
const MAX_GROUPS = 600;
/** The number of groups that one step looks up. */
const A_STEP = 16;

/** Two groups may share a bucket, but real text has fewer groups than buckets. */
const bucketsFor = (groups: number): number => 2 ** Math.min(16, Math.max(8, Math.ceil(Math.log2(1 + groups))));

/** Returns the hashes of the groups of three letters in the terms. */
export const lettersOf = (terms: readonly Term[]): Set<number> => {
  const hashes = new Set<number>();
  for (const term of terms) {
    if (isEmptyWord(term)) continue;
    // With the marks, the beginning and the end of a word count as letters.
    const word = `^${term.word}$`;
    for (let at = 0; at + LETTERS <= word.length; at++) {
      let hash = 0x811c9dc5;
      for (let letter = at; letter < at + LETTERS; letter++)
        hash = Math.imul(hash ^ word.charCodeAt(letter), 0x01000193);
      hashes.add((hash ^ (hash >>> 15)) >>> 0);
    }
  }
  return hashes;
};
