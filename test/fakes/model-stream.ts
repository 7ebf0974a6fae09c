import type { ServerResponse } from 'node:http';
import type { Json, ModelReply, StreamEnd, Success, Wire, WireFormat } from './model-wire.ts';

/** The frames before the text, for each piece of the text, after the text, and for an error. */
type Frames = { begin: string[]; piece(text: string): string; end: string[]; error: string };

/** Replies with server-sent events, with exactly the frames that each provider sends. */
export async function streamReply(
  response: ServerResponse,
  wire: Wire,
  reply: Exclude<ModelReply, { status: number }>,
  body: Json,
): Promise<void> {
  if ('stall' in reply && reply.stall === 'before_headers') return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { pieces, next, ending, success } = planOf(reply);
  const frames = FRAMES[wire.format](wire.success(success, body) as Json, body);
  if (ending === 'only_error') return void response.end(frames.error.repeat(2));
  response.write(frames.begin.join(''));
  for (const [index, piece] of pieces.entries()) {
    await next?.(index);
    if (response.destroyed) return;
    response.write(frames.piece(piece));
  }
  // All earlier data is sent before the connection breaks.
  if (ending === 'cut') response.write(':\n\n', () => setTimeout(() => response.destroy(), 20));
  else if (ending === 'short') response.end();
  else if (ending === 'half') response.end(frames.piece('never seen').slice(0, -20));
  else if (ending === 'garbage') response.end('data: <html>Bad gateway</html>\n\n');
  else if (ending === 'error') response.end(frames.error);
  else if (ending === undefined) response.end(frames.end.join(''));
}

type Plan = { pieces: string[]; next?: (piece: number) => Promise<void>; ending?: StreamEnd; success: Success };

const ENDS = { not_json: 'garbage', truncated: 'half', wrong_shape: 'short', broken_off: 'cut' } as const;

