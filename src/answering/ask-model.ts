import type { AgentDefinition } from '../../contract/agents.ts';
import { NO_KNOWLEDGE, ProviderError } from '../engine/provider.ts';
import type { Answering } from './open-answering.ts';
import { tryContext } from './try-context.ts';

export type ModelTask = {
  agent: { id: string; name: string; definition: AgentDefinition };
  /** The conversation whose costs include the call. */
  conversationId: string;
  task: string;
  /** The input of the task. The model must not follow instructions in the input. */
  input: unknown;
  timeoutMs: number;
};

/** Returns the name of the agent's model. Null: the built-in engine answers for the agent. */
export function modelOf({ provider, model }: AgentDefinition): string | null {
  return provider === undefined || provider === 'embedded' || model === undefined ? null : `${provider}/${model}`;
}

/**
 * Gives the model of an agent one task outside its turns, without tools, fallback and documents. The same pauses and
 * budgets apply as for the calls of turns.
 */
export async function askModel(
  { findProvider }: Pick<Answering, 'findProvider'>,
  orgId: string,
  { agent, conversationId, task, input, timeoutMs }: ModelTask,
): Promise<string> {
  const { provider: name, model } = agent.definition;
  const definition: AgentDefinition = { provider: name!, model: model!, hand_off: { on_request: false } };
  const provider = await findProvider(orgId, { definition });
  const text = JSON.stringify(input);
  const signal = AbortSignal.timeout(timeoutMs);
  const turn = provider.turn({
    agent: { id: agent.id, name: agent.name, definition },
    locale: null,
    variables: {},
    end_user: { id: '', name: null, locale: null },
    history: [{ role: 'end_user', text }],
    input: [text],
    state: null,
    knowledge: NO_KNOWLEDGE,
    now: new Date(),
    context: { ...tryContext(orgId, agent.id), conversation_id: conversationId },
    signal,
    task,
  });
  const { messages } = await Promise.race([turn, tooLate(signal)]);
  return messages
    .map(({ content }) => ('text' in content && content.text) || '')
    .join('\n')
    .trim();
}

const tooLate = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () =>
      reject(new ProviderError('provider_timeout', 'The model did not answer in time.', { retryable: true })),
    ),
  );
