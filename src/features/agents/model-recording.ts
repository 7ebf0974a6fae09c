import { hash } from 'node:crypto';
import type { ModelRecording } from '../../answering/models/find-provider.ts';
import { ProviderError } from '../../engine/provider.ts';
import { withoutSecrets } from '../../kernel/egress/sent-secrets.ts';

type NewRecording = Extract<ModelRecording, { isReplay: false }>;
type StoredRecording = Extract<ModelRecording, { isReplay: true }>;

/** Records the complete answers of the model, by a hash of the request. */
export type Recorded = Record<string, string>;

/** An answer of a model is text, so a larger answer is not recorded. */
const MAX_ANSWER = 200_000;

export function startRecording(): NewRecording & { recorded: Recorded } {
  const recorded: Recorded = {};
  return {
    isReplay: false,
    recorded,
    // A server may repeat the API key in its answer, and the recording must not contain the key.
    through: (real, apiKey) => async (url, init) => {
      const response = await real(url, init);
      if (!response.ok) return response;
      const text = await response.text();
      // The key is also removed from this run, because the history of the next request contains the answer.
      const body = apiKey ? withoutSecrets(text, [apiKey]) : text;
      if (body.length <= MAX_ANSWER) recorded[asked(url, init?.body)] = body;
      return answer(body);
    },
  };
}

export function replayRecording(recorded: Recorded): StoredRecording & { isMissing(): boolean } {
  let missing = false;
  return {
    isReplay: true,
    isMissing: () => missing,
    fetch: async (url, init) => {
      const body = recorded[asked(url, init?.body)];
      if (body !== undefined) return answer(body);
      missing = true;
      throw new ProviderError('provider_refused', 'No answer is recorded.', { retryable: false });
    },
  };
}

const answer = (body: string): Response =>
  new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });

/** The maximum length of an answer depends on the organization's budgets, not on the question. */
const LIMITS = new Set(['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'maxOutputTokens']);

/**
 * The hash does not include the address of the server, except the last part of the path. For Google, the path ends with
 * the name of the model.
 */
function asked(url: Parameters<typeof fetch>[0], body: unknown): string {
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  // Each call to the customer's own code has a new ID and a new deadline, so the hash excludes them.
  const { generationConfig, turn: _, ...rest } = Object(typeof body === 'string' ? JSON.parse(body) : null) as Fields;
  const whole = [pathname.split('/').at(-1), withoutLimits(rest), withoutLimits(Object(generationConfig) as Fields)];
  return hash('sha256', JSON.stringify(whole, withoutMadeUpIds), 'base64url');
}

/** If a provider returns a tool call without an ID, the SDK creates a different ID each time. */
function withoutMadeUpIds(name: string, value: unknown): unknown {
  if (name === 'functionCall' || name === 'functionResponse') return { ...Object(value), id: undefined };
  if (name === 'tool_calls' && Array.isArray(value)) return value.map((call) => ({ ...Object(call), id: undefined }));
  return name === 'tool_call_id' ? undefined : value;
}

type Fields = Record<string, unknown>;

/** Removes limits only where a provider expects them, because an argument of a tool may have the same name. */
const withoutLimits = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !LIMITS.has(name)));
