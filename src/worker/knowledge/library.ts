import { KnowledgeIndex } from '../../engine/knowledge/build-knowledge.ts';
import { type DocumentText, passagesOf } from '../../engine/knowledge/split-document.ts';
import type { Steps } from '../../engine/knowledge/steps.ts';
import { createFairSteps, WAIT, type Work } from './fair-steps.ts';
import type { Ask, DocumentsOf, FromThread, ToThread } from './messages.ts';

/**
 * The indexes of many agents, in the knowledge thread. An index is built on the first question, rebuilt when the
 * documents have changed, and evicted when memory is short, least recently used first. While both wait, searches and
 * builds get half of the time each, and within both the organizations take turns.
 */
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
  const kept = new Map<string, { edition: string; index: KnowledgeIndex }>();
  /** Builds in progress, by the number of their job; one for each organization. */
  const begun = new Map<number, Build>();
  /** Builds that wait, one for each agent. */
  const waiting = new Map<string, Build>();
  const searches = createFairSteps(meter);
  const builds = createFairSteps(meter);

  function take(message: ToThread): void {
    if (message.kind === 'ask') return ask(message);
    const build = begun.get(message.job);
    if (!build) return;
    if (message.kind === 'unreadable') return build.work.fail('The documents cannot be read now.');
    build.arrived = message.document;
    builds.add(build.work);
  }

  function ask(one: Ask): void {
    const name = nameOf(one);
    const found = kept.get(name);
    if (found?.edition === one.edition) {
      kept.delete(name);
      kept.set(name, found);
      return search(one, found.index);
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

  function search({ job, orgId, question }: Ask, index: KnowledgeIndex): void {
    const fail = (why: string): void => post({ kind: 'failed', job, why });
    function* steps(): Steps<void> {
      post({
        kind: 'found',
        job,
        found: yield* question.reader === 'person'
          ? index.answer(question.text)
          : index.gather(question.text, question.earlier, question.tokens),
      });
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
      kept.set(nameOf(build), { edition: build.edition, index: build.index });
      makeRoom();
      for (const each of build.waiting) search(each, build.index);
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
    for (const { index } of [...kept.values(), ...begun.values()]) bytes += index.bytes;
    for (const [name, { index }] of kept) {
      if (bytes <= maxKeptBytes || kept.size === 1) return;
      kept.delete(name);
      bytes -= index.bytes;
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

const nameOf = ({ orgId, agentId }: DocumentsOf): string => `${orgId} ${agentId}`;
