/**
 * Stores the keys of each passage and their weights in flat arrays of numbers. A map for each passage would need more
 * than twenty times the size of the text. This table needs about four times the size of its keys.
 */
export class KeyTable {
  private readonly ids = new Map<string, number>();
  /**
   * The list of all distinct weights. The number of distinct weights is small, so a cell contains an index into this
   * list.
   */
  private readonly worths: number[] = [];
  /** The keys of each passage in order, as `id * WORTHS + worth`. */
  private cells: Uint32Array = new Uint32Array(1_024);
  /** The index at which the cells of each passage begin, with one more entry for the end. */
  private starts: Uint32Array = new Uint32Array(256);
  private passages = 0;
  private postings = new Uint32Array(0);
  private postingStarts = new Uint32Array(0);
  private keyBytes = 0;

  /** Adds the keys of the next passage. */
  add(keys: ReadonlyMap<string, number>): void {
    const start = this.starts[this.passages]!;
    const end = start + keys.size;
    if (end > this.cells.length) this.cells = grown(this.cells, end);
    if (this.passages + 2 > this.starts.length) this.starts = grown(this.starts, this.passages + 2);
    let at = start;
    for (const [key, worth] of keys) this.cells[at++] = this.idFor(key) * WORTHS + this.placeOf(worth);
    this.cells.subarray(start, end).sort();
    this.starts[++this.passages] = end;
  }

  /**
   * Inverts the table, so that each key leads to its passages. The inversion of the table has one step for each
   * passage.
   */
  *close(): Generator<void, void> {
    this.cells = this.cells.slice(0, this.starts[this.passages]);
    this.starts = this.starts.slice(0, this.passages + 1);
    const next = new Uint32Array(this.ids.size + 1);
    for (const cell of this.cells) next[Math.floor(cell / WORTHS) + 1]!++;
    yield;
    for (let id = 1; id < next.length; id++) next[id]! += next[id - 1]!;
    this.postingStarts = next.slice();
    this.postings = new Uint32Array(this.cells.length);
    for (let passage = 0; passage < this.passages; passage++) {
      for (let at = this.starts[passage]!; at < this.starts[passage + 1]!; at++) {
        this.postings[next[Math.floor(this.cells[at]! / WORTHS)]!++] = passage;
      }
      yield;
    }
  }

  has(key: string): boolean {
    return this.ids.has(key);
  }

  /** Returns the passages that have the key, in order. */
  showing(key: string): Uint32Array {
    const id = this.ids.get(key);
    return id === undefined ? NONE : this.postings.subarray(this.postingStarts[id], this.postingStarts[id + 1]);
  }

  /** Returns the number of a key that `worthIn` expects. Null: no passage has the key. */
  idOf(key: string): number | null {
    return this.ids.get(key) ?? null;
  }

  /** Returns the weight of the key in a passage, or 0 if the passage does not have the key. */
  worthIn(passage: number, id: number): number {
    let low = this.starts[passage]!;
    let high = this.starts[passage + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.cells[middle]! < id * WORTHS) low = middle + 1;
      else high = middle;
    }
    const cell = low < this.starts[passage + 1]! ? this.cells[low]! : -1;
    return Math.floor(cell / WORTHS) === id ? this.worths[cell % WORTHS]! : 0;
  }

  /** The approximate memory in bytes, which is accurate enough to limit the total of many tables. */
  get bytes(): number {
    return this.starts[this.passages]! * 8 + this.passages * 4 + this.keyBytes;
  }

  private idFor(key: string): number {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    this.keyBytes += KEY_BYTES + 2 * key.length;
    this.ids.set(key, this.ids.size);
    return this.ids.size - 1;
  }

  private placeOf(worth: number): number {
    const known = this.worths.indexOf(worth);
    return known >= 0 ? known : this.worths.push(worth) - 1;
  }
}

/** The number of weights is higher than the number of places in which a word can occur. */
const WORTHS = 16;
/** The memory of a key without its letters, which is its entry in a map and the header of its string. */
const KEY_BYTES = 80;
const NONE = new Uint32Array(0);

const grown = (array: Uint32Array, atLeast: number): Uint32Array => {
  const larger = new Uint32Array(Math.max(atLeast, array.length * 2));
  larger.set(array);
  return larger;
};
