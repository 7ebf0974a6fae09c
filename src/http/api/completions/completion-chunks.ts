import type { CompletionDetails, CompletionUsage } from '../../../../contract/completions.ts';
import type { Message } from '../../../../contract/messages.ts';
import type { RunRecord } from '../../../../contract/triggers.ts';
import type { RunReader } from '../../../features/triggers/follow-run.ts';
import { answerPending, BETWEEN, detailsOf, secondsOf, textOf, usageOf } from './present-completion.ts';

export type Chunked = {
  id: string;
  createdAt: string;
  model: string;
  /** With `stream_options.include_usage`, the last chunk has the usage. */
  hasUsage: boolean;
  isRepeatable: boolean;
};

/** Receives the `data` of each event, and returns false if the reader has disconnected. */
export type SendData = (data: string) => boolean;

type Delta = { role?: 'assistant'; content?: string };
type Choice = { index: 0; delta: Delta; logprobs: null; finish_reason: 'stop' | null };

const choice = (delta: Delta, finish: 'stop' | null = null): Choice[] => [
  { index: 0, delta, logprobs: null, finish_reason: finish },
];

/**
 * Converts the events of a run to chunks of a completion. If the text of a model is withdrawn (the model calls a tool,
 * or fails and another model answers), the sent text cannot be removed. After withdrawn text, the stored message
 * follows, with an empty line before it.
 */
export function createChunks(
  { id, createdAt, model, hasUsage, isRepeatable }: Chunked,
  sendData: SendData,
): RunReader & { finish(run: RunRecord): void } {
  let isGone = false;
  /** The part of the current message that was sent to the reader. */
  let shown = '';
  let isAtStart = true;
  const sent = new Set<string>();

  const chunk = (choices: Choice[], more: { usage?: CompletionUsage; parley?: CompletionDetails } = {}): boolean => {
    const usage = more.usage ?? null;
    const body = { id, object: 'chat.completion.chunk', created: secondsOf(createdAt), model, choices };
    if (!sendData(JSON.stringify({ ...body, ...more, ...(hasUsage && { usage }) }))) isGone = true;
    return !isGone;
  };
  const add = (text: string): boolean => {
    if (text === '') return !isGone;
    const isNext = shown === '' && !isAtStart;
    isAtStart = false;
    shown += text;
    return chunk(choice({ content: isNext ? BETWEEN + text : text }));
  };
  /** `text`: the whole text of the current message so far. */
  const show = (text: string): boolean => {
    if (text.startsWith(shown)) return add(text.slice(shown.length));
    shown = '';
    return add(text);
  };
  const say = (message: Message): boolean => {
    if (message.role !== 'agent' || sent.has(message.id)) return !isGone;
    sent.add(message.id);
    const isSent = show(textOf(message));
    shown = '';
    return isSent;
  };

  chunk(choice({ role: 'assistant', content: '' }));
  return {
    send: (event, data) => {
      if (event === 'delta') return add((data as { text: string }).text);
      if (event === 'replace') return show((data as { text: string }).text);
      return event === 'message' ? say(data as Message) : !isGone;
    },
    finish: (run) => {
      if (run.status === 'queued' || run.status === 'running') throw answerPending(run.id, isRepeatable);
      run.messages?.forEach(say);
      chunk(choice({}, 'stop'), { parley: detailsOf(run) });
      if (hasUsage) chunk([], { usage: usageOf(run) });
      sendData('[DONE]');
    },
    get ended() {
      return isGone;
    },
  };
}
