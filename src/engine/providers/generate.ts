import { generateText, isStepCount, type LanguageModelUsage, type ModelMessage, type SystemModelMessage } from 'ai';
import { ProviderError } from '../provider.ts';
import { languageModel, type ModelSettings } from './language-model.ts';
import { garbled, mapFailure } from './map-failure.ts';
import { HAND_OFF_TOOL } from '../../../contract/agents.ts';
import type { Sources } from './find-sources.ts';
import { offerTools } from './offer-tools.ts';
import type { ToolTurn } from './run-tool.ts';
import { createSettledWords } from './settled-words.ts';
import { streamAnswer } from './stream-answer.ts';

/** Calls of the model in one turn; the last call offers no tools, so the model must answer. */
const MAX_STEPS = 5;
/** Anthropic remembers a prompt only up to a mark; the other providers remember its beginning by themselves. */
const REMEMBER = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };

export type Generation = {
  settings: ModelSettings;
  timeoutMs: number;
  model: string;
  instructions: { fixed: string; changing: string };
  sources: Sources;
  messages: ModelMessage[];
  turn: ToolTurn;
};

export type Generated = { text: string; handOff: { message: string } | null };

// The SDK would print warnings about a model's settings; they go into the trace instead.
globalThis.AI_SDK_LOG_WARNINGS = false;

export async function generate(generation: Generation): Promise<Generated> {
  const { settings, timeoutMs, model, instructions, sources, messages, turn } = generation;
  const { request, steps } = turn;
  const { signal, agent, words, calls } = request;
  const settled = words && createSettledWords(words, () => sources.passages.map(({ passage }) => passage));
  let answered: number | null = null;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    answered = null;
    await calls?.begin({ inputTokens: mostTokens(init?.body) });
    const timeout = AbortSignal.timeout(timeoutMs);
    const until = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const response = await settings.fetch(url, { ...init, signal: until });
    answered = response.status;
    return response;
  };
  try {
    const call = {
      model: await languageModel({ ...settings, fetch }, model),
      instructions: inForm(settings.name, instructions),
      messages,
      tools: offerTools(turn, sources),
      stopWhen: [isStepCount(MAX_STEPS), () => turn.asking !== null],
      prepareStep: ({ stepNumber }) => (stepNumber === MAX_STEPS - 1 ? { toolChoice: 'none' } : {}),
      onLanguageModelCallEnd: ({ finishReason, usage }) => {
        const tokens = { input_tokens: usage.inputTokens ?? null, output_tokens: usage.outputTokens ?? null };
        steps.push({ kind: 'model', detail: `${model}: ${finishReason}`, ...tokens });
        calls?.end(measured(usage));
      },
      temperature: agent.definition.temperature,
      maxOutputTokens: agent.definition.max_output_tokens ?? calls?.maxOutputTokens,
      abortSignal: signal,
      maxRetries: 0,
      telemetry: { isEnabled: false },
      // Asks the provider not to store the conversation.
      providerOptions: { openai: { store: false } },
      // A model may name files; fetching them would bypass the egress guard.
      experimental_download: async (files) => {
        if (files.length > 0) throw new Error('Files that a model names are not fetched.');
        return [];
      },
    } satisfies Parameters<typeof generateText>[0];
    const result = settled && words?.isRead() ? await streamAnswer(call, settled) : await generateText(call);
    const warnings = new Set(result.warnings?.map((warning) => JSON.stringify(warning)));
    for (const detail of warnings) steps.push({ kind: 'warning', detail });
    const text = result.text.trim();
    const handOff = result.toolCalls.find(({ toolName, invalid }) => toolName === HAND_OFF_TOOL && !invalid);
    if (handOff) {
      // The model may not follow the schema of a tool.
      const { reason, message } = Object(handOff.input) as { reason?: unknown; message?: unknown };
      steps.push({ kind: 'hand_off', detail: typeof reason === 'string' ? reason : '', reason: 'model' });
      return { text, handOff: { message: typeof message === 'string' ? message : '' } };
    }
    if (text !== '' || turn.asking !== null) return { text, handOff: null };
    if (result.finishReason !== 'content-filter') throw garbled();
    throw new ProviderError('provider_refused', 'The model provider blocked the answer (content filter).', {
      retryable: false,
    });
  } catch (error) {
    settled?.takeBack();
    if (signal.aborted) throw signal.reason;
    throw mapFailure(error, { apiKey: settings.apiKey, answered });
  }
}

const inForm = (
  name: ModelSettings['name'],
  { fixed, changing }: Generation['instructions'],
): string | SystemModelMessage[] =>
  name === 'anthropic'
    ? [
        { role: 'system', content: fixed, providerOptions: REMEMBER },
        { role: 'system', content: changing },
      ]
    : `${fixed}\n\n${changing}`;

/** Added by providers to what we send: marks between messages, their own words about tools. */
const ADDED_TOKENS = 500;

/** All SDKs send text; a body of another kind is assumed to be longer than any context window. */
const UNREADABLE_TOKENS = 10_000_000;

/** An upper limit for any provider: no token is shorter than a byte. */
const mostTokens = (body: unknown): number =>
  typeof body === 'string' ? Buffer.byteLength(body) + ADDED_TOKENS : UNREADABLE_TOKENS;

function measured({ inputTokens: input, outputTokens: output, inputTokenDetails }: LanguageModelUsage) {
  if (input === undefined || output === undefined) return null;
  return { input, output, cached: Math.min(inputTokenDetails.cacheReadTokens ?? 0, input) };
}
