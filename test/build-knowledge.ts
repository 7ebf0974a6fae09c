import { KnowledgeIndex } from '../src/engine/knowledge/build-knowledge.ts';
import { runToEnd } from '../src/engine/knowledge/pausable-work.ts';
import { passagesOf } from '../src/engine/knowledge/split-document.ts';

type Passage = Parameters<KnowledgeIndex['add']>[0];

/** Returns all passages of a document, without pauses. */
export const splitDocument = (document: Parameters<typeof passagesOf>[0]): Passage[] =>
  [...passagesOf(document)].filter((one) => one !== null);

/** Creates an index of the passages, without pauses. */
export const buildKnowledge = (passages: Iterable<Passage>) => {
  const index = new KnowledgeIndex();
  for (const passage of passages) index.add(passage);
  runToEnd(index.close());
  return {
    answer: (question: string) => runToEnd(index.answer(question)),
    weigh: (question: string) => runToEnd(index.weigh(question)),
    rank: (question: string) => runToEnd(index.rank(question)),
    gather: (question: string, tokens: number) => runToEnd(index.gather(question, '', tokens)),
  };
};
