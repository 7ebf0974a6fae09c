import type { KnowledgeIndex } from '../../engine/knowledge/build-knowledge.ts';
import type { PausableWork } from '../../engine/knowledge/pausable-work.ts';
import { HASH_BYTES, vectorKeys } from '../../engine/knowledge/vector-key.ts';
import type { VectorTable } from '../../engine/knowledge/vector-table.ts';
import { WAIT } from './fair-queue.ts';
import type { AskedMeaning, VectorPiece, VectorPlace } from './messages.ts';

/** The vectors of an index while they are loaded, piece by piece. */
export type VectorLoad = { table: VectorTable; arrived: VectorPiece | null };

/**
 * At least this part of the passages needs vectors. If fewer passages had vectors, the search by meaning would prefer
 * them.
 */
export const LEAST_SHARE = 0.9;

/** Fills the table of `load`. `want` requests the piece of vectors after a position, and `load` receives this piece. */
export function* loadVectors(
  load: VectorLoad,
  index: KnowledgeIndex,
  { space, dimensions }: AskedMeaning,
  want: (after: VectorPlace | null) => void,
): PausableWork<void> {
  const places = yield* index.placesByKey(vectorKeys(space));
  for (let after: VectorPlace | null = null; ;) {
    want(after);
    yield WAIT;
    const piece: VectorPiece | null = load.arrived;
    if (piece === null) return;
    load.arrived = null;
    after = piece.last;
    const { hashes } = piece;
    const vectors = new Int8Array(piece.vectors.buffer, piece.vectors.byteOffset, piece.vectors.byteLength);
    const text = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex');
    for (let at = 0; at * dimensions < vectors.length; at++) {
      if (at % 50 === 0) yield;
      const key = text.slice(at * HASH_BYTES * 2, (at + 1) * HASH_BYTES * 2);
      const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions);
      for (const place of places.get(key) ?? []) load.table.set(place, vector);
    }
  }
}
