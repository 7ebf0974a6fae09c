import { type Asker, type KnowledgeSearch, type Meaning, ProviderError } from '../../engine/provider.ts';
import type { AgentVectors } from '../../store/embeddings/read.ts';
import type { ThreadSearch } from './ask-knowledge.ts';

/** Returns the vector of a question. The promise rejects with a ProviderError if the vector is not available now. */
export type EmbedQuestion = (orgId: string, vectors: AgentVectors, text: string, asker: Asker) => Promise<Int8Array>;

/** A shorter question is embedded together with the message before it, because "and on Sunday?" means little alone. */
const SHORT = 40;
const MAX_EMBEDDED_CHARACTERS = 1_500;

/**
 * Searches by words and by meaning. Each search embeds the question once. If all documents fit the budget, the question
 * is not embedded. If the question cannot be embedded in time, the search uses only words.
 */
export function searchByMeaning(
  search: ThreadSearch,
  vectors: AgentVectors,
  embedQuestion: EmbedQuestion,
): KnowledgeSearch {
  return {
    answer: search.answer,
    rank: search.rank,
    async gather(question, earlier, tokens, asker) {
      if (asker === undefined || question.trim() === '') return search.gather(question, earlier, tokens);
      const all = await search.gather(question, earlier, tokens, undefined, { onlyWhole: true });
      if (all.whole) return all;
      const text = earlier !== '' && question.length < SHORT ? `${earlier}\n${question}` : question;
      try {
        const last = text.slice(-MAX_EMBEDDED_CHARACTERS);
        const vector = await embedQuestion(asker.context.organization_id, vectors, last, asker);
        const { provider, baseUrl, model, dimensions, edition } = vectors;
        const meaning = { vector, space: { provider, baseUrl, model }, dimensions, edition };
        return await search.gather(question, earlier, tokens, undefined, { meaning });
      } catch (error) {
        if (asker.signal.aborted) throw asker.signal.reason;
        return { ...(await search.gather(question, earlier, tokens)), meaning: codeOf(error) };
      }
    },
  };
}

const codeOf = (error: unknown): Meaning => (error instanceof ProviderError ? error.code : 'provider_unreachable');
