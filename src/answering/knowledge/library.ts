import type { Answer, Gathered } from '../../engine/provider.ts';
import { KnowledgeIndex } from '../../engine/knowledge/build-knowledge.ts';
import { type DocumentText, passagesOf } from '../../engine/knowledge/split-document.ts';
import type { Steps } from '../../engine/knowledge/steps.ts';
import { VectorTable } from '../../engine/knowledge/vector-table.ts';
import { createFairSteps, WAIT, type Work } from './fair-steps.ts';
import { LEAST_SHARE, loadVectors, type VectorLoad } from './load-vectors.ts';
import type { Ask, AskedMeaning, DocumentsOf, FromThread, ToThread } from './messages.ts';

/**
 * The indexes of many agents, in the knowledge thread. An index is built on the first question, rebuilt when the
 * documents have changed, and evicted when memory is short, least recently used first. While both wait, searches and
 * builds get half of the time each, and within both the organizations take turns.
 */
type Kept = { edition: string; index: KnowledgeIndex; vectors?: { edition: string; table: VectorTable } };
type Load = VectorLoad & { work: Work; waiting: Ask[]; edition: string; kept: Kept };
type Build = DocumentsOf & { index: KnowledgeIndex; work: Work; waiting: Ask[]; arrived: DocumentText | null };

/**
 * Limit for documents that are read at the same time, in bytes of text: concurrent builds need memory at the same time.
 */
const MAX_READING_BYTES = 24 * 1024 * 1024;
const SLICE_MS = 10;
/** In processor time. Ten megabytes take about ten seconds. */
const BUILD_LIMIT_MS = 120_000;
const SEARCH_LIMIT_MS = 5_000;

export type LibraryOptions = {
  post(message: FromThread): void;
  meter: Parameters<typeof createFairSteps>[0];
  /** Limit for all indexes together. */
  maxKeptBytes: number;
};