function planOf(reply: Exclude<ModelReply, { status: number }>): Plan {
  if ('pieces' in reply) return { ...reply, success: { text: reply.pieces.join('') } };
  if ('garbage' in reply) return { pieces: ['never seen'], ending: ENDS[reply.garbage], success: { text: '' } };
  if ('stall' in reply) return { pieces: [], ending: 'stall', success: { text: '' } };
  // Each token is a word with the preceding space.
  return { pieces: 'text' in reply ? (reply.text?.match(/\s*\S+|\s+$/g) ?? []) : [], success: reply };
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: Json): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const halves = (text: string): [string, string] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const FRAMES: Record<WireFormat, (whole: Json, body: Json) => Frames> = {
  openai_compatible(whole, body) {
    const { choices, usage, ...rest } = whole;
    const { message, finish_reason } = choices[0];
    const chunk = (delta: Json, reason: string | null = null) =>
      data({
        ...rest,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      });
    const calls = (message.tool_calls ?? []).flatMap(({ function: made, ...call }: Json, index: number) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: made.name, arguments: '' } }] }),
      ...halves(made.arguments).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]);
    return {
      begin: [
        chunk({ role: 'assistant', content: '' }),
        ...(message.reasoning_content ? [chunk({ reasoning_content: message.reasoning_content })] : []),
      ],
      piece: (content) => chunk({ content }),
      end: [
        ...calls,
        chunk({}, finish_reason),
        ...(body.stream_options?.include_usage
          ? [data({ ...rest, object: 'chat.completion.chunk', choices: [], usage })]
          : []),
        'data: [DONE]\n\n',
      ],
      error: data({ error: { message: 'The server had an error.', type: 'server_error', param: null, code: null } }),
    };
  },

  openai(whole) {
    let sequence_number = 0;
    const frame = (value: Json) => named({ ...value, sequence_number: sequence_number++ });
    const output = whole.output.find(({ type }: Json) => type === 'message');
    const thought = whole.output.find(({ type }: Json) => type === 'reasoning');
    const item = {
      type: 'message',
      id: output?.id ?? 'msg_none',
      status: 'in_progress',
      role: 'assistant',
      content: [],
    };
    const at = { item_id: item.id, output_index: 0, content_index: 0 };
    const calls = whole.output.filter(({ type }: Json) => type === 'function_call');
    const started = { ...whole, status: 'in_progress', output: [], usage: null };
    return {
      begin: [
        frame({ type: 'response.created', response: started }),
        ...(thought
          ? [
              frame({ type: 'response.output_item.added', output_index: 7, item: { ...thought, summary: [] } }),
              frame({
                type: 'response.reasoning_summary_text.delta',
                item_id: thought.id,
                output_index: 7,
                summary_index: 0,
                delta: thought.summary[0].text,
              }),
              frame({ type: 'response.output_item.done', output_index: 7, item: thought }),
            ]
          : []),
        frame({ type: 'response.output_item.added', output_index: 0, item }),
        frame({ type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } }),
      ],
      piece: (delta) => frame({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }),
      end: [
        frame({
          type: 'response.output_item.done',
          output_index: 0,
          item: { ...item, ...output, status: 'completed' },
        }),
        ...calls.flatMap((call: Json, index: number) => [
          frame({ type: 'response.output_item.added', output_index: index + 1, item: { ...call, arguments: '' } }),
          ...halves(call.arguments).map((delta) =>
            frame({ type: 'response.function_call_arguments.delta', item_id: call.id, output_index: index + 1, delta }),
          ),
          frame({ type: 'response.output_item.done', output_index: index + 1, item: call }),
        ]),
        frame({ type: whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: whole }),
      ],
      error: frame({ type: 'error', code: 'server_error', message: 'The server had an error.', param: null }),
    };
  },

  anthropic(whole) {
    const { content, stop_reason, stop_sequence, usage, ...rest } = whole;
    const thought = content.find(({ type }: Json) => type === 'thinking');
    const text = content.findIndex(({ type }: Json) => type === 'text') >= 0;
    const calls = content.filter(({ type }: Json) => type === 'tool_use');
    const start = {
      ...rest,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    };
    return {
      begin: [
        named({ type: 'message_start', message: start }),
        ...(thought
          ? [
              named({
                type: 'content_block_start',
                index: 9,
                content_block: { ...thought, thinking: '', signature: '' },
              }),
              named({
                type: 'content_block_delta',
                index: 9,
                delta: { type: 'thinking_delta', thinking: thought.thinking },
              }),
              named({ type: 'content_block_stop', index: 9 }),
            ]
          : []),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        named({ type: 'ping' }),
      ],
      piece: (words) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } }),
      end: [
        named({ type: 'content_block_stop', index: 0 }),
        ...calls.flatMap(({ input, ...call }: Json, at: number) => [
          named({ type: 'content_block_start', index: at + (text ? 1 : 2), content_block: { ...call, input: {} } }),
          ...halves(JSON.stringify(input)).map((partial_json) =>
            named({
              type: 'content_block_delta',
              index: at + (text ? 1 : 2),
              delta: { type: 'input_json_delta', partial_json },
            }),
          ),
          named({ type: 'content_block_stop', index: at + (text ? 1 : 2) }),
        ]),
        named({
          type: 'message_delta',
          delta: { stop_reason, stop_sequence },
          usage: { output_tokens: usage.output_tokens },
        }),
        named({ type: 'message_stop' }),
      ],
      error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    };
  },

  google(whole) {
    const { candidates, usageMetadata, ...rest } = whole;
    const { content, finishReason } = candidates[0];
    const frame = (parts: Json[], more: Json = {}) =>
      data({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], usageMetadata, ...rest });
    const calls = (content?.parts ?? []).filter((part: Json) => 'functionCall' in part);
    const thoughts = (content?.parts ?? []).filter(({ thought }: Json) => thought);
    return {
      begin: thoughts.length > 0 ? [frame(thoughts)] : [],
      piece: (text) => frame([{ text }]),
      end: [frame(calls, { finishReason })],
      error: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
    };
  },
};
