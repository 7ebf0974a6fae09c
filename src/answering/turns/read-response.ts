import { Refusal } from '../../../contract/problems.ts';
import type { TurnAnswer } from '../../../contract/turns.ts';
import { ProviderError, type Words } from '../../engine/provider.ts';
import { readRetryAfter } from '../../kernel/retry-after.ts';
import { storableText } from '../../kernel/storable.ts';
import type { CodeTurn } from '../../store/schema/run.ts';
import { checkAnswer } from './check-answer.ts';

const MAX_QUOTED_FAULTS = 5;

/**
 * Reads a complete answer, either as JSON or as a stream of events. Null: the code returned 202 and sends its answer
 * later.
 */
export async function readResponse(
  response: Response,
  fields: CodeTurn['fields'],
  words: Words | undefined,
): Promise<TurnAnswer | null> {
  if (response.status === 202) {
    await response.body?.cancel();
    return null;
  }
  if (response.status !== 200) throw await statusFailure(response);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const { text, shown } = isStream ? await readStream(response, words) : { text: await response.text(), shown: '' };
  // A recording has no content type.
  const answer = checked(parse(isStream || text.trimStart().startsWith('{') ? text : answerIn(text)), fields);
  if (!textOf(answer.messages[0]?.content).startsWith(shown)) words?.takeBack();
  return answer;
}

const textOf = (content: object | undefined): string => (content && 'text' in content && String(content.text)) || '';

function checked(answer: unknown, fields: CodeTurn['fields']): TurnAnswer {
  try {
    checkAnswer(answer, fields);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const faults = (error.extras.errors ?? []).slice(0, MAX_QUOTED_FAULTS);
    const list = faults.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join(' ');
    throw invalid(`The answer of your code is not valid. ${list}`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('The answer of your code is not JSON.');
  }
}

const invalid = (detail: string): ProviderError => new ProviderError('provider_garbled', detail, { retryable: false });

/**
 * Shows the deltas of a stream while they arrive. Returns the data of the event `answer`, and the text that was shown.
 */
async function readStream(response: Response, words?: Words): Promise<{ text: string; shown: string }> {
  let shown = '';
  for await (const { event, data } of eventsIn(response)) {
    // Leaving the loop closes the connection.
    if (event === 'answer') return { text: data, shown };
    if (event !== 'delta') continue;
    const delta = deltaOf(data);
    shown += delta;
    words?.add(delta);
  }
  throw new ProviderError('provider_unreachable', 'The stream of your code ended without the event "answer".', {
    retryable: true,
  });
}

const END_OF_EVENT = /\r?\n\r?\n/;

/**
 * A sender chooses the size of the parts, so this function reads each part once, not the whole event with each part.
 */
async function* eventsIn(response: Response): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let tail = '';
  for await (const chunk of response.body ?? []) {
    const part = decoder.decode(chunk as Uint8Array, { stream: true });
    parts.push(part);
    const end = tail + part;
    tail = end.slice(-3);
    if (!END_OF_EVENT.test(end)) continue;
    const blocks = parts.join('').split(END_OF_EVENT);
    const rest = blocks.pop()!;
    parts = [rest];
    tail = rest.slice(-3);
    for (const block of blocks) yield readEvent(block);
  }
  const last = readEvent(parts.join(''));
  if (last.event === 'answer') yield last;
}

const answerIn = (stream: string): string =>
  stream
    .split(/\r?\n\r?\n/)
    .map(readEvent)
    .find(({ event }) => event === 'answer')?.data ?? '';

function readEvent(block: string): { event: string; data: string } {
  const lines = block.split(/\r?\n/);
  const valuesOf = (field: string): string[] =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
}

function deltaOf(data: string): string {
  const { text } = Object(parse(data)) as { text?: unknown };
  if (typeof text !== 'string')
    throw invalid('The answer of your code is not valid. /text: An event "delta" has a text.');
  return storableText(text);
}

async function statusFailure(response: Response): Promise<ProviderError> {
  await response.body?.cancel();
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const detail = `Your code returned ${status}.`;
  if (status === 429) return new ProviderError('provider_rate_limited', detail, { retryable: true, retryAfterMs });
  const mayPass = status >= 500 || status === 408 || status === 425;
  return new ProviderError(mayPass ? 'provider_unreachable' : 'provider_refused', detail, {
    retryable: mayPass,
    retryAfterMs: mayPass ? retryAfterMs : null,
  });
}
