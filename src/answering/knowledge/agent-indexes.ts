import { VectorTable } from '../../engine/knowledge/vector-table.ts';
import type { PausableWork } from '../../engine/knowledge/pausable-work.ts';
import { BUILD_LIMIT_MS, createBuilds } from './build-indexes.ts';
import { bytesOf, type CachedIndex, nameOf } from './cached-index.ts';
import { createFairQueue, type Work } from './fair-queue.ts';
import { loadVectors, type VectorLoad } from './load-vectors.ts';
import type { Ask, AskedMeaning, FromThread, ToThread } from './messages.ts';
import { searchIndex } from './search-index.ts';

/**
 * The knowledge thread holds the indexes of many agents. The first question builds an index, and a question after a
 * change of the documents rebuilds it. When memory is short, the least recently used index is evicted. While both
 * searches and builds wait, each kind gets half of the time. Within each kind, the organizations take turns.
 */
type Load = VectorLoad & { work: Work; waiting: Ask[]; edition: string; of: CachedIndex };

const SLICE_MS = 10;

export type AgentIndexesOptions = {
  post(message: FromThread): void;
  meter: Parameters<typeof createFairQueue>[0];
  /** The memory limit for all indexes together. */
  maxBytes: number;
};

export function createAgentIndexes({ post, meter, maxBytes }: AgentIndexesOptions) {
  /** The cached indexes by agent, the least recently used index first. */
  const cached = new Map<string, CachedIndex>();
  /** The vectors that are being loaded, by the number of their job. */
  const loads = new Map<number, Load>();
  const searches = createFairQueue(meter);
  const slow = createFairQueue(meter);
  const builds = createBuilds({ post, run: slow.add, makeRoom, onBuilt });

  function take(message: ToThread): void {
    if (message.kind === 'ask') return ask(message);
    const load = loads.get(message.job);
    if (!load) return builds.take(message);
    if (message.kind !== 'vectors') return load.work.fail('The vectors cannot be read now.');
    load.arrived = message.piece;
    slow.add(load.work);
  }

  function ask(one: Ask): void {
    const name = nameOf(one);
    const found = cached.get(name);
    if (found?.edition !== one.edition) return builds.add(one);
    cached.delete(name);
    cached.set(name, found);
    answer(one, found);
  }

  function onBuilt(name: string, built: CachedIndex, waiting: readonly Ask[]): void {
    cached.delete(name);
    cached.set(name, built);
    makeRoom();
    for (const each of waiting) answer(each, built);
  }

  /** A question that may be searched by meaning first needs the vectors. */
  function answer(one: Ask, at: CachedIndex): void {
    const meaning = one.question.reader === 'model' ? one.question.meaning : undefined;
    if (meaning === undefined || at.vectors?.edition === meaning.edition) return search(one, at);
    const under = [...loads.values()].find(({ of, edition }) => of === at && edition === meaning.edition);
    if (under) under.waiting.push(one);
    else if (!hasRoom([...loads.values()], one.orgId, at.index.size * meaning.dimensions, maxBytes)) search(one, at);
    else beginLoad(one, at, meaning);
  }

  const search = (one: Ask, at: CachedIndex): void => searches.add(searchIndex(one, at, post));

  function beginLoad(one: Ask, at: CachedIndex, meaning: AskedMeaning): void {
    const { job, orgId } = one;
    const { edition, dimensions } = meaning;
    delete at.vectors;
    const work: Work = { orgId, job, steps: steps(), limitMs: BUILD_LIMIT_MS, spentMs: 0, fail };
    const table = new VectorTable(at.index.size, dimensions);
    const load: Load = { table, arrived: null, waiting: [one], edition, of: at, work };
    function* steps(): PausableWork<void> {
      makeRoom();
      yield* loadVectors(load, at.index, meaning, (after) => post({ kind: 'want_vectors', job, after }));
      loads.delete(job);
      at.vectors = { edition, table };
      for (const each of load.waiting) search(each, at);
    }
    function fail(why: string): void {
      loads.delete(job);
      for (const each of load.waiting) post({ kind: 'failed', job: each.job, why });
    }
    loads.set(job, load);
    slow.add(work);
  }

  function makeRoom(): void {
    let bytes = 0;
    for (const one of [...cached.values(), ...builds.inProgress()]) bytes += bytesOf(one);
    for (const { table } of loads.values()) bytes += table.bytes;
    for (const [name, one] of cached) {
      if (bytes <= maxBytes || cached.size === 1) return;
      cached.delete(name);
      bytes -= bytesOf(one);
    }
  }

  return {
    take,
    /** Does one slice of the work. Returns false when no work is left. */
    work: (): boolean => {
      searches.run(SLICE_MS);
      slow.run(SLICE_MS);
      return !searches.isIdle() || !slow.isIdle();
    },
  };
}

/** All tables of vectors that are being loaded share the memory, and one organization may use half of the memory. */
function hasRoom(loads: readonly Load[], orgId: string, bytes: number, maxBytes: number): boolean {
  let [own, all] = [bytes, bytes];
  for (const { table, work } of loads) {
    all += table.bytes;
    if (work.orgId === orgId) own += table.bytes;
  }
  return own <= maxBytes / 2 && all <= maxBytes;
}
