import type { KnowledgeSearch, Provider } from '../engine/provider.ts';
import { buildKnowledge } from '../engine/knowledge/build-knowledge.ts';
import { splitDocument } from '../engine/knowledge/split-document.ts';
import { type AgentForTurns, readAgentForTurns } from '../store/turns/read-agent.ts';
import type { Db } from '../store/db.ts';

/** An agent ready to speak: its definition, its searchable documents, and who writes its words. */
export type LoadedAgent = { agent: AgentForTurns; knowledge: KnowledgeSearch; provider: Provider };

export type FindProvider = (orgId: string, agent: Pick<AgentForTurns, 'definition'>) => Promise<Provider>;

/** Agents kept ready on one node. Their documents are the large part: 200 agents of 1 MiB are about a gigabyte. */
const MAX_LOADED = 200;

/**
 * Agents by revision: a claimed run names the revision that is current, so a change is seen by the next turn without
 * anybody telling. Loads of one agent at the same time are one load.
 */
export function createAgentLoader(db: Db, findProvider: FindProvider) {
  const loaded = new Map<string, { revision: number; agent: Promise<LoadedAgent> }>();

  return function load(orgId: string, agentId: string, revision: number): Promise<LoadedAgent> {
    const name = `${orgId} ${agentId}`;
    const known = loaded.get(name);
    if (known && known.revision >= revision) {
      loaded.delete(name);
      loaded.set(name, known);
      return known.agent;
    }
    const agent = read(orgId, agentId);
    const entry = { revision, agent };
    loaded.set(name, entry);
    agent.then(
      (result) => (entry.revision = Math.max(entry.revision, result.agent.revision)),
      () => loaded.get(name) === entry && loaded.delete(name),
    );
    if (loaded.size > MAX_LOADED) loaded.delete(loaded.keys().next().value!);
    return agent;
  };

  async function read(orgId: string, agentId: string): Promise<LoadedAgent> {
    const agent = await readAgentForTurns(db.$client, orgId, agentId);
    if (!agent) throw new Error(`Agent ${agentId} is gone`);
    const knowledge = buildKnowledge(agent.documents.flatMap((document) => splitDocument(document)));
    return { agent, knowledge, provider: await findProvider(orgId, agent) };
  }
}

export type LoadAgent = ReturnType<typeof createAgentLoader>;
