import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { MAX_HISTORY, ProviderError } from '../../engine/provider.ts';
import type { PlayTurn } from '../../features/agents/try-agent.ts';
import type { FindProvider, LoadAgent } from './load-agent.ts';
import type { Plays } from './plays.ts';
import { MADE_UP_PERSON, tryContext } from './try-context.ts';

/** As long as a user waits in front of a screen. */
const PLAY_TIMEOUT_MS = 25_000;
const END_USER = { id: MADE_UP_PERSON, name: null };

type PlayTurnDeps = { loadAgent: LoadAgent; findProvider: FindProvider; plays: Plays; timeoutMs?: number };

/** One turn for the playground: the same engine as in real conversations, but nothing is stored. */
export function createPlayTurn({
  loadAgent,
  findProvider,
  plays,
  timeoutMs = PLAY_TIMEOUT_MS,
}: PlayTurnDeps): PlayTurn {
  const play: PlayTurn = async (orgId, agent, talk, reader) => {
    const loaded = await loadAgent(orgId, agent.id, agent.revision);
    const provider = await findProvider(orgId, { ...loaded.agent, definition: agent.definition });
    const late = AbortSignal.timeout(timeoutMs);
    const signal = reader ? AbortSignal.any([late, reader.signal]) : late;
    const turn = provider.turn({
      agent: { id: agent.id, name: agent.name, definition: agent.definition },
      locale: talk.locale,
      variables: { end_user: END_USER, ...talk.variables },
      end_user: { ...END_USER, locale: talk.locale },
      history: talk.history.slice(-MAX_HISTORY),
      input: talk.input,
      state: talk.state,
      knowledge: loaded.knowledge,
      now: new Date(),
      context: tryContext(orgId, agent.id, Object(talk.variables['end_user'])),
      signal,
      ...(reader && { words: reader.words }),
    });
    return Promise.race([turn, tooLate(signal)]);
  };

  return async (orgId, agent, talk, reader): Promise<PlaygroundTurn> => {
    try {
      return await plays(orgId, () => play(orgId, agent, talk, reader));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.code === 'knowledge_failed') throw new Refusal('unavailable', error.message, { cause: error });
      throw new Refusal('provider_failed', error.message, { cause: error });
    }
  };
}

/** The first answer from large documents may take longer than the request: reading continues after it. */
const tooLate = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () =>
      reject(new Refusal('unavailable', 'The agent is still loading its documents, or its model is slow.')),
    ),
  );
