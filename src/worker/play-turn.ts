import type { PlaygroundTurn } from '../../contract/dashboard/agents.ts';
import { Refusal } from '../../contract/problems.ts';
import { MAX_HISTORY, ProviderError } from '../engine/provider.ts';
import type { PlayTurn } from '../features/agents/try-agent.ts';
import type { FindProvider, LoadAgent } from './load-agent.ts';

/** As long as somebody waits before a screen. */
const PLAY_TIMEOUT_MS = 25_000;
const END_USER = { id: 'enduser_playground', name: null };

/** One turn for the playground: the engine of real conversations, and nothing is stored. */
export function createPlayTurn({
  loadAgent,
  findProvider,
}: {
  loadAgent: LoadAgent;
  findProvider: FindProvider;
}): PlayTurn {
  return async (orgId, agent, talk): Promise<PlaygroundTurn> => {
    const loaded = await loadAgent(orgId, agent.id, agent.revision);
    const provider = await findProvider(orgId, { ...loaded.agent, definition: agent.definition });
    try {
      return await provider.turn({
        agent: { id: agent.id, name: agent.name, definition: agent.definition },
        locale: talk.locale,
        variables: { end_user: END_USER, ...talk.variables },
        end_user: { ...END_USER, locale: talk.locale },
        history: talk.history.slice(-MAX_HISTORY),
        input: talk.input,
        state: talk.state,
        knowledge: loaded.knowledge,
        now: new Date(),
        signal: AbortSignal.timeout(PLAY_TIMEOUT_MS),
      });
    } catch (error) {
      if (error instanceof ProviderError) throw new Refusal('provider_failed', error.message, { cause: error });
      throw error;
    }
  };
}
