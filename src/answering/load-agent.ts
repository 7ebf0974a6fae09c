import { type KnowledgeSearch, NO_KNOWLEDGE, type OpenImages, type Provider } from '../engine/provider.ts';
import { type AgentForTurns, readAgentForTurns } from '../store/agents/read-for-turns.ts';
import type { Db } from '../store/db.ts';
import { readAgentVectors } from '../store/embeddings/read.ts';
import type { Knowledge } from './knowledge/ask-knowledge.ts';
import type { DocumentsOf } from './knowledge/messages.ts';
import { type EmbedQuestion, searchByMeaning } from './knowledge/search-by-meaning.ts';
import type { FindProvider } from './models/find-provider.ts';

/** An agent ready for a turn: its definition, its searchable documents, and its provider. */
export type LoadedAgent = {
  agent: AgentForTurns;
  knowledge: KnowledgeSearch;
  provider: Provider;
  openImages?: OpenImages;
};

/** One node caches at most this many agents, without their documents, which are in the knowledge thread. */
const MAX_LOADED = 200;

/**
 * The loader caches agents by revision. A claimed run contains the current revision, so the next turn uses a change
 * without a notification. Concurrent loads of one agent share one query.
 */
export function createAgentLoader(
  db: Db,
  findProvider: FindProvider,
  knowledge: Pick<Knowledge, 'of'>,
  embedQuestion: EmbedQuestion | null = null,
  imagesOf?: (orgId: string) => OpenImages,
) {
  const loaded = new Map<string, { revision: number; agent: Promise<LoadedAgent> }>();

  /** `version`: absent for the live version. */
  return function load(orgId: string, agentId: string, revision: number, version?: number): Promise<LoadedAgent> {
    const name = `${orgId} ${agentId} ${version ?? ''}`;
    const known = loaded.get(name);
    if (known && known.revision >= revision) {
      loaded.delete(name);
      loaded.set(name, known);
      return known.agent;
    }
    const agent = read(orgId, agentId, version);
    const entry = { revision, agent };
    loaded.set(name, entry);
    agent.then(
      (result) => (entry.revision = Math.max(entry.revision, result.agent.revision)),
      () => loaded.get(name) === entry && loaded.delete(name),
    );
    if (loaded.size > MAX_LOADED) loaded.delete(loaded.keys().next().value!);
    return agent;
  };

  async function knowledgeOf(documents: DocumentsOf): Promise<KnowledgeSearch> {
    const search = knowledge.of(documents);
    const vectors = embedQuestion && (await readAgentVectors(db.$client, documents.orgId, documents.agentId));
    return embedQuestion && vectors ? searchByMeaning(search, vectors, embedQuestion) : search;
  }

  async function read(orgId: string, agentId: string, version?: number): Promise<LoadedAgent> {
    const agent = await readAgentForTurns(db.$client, orgId, agentId, version);
    if (!agent) throw new Error(`Agent ${agentId} no longer exists`);
    const { edition, bytes } = agent;
    return {
      agent,
      knowledge: edition === null ? NO_KNOWLEDGE : await knowledgeOf({ orgId, agentId, edition, bytes }),
      provider: await findProvider(orgId, agent),
      ...(imagesOf && { openImages: imagesOf(orgId) }),
    };
  }
}

export type LoadAgent = ReturnType<typeof createAgentLoader>;
