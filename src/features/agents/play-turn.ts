import type { AgentDefinition } from '../../../contract/agents.ts';
import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Answering } from '../../answering/open-answering.ts';
import type { ModelRecording } from '../../answering/models/find-provider.ts';
import { MADE_UP_PERSON, tryContext } from '../../answering/try-context.ts';
import { type KnowledgeSearch, MAX_HISTORY, ProviderError } from '../../engine/provider.ts';
import type { DecideInPlace, KnownApproval } from '../../engine/providers/stored-call.ts';
import type { CallTool } from '../../engine/providers/run-tool.ts';

/** A user waits at most this long for the answer. */
export const PLAY_TIMEOUT_MS = 25_000;
const END_USER = { id: MADE_UP_PERSON, name: null };

export type PlayTurnDeps = Pick<Answering, 'loadAgent' | 'findProvider'> & { timeoutMs?: number };
export type PlayedAgent = { id: string; name: string; revision: number; definition: AgentDefinition };

/** A conversation that exists only in the request. */
export type Talk = {
  history: { role: 'agent' | 'end_user'; text: string; image?: string }[];
  /** The person's messages after the agent's last turn. Empty: the agent opens the conversation. */
  input: string[];
  state: unknown;
  variables: Record<string, unknown>;
  locale: string | null;
};

/** A member who reads the answer while the model writes it, and may leave before the end. */
export type TalkReader = {
  words: { isRead(): boolean; add(text: string): void; takeBack(): void };
  signal: AbortSignal;
};

/**
 * The parts that a test replaces, which are the clock, the results of tools, the made-up person, the answers of a
 * model, and the task of the model.
 */
export type Stage = {
  now: Date;
  callTool: CallTool;
  endUser?: { id: string; name: string | null };
  recording?: ModelRecording;
  task?: string;
  /** The decision about a tool call that needs an approval. Absent: the call is approved. */
  decideApproval?: DecideInPlace;
  /** In a replay, tool calls wait as in the real conversation, and the decisions about them are known. */
  approvals?: readonly KnownApproval[];
  knowledge?: KnowledgeSearch;
};

type PlayOptions = { reader?: TalkReader | undefined; stage?: Stage; decideApproval?: DecideInPlace };
const approveAll: DecideInPlace = () => ({ approved: true });

/** Runs one turn with the engine of real conversations. The function stores nothing. */
export async function playOnce(
  { loadAgent, findProvider, timeoutMs = PLAY_TIMEOUT_MS }: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  talk: Talk,
  { reader, stage, decideApproval = stage?.decideApproval ?? approveAll }: PlayOptions = {},
): Promise<PlaygroundTurn> {
  const loaded = await loadAgent(orgId, agent.id, agent.revision);
  const provider = await findProvider(orgId, { ...loaded.agent, definition: agent.definition }, stage);
  const late = AbortSignal.timeout(timeoutMs);
  const signal = reader ? AbortSignal.any([late, reader.signal]) : late;
  const person = stage?.endUser ?? END_USER;
  const turn = provider.turn({
    agent: { id: agent.id, name: agent.name, definition: agent.definition },
    locale: talk.locale,
    variables: { end_user: person, ...talk.variables },
    end_user: { ...person, locale: talk.locale },
    history: talk.history.slice(-MAX_HISTORY),
    input: talk.input,
    state: talk.state,
    knowledge: stage?.knowledge ?? loaded.knowledge,
    ...(loaded.openImages && { openImages: loaded.openImages }),
    now: stage?.now ?? new Date(),
    context: tryContext(orgId, agent.id, Object(talk.variables['end_user'])),
    signal,
    ...(stage?.approvals ? { approvals: stage.approvals } : { decideApproval }),
    ...(stage?.task !== undefined && { task: stage.task }),
    ...(reader && { words: reader.words }),
  });
  const { requested: _requested, readDecisions: _read, ...played } = await Promise.race([turn, tooLate(signal)]);
  return played;
}

/** A failure of the provider becomes a refusal, because a member waits for the answer. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'knowledge_failed' || error.code === 'images_busy')
      throw new Refusal('unavailable', error.message, { cause: error });
    throw new Refusal('provider_failed', error.message, { cause: error });
  }
}

/**
 * The first answer from large documents may take longer than a request may last. After such a timeout, the documents
 * continue to load.
 */
const tooLate = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () =>
      reject(new Refusal('unavailable', 'The agent is still loading its documents, or its model is slow.')),
    ),
  );
