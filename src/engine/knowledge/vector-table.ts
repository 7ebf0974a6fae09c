import type { PausableWork } from './pausable-work.ts';

/**
 * The vectors of an agent's passages, with one byte per dimension. The search is exact, because it compares every
 * passage. With 50,000 passages, an exact search is fast enough without an approximate index
 * (docs/adr/0211-embeddings.md).
 */
export class VectorTable {
  readonly dimensions: number;
  private readonly passages: number;
  private readonly vectors: Int8Array;
  /** One divided by the length of each vector, or 0 if the passage has no vector. */
  private readonly scales: Float32Array;
  private many = 0;

  constructor(passages: number, dimensions: number) {
    this.dimensions = dimensions;
    this.passages = passages;
    this.vectors = new Int8Array(passages * dimensions);
    this.scales = new Float32Array(passages);
  }

  get bytes(): number {
    return this.vectors.byteLength + this.scales.byteLength;
  }

  /** The share of the passages that have a vector. */
  get share(): number {
    return this.passages === 0 ? 0 : this.many / this.passages;
  }

  set(passage: number, vector: Int8Array): void {
    let sum = 0;
    for (let at = 0; at < vector.length; at++) sum += vector[at]! * vector[at]!;
    if (sum === 0 || vector.length !== this.dimensions || this.scales[passage] !== 0) return;
    this.vectors.set(vector, passage * this.dimensions);
    this.scales[passage] = 1 / Math.sqrt(sum);
    this.many++;
  }

  /** Returns the similarity of each passage, which is the cosine, or NaN if the passage has no vector. */
  *search(question: Int8Array): PausableWork<Float32Array> {
    const near = new Float32Array(this.passages);
    const whole = Int32Array.from(question);
    for (let from = 0; from < this.passages; from += A_STEP) {
      yield;
      this.compare(whole, near, from, Math.min(this.passages, from + A_STEP));
    }
    return near;
  }

  private compare(question: Int32Array, near: Float32Array, from: number, to: number): void {
    const { vectors, scales, dimensions } = this;
    const even = dimensions - (dimensions % 4);
    for (let passage = from; passage < to; passage++) {
      const start = passage * dimensions;
      let [a, b, c, d] = [0, 0, 0, 0];
      // Four independent sums let the processor add in parallel.
      for (let at = 0; at < even; at += 4) {
        a = (a + Math.imul(vectors[start + at]!, question[at]!)) | 0;
        b = (b + Math.imul(vectors[start + at + 1]!, question[at + 1]!)) | 0;
        c = (c + Math.imul(vectors[start + at + 2]!, question[at + 2]!)) | 0;
        d = (d + Math.imul(vectors[start + at + 3]!, question[at + 3]!)) | 0;
      }
      for (let at = even; at < dimensions; at++) a = (a + Math.imul(vectors[start + at]!, question[at]!)) | 0;
      const scale = scales[passage]!;
      near[passage] = scale === 0 ? Number.NaN : (a + b + c + d) * scale;
    }
  }
}

/** One step reads about a megabyte, which takes about a millisecond. */
const A_STEP = 500;

/** Only the direction of a vector counts, so its longest component becomes 127. */
export function quantize(vector: readonly number[]): Int8Array {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const scale = most === 0 ? 0 : 127 / most;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}
