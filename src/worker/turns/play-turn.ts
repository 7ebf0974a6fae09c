import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type KnowledgeSearch, MAX_HISTORY, ProviderError } from '../../engine/provider.ts';
import type { CallTool } from '../../engine/providers/run-tool.ts';
import type { PlayTurn, Talk, TalkReader } from '../../features/agents/try-agent.ts';
import type { FindProvider, LoadAgent } from './load-agent.ts';
import type { ModelTape } from './model-tape.ts';
import type { Plays } from './plays.ts';
import { MADE_UP_PERSON, tryContext } from './try-context.ts';

/** As long as a user waits in front of a screen. */
export const PLAY_TIMEOUT_MS = 25_000;
const END_USER = { id: MADE_UP_PERSON, name: null };

export type PlayTurnDeps = { loadAgent: LoadAgent; findProvider: FindProvider; plays: Plays; timeoutMs?: number };
/** What a test replaces: the clock, the answers of tools, the made-up person, what stands before a model, its task. */
export type Stage = {
  now: Date;
  callTool: CallTool;
  person?: { id: string; name: string | null };
  tape?: ModelTape;
  task?: string;
  knowledge?: KnowledgeSearch;
};
export type PlayedAgent = Parameters<PlayTurn>[1];

/** One turn of the engine that is used in real conversations; nothing is stored. */
export async function playOnce(
  { loadAgent, findProvider, timeoutMs = PLAY_TIMEOUT_MS }: Omit<PlayTurnDeps, 'plays'>,
  orgId: string,
  agent: PlayedAgent,
  talk: Talk,
  { reader, stage }: { reader?: TalkReader | undefined; stage?: Stage } = {},
): Promise<PlaygroundTurn> {
  const loaded = await loadAgent(orgId, agent.id, agent.revision);
  const provider = await findProvider(orgId, { ...loaded.agent, definition: agent.definition }, stage);
  const late = AbortSignal.timeout(timeoutMs);
  const signal = reader ? AbortSignal.any([late, reader.signal]) : late;
  const person = stage?.person ?? END_USER;
  const turn = provider.turn({
    agent: { id: agent.id, name: agent.name, definition: agent.definition },
    locale: talk.locale,
    variables: { end_user: person, ...talk.variables },
    end_user: { ...person, locale: talk.locale },
    history: talk.history.slice(-MAX_HISTORY),
    input: talk.input,
    state: talk.state,
    knowledge: stage?.knowledge ?? loaded.knowledge,
    now: stage?.now ?? new Date(),
    context: tryContext(orgId, agent.id, Object(talk.variables['end_user'])),
    signal,
    ...(stage?.task !== undefined && { task: stage.task }),
    ...(reader && { words: reader.words }),
  });
  return Promise.race([turn, tooLate(signal)]);
}

/** One turn for the playground. */
export const createPlayTurn =
  (deps: PlayTurnDeps): PlayTurn =>
  (orgId, agent, talk, reader) =>
    deps.plays(orgId, () => refusing(playOnce(deps, orgId, agent, talk, { reader })));

/** A provider that fails is a refusal here: someone waits for the answer. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'knowledge_failed') throw new Refusal('unavailable', error.message, { cause: error });
    throw new Refusal('provider_failed', error.message, { cause: error });
  }
}

/** The first answer from large documents may take longer than the request: reading continues after it. */
const tooLate = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () =>
      reject(new Refusal('unavailable', 'The agent is still loading its documents, or its model is slow.')),
    ),
  );