export function createLibrary({ post, meter, maxKeptBytes }: LibraryOptions) {
  const kept = new Map<string, Kept>();
  /** Builds in progress, by the number of their job; one for each organization. */
  const begun = new Map<number, Build>();
  /** Builds that wait, one for each agent. */
  const waiting = new Map<string, Build>();
  /** Vectors that are being read, by the number of their job. */
  const loads = new Map<number, Load>();
  const searches = createFairSteps(meter);
  const builds = createFairSteps(meter);

  function take(message: ToThread): void {
    if (message.kind === 'ask') return ask(message);
    const load = loads.get(message.job);
    if (load) return takeVectors(load, message);
    const build = begun.get(message.job);
    if (!build) return;
    if (message.kind !== 'document') return build.work.fail('The documents cannot be read now.');
    build.arrived = message.document;
    builds.add(build.work);
  }

  function ask(one: Ask): void {
    const name = nameOf(one);
    const found = kept.get(name);
    if (found?.edition === one.edition) {
      kept.delete(name);
      kept.set(name, found);
      return answer(one, found);
    }
    for (const build of begun.values()) {
      if (nameOf(build) === name && build.edition === one.edition) return void build.waiting.push(one);
    }
    const build = waiting.get(name);
    if (!build) waiting.set(name, newBuild(one));
    else {
      // A build that has not started will read the then current documents.
      build.waiting.push(one);
      build.edition = one.edition;
    }
    beginBuilds();
  }

  /** A question that may go by meaning needs the vectors first. */
  function answer(one: Ask, at: Kept): void {
    const meaning = one.question.reader === 'model' ? one.question.meaning : undefined;
    if (meaning === undefined || at.vectors?.edition === meaning.edition) return search(one, at);
    const under = [...loads.values()].find(({ kept: of, edition }) => of === at && edition === meaning.edition);
    if (under) under.waiting.push(one);
    else if (!hasRoom(one.orgId, at.index.size * meaning.dimensions)) search(one, at);
    else beginLoad(one, at, meaning);
  }

  /** All tables that are being read are in memory at once: those of one organization have half of it. */
  function hasRoom(orgId: string, bytes: number): boolean {
    let [own, all] = [bytes, bytes];
    for (const { table, work } of loads.values()) {
      all += table.bytes;
      if (work.orgId === orgId) own += table.bytes;
    }
    return own <= maxKeptBytes / 2 && all <= maxKeptBytes;
  }

  function beginLoad(one: Ask, at: Kept, meaning: AskedMeaning): void {
    const { job, orgId } = one;
    delete at.vectors;
    const load: Load = {
      table: new VectorTable(at.index.size, meaning.dimensions),
      arrived: null,
      waiting: [one],
      edition: meaning.edition,
      kept: at,
      work: { orgId, job, steps: steps(), limitMs: BUILD_LIMIT_MS, spentMs: 0, fail },
    };
    function* steps(): Steps<void> {
      makeRoom();
      yield* loadVectors(load, at.index, meaning, (after) => post({ kind: 'want_vectors', job, after }));
      loads.delete(job);
      at.vectors = { edition: meaning.edition, table: load.table };
      for (const each of load.waiting) search(each, at);
    }
    function fail(why: string): void {
      loads.delete(job);
      for (const each of load.waiting) post({ kind: 'failed', job: each.job, why });
    }
    loads.set(job, load);
    builds.add(load.work);
  }

  function takeVectors(load: Load, message: ToThread): void {
    if (message.kind !== 'vectors') return load.work.fail('The vectors cannot be read now.');
    load.arrived = message.piece;
    builds.add(load.work);
  }

  function search({ job, orgId, question }: Ask, { index, vectors }: Kept): void {
    const fail = (why: string): void => post({ kind: 'failed', job, why });
    function* steps(): Steps<void> {
      post({ kind: 'found', job, found: yield* find() });
    }
    function* find(): Steps<Answer | Gathered> {
      if (question.reader === 'person') return yield* index.answer(question.text);
      const { text, earlier, tokens, meaning, onlyWhole } = question;
      if (onlyWhole && !index.fits(tokens)) return { whole: false, findings: [], documents: [] };
      if (meaning === undefined) return yield* index.gather(text, earlier, tokens);
      const table = vectors?.edition === meaning.edition ? vectors.table : null;
      if (table !== null && table.share >= LEAST_SHARE && table.dimensions === meaning.vector.length) {
        return yield* index.gatherByMeaning(text, earlier, tokens, { vector: meaning.vector, vectors: table });
      }
      const found = yield* index.gather(text, earlier, tokens);
      return { ...found, meaning: table === null ? 'too_large' : 'incomplete' };
    }
    searches.add({ orgId, job, steps: steps(), limitMs: SEARCH_LIMIT_MS, spentMs: 0, fail });
  }

  function newBuild(one: Ask): Build {
    const { job, orgId, agentId, edition, bytes } = one;
    const build: Build = {
      orgId,
      agentId,
      edition,
      bytes,
      arrived: null,
      index: new KnowledgeIndex(),
      waiting: [one],
      work: { orgId, job, steps: steps(), limitMs: BUILD_LIMIT_MS, spentMs: 0, fail },
    };
    function* steps(): Steps<void> {
      yield* readAll(build);
      end(build);
      kept.delete(nameOf(build));
      const made: Kept = { edition: build.edition, index: build.index };
      kept.set(nameOf(build), made);
      makeRoom();
      for (const each of build.waiting) answer(each, made);
    }
    function fail(why: string): void {
      end(build);
      for (const each of build.waiting) post({ kind: 'failed', job: each.job, why });
    }
    return build;
  }

  function* readAll(build: Build): Steps<void> {
    const { index, work } = build;
    let after: string | null = null;
    while (!index.isFull) {
      post({ kind: 'want', job: work.job, after });
      yield WAIT;
      const document: DocumentText | null = build.arrived;
      if (document === null) break;
      build.arrived = null;
      after = document.id;
      for (const passage of passagesOf(document)) {
        if (passage !== null) index.add(passage);
        yield;
      }
      makeRoom();
    }
    yield* index.close();
  }

  function end(build: Build): void {
    begun.delete(build.work.job);
    beginBuilds();
  }

  /** The smallest first: a small build does not wait for large ones. */
  function beginBuilds(): void {
    for (const [name, build] of [...waiting].toSorted(([, a], [, b]) => a.bytes - b.bytes)) {
      const others = [...begun.values()];
      const reading = others.reduce((sum, { bytes }) => sum + bytes, 0);
      if (others.some(({ orgId }) => orgId === build.orgId)) continue;
      if (others.length > 0 && reading + build.bytes > MAX_READING_BYTES) continue;
      waiting.delete(name);
      begun.set(build.work.job, build);
      builds.add(build.work);
    }
  }

  function makeRoom(): void {
    let bytes = 0;
    for (const one of [...kept.values(), ...begun.values()]) bytes += bytesOf(one);
    for (const { table } of loads.values()) bytes += table.bytes;
    for (const [name, one] of kept) {
      if (bytes <= maxKeptBytes || kept.size === 1) return;
      kept.delete(name);
      bytes -= bytesOf(one);
    }
  }

  return {
    take,
    /** Works for a moment; false when there is no work left. */
    work: (): boolean => {
      searches.run(SLICE_MS);
      builds.run(SLICE_MS);
      return !searches.isIdle() || !builds.isIdle();
    },
  };
}

const bytesOf = ({ index, vectors }: Pick<Kept, 'index' | 'vectors'>): number =>
  index.bytes + (vectors?.table.bytes ?? 0);

const nameOf = ({ orgId, agentId }: DocumentsOf): string => `${orgId} ${agentId}`;
