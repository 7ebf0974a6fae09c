import { generateText, type ModelMessage, type SystemModelMessage } from 'ai';
import { cutText } from '../../../contract/cut-text.ts';
import { ProviderError } from '../provider.ts';
import { jsonForm } from './json-form.ts';
import { languageModel, type ModelSettings } from './language-model.ts';
import { garbled, mapFailure } from './map-failure.ts';
import { HAND_OFF_TOOL } from '../../../contract/agents.ts';
import { hideReasoning, withoutReasoning } from './hide-reasoning.ts';
import type { Sources } from './find-sources.ts';
import { offerTools } from './offer-tools.ts';
import { mostTokens, type ShownImages } from './show-images.ts';
import { readUsage } from './read-usage.ts';
import type { ToolTurn } from './run-tool.ts';
import { createStableText } from './stable-text.ts';
import { streamAnswer } from './stream-answer.ts';

/** The maximum number of model calls in one turn. The last call offers no tools, so the model must answer. */
const MAX_STEPS = 5;
/** A model that gave an empty or unreadable answer is called once more. */
const MAX_TRIES = 2;
/**
 * Anthropic caches a prompt only up to a marker. The other providers cache the beginning of a prompt automatically,
 * without a marker.
 */
const REMEMBER = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };

export type Generation = {
  settings: ModelSettings;
  timeoutMs: number;
  model: string;
  instructions: { fixed: string; changing: string };
  sources: Sources;
  messages: ModelMessage[];
  shown: ShownImages;
  turn: ToolTurn;
};

export type Generated = { text: string; handOff: { message: string } | null };

// The SDK would print warnings about a model's settings, which Parley records in the trace instead.
globalThis.AI_SDK_LOG_WARNINGS = false;

export async function generate(generation: Generation): Promise<Generated> {
  const progress: Progress = { steps: 0, messages: [] };
  for (let tries = 1; ; tries++) {
    try {
      return await generateOnce(generation, progress);
    } catch (error) {
      const isGarbled = error instanceof ProviderError && error.code === 'provider_garbled' && error.retryable;
      if (!isGarbled || tries === MAX_TRIES) throw error;
      // The trace contains the readable answers, but not the unreadable answer that caused a retry.
      generation.turn.steps.push({ kind: 'model_retry', detail: generation.model });
    }
  }
}

/**
 * The steps and messages of earlier attempts in the same turn. These steps count towards the limit, and their tool
 * calls are not repeated.
 */
type Progress = { steps: number; messages: ModelMessage[] };

async function generateOnce(generation: Generation, progress: Progress): Promise<Generated> {
  const { settings, timeoutMs, model, instructions, sources, messages, shown, turn } = generation;
  const { request, steps } = turn;
  const { signal, agent, words, calls } = request;
  const settled = words && hideReasoning(createStableText(words, () => sources.passages.map(({ passage }) => passage)));
  const before = progress.steps;
  let answered: number | null = null;
  let streamed = false;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    answered = null;
    await calls?.begin({ inputTokens: inputTokens(init?.body, shown) });
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
      messages: [...messages, ...progress.messages],
      tools: offerTools(turn, sources),
      ...(request.form && { output: jsonForm(request.form) }),
      stopWhen: [() => progress.steps >= MAX_STEPS, () => turn.asking !== null],
      prepareStep: ({ stepNumber }) => {
        turn.mayCall = before + stepNumber < MAX_STEPS - 1;
        return turn.mayCall ? {} : WITHOUT_TOOLS[settings.name];
      },
      onLanguageModelCallEnd: ({ finishReason, usage, responseId: id, modelId }) => {
        const used = readUsage(usage);
        const tokens = { input_tokens: used?.input ?? null, output_tokens: used?.output ?? null };
        steps.push({ kind: 'model', detail: `${model}: ${finishReason}`, ...tokens });
        calls?.end(used, { id, model: modelId, reason: finishReason });
      },
      onStepEnd: ({ toolCalls, response }) => {
        progress.steps++;
        if (toolCalls.length > 0) progress.messages.push(...response.messages);
      },
      temperature: agent.definition.temperature,
      maxOutputTokens: agent.definition.max_output_tokens ?? calls?.maxOutputTokens,
      abortSignal: signal,
      maxRetries: 0,
      telemetry: { isEnabled: false },
      // Asks the provider not to store the conversation.
      providerOptions: { openai: { store: false } },
      // A model may refer to files by URL. A download of such a file would bypass the egress guard.
      experimental_download: async (files) => {
        if (files.length > 0) throw new Error('Files that a model names are not fetched.');
        return [];
      },
    } satisfies Parameters<typeof generateText>[0];
    streamed = words?.isRead() ?? false;
    const result = settled && streamed ? await streamAnswer(call, settled) : await generateText(call);
    const warnings = new Set(result.warnings?.map((warning) => JSON.stringify(warning)));
    for (const detail of warnings) steps.push({ kind: 'warning', detail });
    return readAnswer(result, turn);
  } catch (error) {
    settled?.takeBack();
    // The provider may bill an answer that broke off.
    if (answered !== null && answered < 300) calls?.end(null);
    if (signal.aborted) throw signal.reason;
    throw mapFailure(error, { apiKey: settings.apiKey, answered: streamed ? null : answered });
  }
}

const MAX_REASON_CHARACTERS = 1_000;

type Answer = Pick<Awaited<ReturnType<typeof streamAnswer>>, 'text' | 'toolCalls' | 'finishReason'>;

function readAnswer({ text: written, toolCalls, finishReason }: Answer, { steps, asking }: ToolTurn): Generated {
  const text = withoutReasoning(written).trim();
  const handOff = toolCalls.find(({ toolName, invalid }) => toolName === HAND_OFF_TOOL && !invalid);
  if (handOff) {
    // A model may return arguments that do not match the schema of a tool.
    const { reason, message } = Object(handOff.input) as { reason?: unknown; message?: unknown };
    steps.push({ kind: 'hand_off', detail: cutText(asAnswer(reason), MAX_REASON_CHARACTERS), reason: 'model' });
    return { text, handOff: { message: asAnswer(message) } };
  }
  if (text !== '' || asking !== null) return { text, handOff: null };
  if (finishReason !== 'content-filter') throw garbled();
  throw new ProviderError('provider_refused', 'The model provider blocked the answer (content filter).', {
    retryable: false,
  });
}

const asAnswer = (value: unknown): string => (typeof value === 'string' ? withoutReasoning(value).trim() : '');

/**
 * Servers of open models ignore `tool_choice`, so they receive no tools at all. Anthropic refuses a conversation with
 * tool calls if the tools are not declared.
 */
const WITHOUT_TOOLS: Record<ModelSettings['name'], { toolChoice: 'none' } | { activeTools: [] }> = {
  openai_compatible: { activeTools: [] },
  openai: { toolChoice: 'none' },
  anthropic: { toolChoice: 'none' },
  google: { toolChoice: 'none' },
};

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

/** Tokens that providers add to the request, for marks between messages and texts about tools. */
const ADDED_TOKENS = 500;

/** All SDKs send text. A body that is not text is assumed to be longer than any context window. */
const UNREADABLE_TOKENS = 10_000_000;

/** The result is an upper limit for any provider, because no token is shorter than a byte. */
const inputTokens = (body: unknown, shown: ShownImages): number =>
  typeof body === 'string' ? mostTokens(Buffer.byteLength(body), shown) + ADDED_TOKENS : UNREADABLE_TOKENS;
