import type { Answer, Finding, Gathered } from '../../engine/provider.ts';
import type { PausableWork } from '../../engine/knowledge/pausable-work.ts';
import type { CachedIndex } from './cached-index.ts';
import type { Work } from './fair-queue.ts';
import { LEAST_SHARE } from './load-vectors.ts';
import type { Ask, FromThread } from './messages.ts';

const SEARCH_LIMIT_MS = 5_000;
const MAX_RANKED = 10;

/** The search for one question. */
export function searchIndex(
  { job, orgId, question }: Ask,
  cached: CachedIndex,
  post: (found: FromThread) => void,
): Work {
  function* steps(): PausableWork<void> {
    post({ kind: 'found', job, found: yield* find(question, cached) });
  }
  const fail = (why: string): void => post({ kind: 'failed', job, why });
  return { orgId, job, steps: steps(), limitMs: SEARCH_LIMIT_MS, spentMs: 0, fail };
}

function* find(
  question: Ask['question'],
  { index, vectors }: CachedIndex,
): PausableWork<Answer | Gathered | Finding[]> {
  if (question.reader === 'member') return (yield* index.rank(question.text)).slice(0, MAX_RANKED);
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
