import { KnowledgeIndex } from '../../engine/knowledge/build-knowledge.ts';
import { type DocumentText, passagesOf } from '../../engine/knowledge/split-document.ts';
import { passageKey } from '../../engine/knowledge/question-key.ts';
import type { Passage, Wording } from '../../engine/provider.ts';
import type { PausableWork } from '../../engine/knowledge/pausable-work.ts';
import { type CachedIndex, nameOf } from './cached-index.ts';
import { WAIT, type Work } from './fair-queue.ts';
import type { Ask, DocumentsOf, FromThread, ToThread } from './messages.ts';

type Build = DocumentsOf & { index: KnowledgeIndex; work: Work; waiting: Ask[]; arrived: DocumentText | null };

/** The texts that are read at the same time have at most this many bytes, because concurrent builds need memory. */
const MAX_READING_BYTES = 24 * 1024 * 1024;
/** The limit of a build, in processor time. An index of ten megabytes takes about ten seconds. */
export const BUILD_LIMIT_MS = 120_000;

type BuildOptions = {
  post(message: FromThread): void;
  run(work: Work): void;
  makeRoom(): void;
  onBuilt(name: string, built: CachedIndex, waiting: readonly Ask[]): void;
};

/** Builds one index for each organization at a time, the smallest index first. */
export function createBuilds({ post, run, makeRoom, onBuilt }: BuildOptions) {
  /** The builds in progress, by the number of their job. An organization has at most one build in progress. */
  const begun = new Map<number, Build>();
  /** The builds that wait, one for each agent. */
  const waiting = new Map<string, Build>();

  /** The question is answered after the build of its documents. */
  function add(one: Ask): void {
    const name = nameOf(one);
    for (const build of begun.values()) {
      if (nameOf(build) === name && build.edition === one.edition) return void build.waiting.push(one);
    }
    const build = waiting.get(name);
    if (!build) waiting.set(name, newBuild(one));
    else {
      // A build that has not started reads the documents that are current when it starts.
      build.waiting.push(one);
      build.edition = one.edition;
    }
    begin();
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
    function* steps(): PausableWork<void> {
      yield* readAll(build, post, makeRoom);
      end(build);
      onBuilt(nameOf(build), { edition: build.edition, index: build.index }, build.waiting);
    }
    function fail(why: string): void {
      end(build);
      for (const each of build.waiting) post({ kind: 'failed', job: each.job, why });
    }
    return build;
  }

  function end(build: Build): void {
    begun.delete(build.work.job);
    begin();
  }

  /** The smallest build is first, so that it does not wait for large builds. */
  function begin(): void {
    for (const [name, build] of [...waiting].toSorted(([, a], [, b]) => a.bytes - b.bytes)) {
      const others = [...begun.values()];
      const reading = others.reduce((sum, { bytes }) => sum + bytes, 0);
      if (others.some(({ orgId }) => orgId === build.orgId)) continue;
      if (others.length > 0 && reading + build.bytes > MAX_READING_BYTES) continue;
      waiting.delete(name);
      begun.set(build.work.job, build);
      run(build.work);
    }
  }

  return {
    add,
    /** Receives a document for a build in progress. */
    take: (message: Exclude<ToThread, Ask>): void => {
      const build = begun.get(message.job);
      if (!build) return;
      if (message.kind !== 'document') return build.work.fail('The documents cannot be read now.');
      build.arrived = message.document;
      run(build.work);
    },
    inProgress: () => begun.values(),
  };
}

function* readAll(build: Build, post: BuildOptions['post'], makeRoom: () => void): PausableWork<void> {
  const { index, work } = build;
  let after: string | null = null;
  while (!index.isFull) {
    post({ kind: 'want', job: work.job, after });
    yield WAIT;
    const document: DocumentText | null = build.arrived;
    if (document === null) break;
    build.arrived = null;
    after = document.id;
    const wordings = Map.groupBy(document.wordings ?? [], ({ passage }) => passage);
    for (const passage of passagesOf(document)) {
      if (passage !== null) index.add(withWordings(passage, wordings));
      yield;
    }
    makeRoom();
  }
  yield* index.close();
}

function withWordings(passage: Passage, wordings: ReadonlyMap<string, readonly Wording[]>): Passage {
  const own = wordings.size === 0 ? undefined : wordings.get(passageKey(passage));
  return own === undefined ? passage : { ...passage, wordings: own };
}
