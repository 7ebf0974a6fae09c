import { type CallWarning, type FinishReason, streamText, type ToolSet, type TypedToolCall } from 'ai';
import { garbled } from './map-failure.ts';
import type { StableText } from './stable-text.ts';

/** The last call of the model in a turn, as `generateText` returns it. */
type Answered = {
  text: string;
  toolCalls: TypedToolCall<ToolSet>[];
  finishReason: FinishReason;
  warnings: CallWarning[];
};

type Call = Parameters<typeof streamText>[0] & { abortSignal: AbortSignal };

/**
 * Returns the result of `generateText`, and shows the text while it arrives. Text before a tool call is not part of the
 * answer, so it is removed when the call begins. A stream without the provider's own end mark is not an answer, however
 * much of it arrived. The promise rejects with the first fault of the stream.
 */
export async function streamAnswer(call: Call, words: StableText): Promise<Answered> {
  const stop = new AbortController();
  const answered: Answered = { text: '', toolCalls: [], finishReason: 'other', warnings: [] };
  const result = streamText({
    ...call,
    abortSignal: AbortSignal.any([call.abortSignal, stop.signal]),
    // Without this function, the SDK prints the error, which contains the whole request.
    onError: () => {},
  });
  try {
    for await (const part of result.stream) {
      switch (part.type) {
        case 'start-step':
          answered.text = '';
          answered.toolCalls = [];
          answered.warnings = part.warnings;
          words.takeBack();
          break;
        case 'text-delta':
          answered.text += part.text;
          if (answered.toolCalls.length === 0) words.add(part.text);
          break;
        case 'tool-input-start':
          words.takeBack();
          break;
        case 'tool-call':
          answered.toolCalls.push(part);
          words.takeBack();
          break;
        case 'finish-step':
          answered.finishReason = part.finishReason;
          if (part.finishReason === 'interrupted' || part.finishReason === 'error') throw garbled();
          break;
        case 'error':
          throw part.error;
        case 'abort':
          call.abortSignal.throwIfAborted();
          break;
        default:
      }
    }
  } finally {
    // After a fault, the connection to the provider must not stay open.
    stop.abort();
  }
  return answered;
}
