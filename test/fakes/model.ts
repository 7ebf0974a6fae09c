import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeTranscripts } from './transcripts.ts';
import { createFakeEmbeddings, type FakeEmbeddings } from './embeddings.ts';
import { streamReply } from './model-stream.ts';
import type { Json, ModelReply, RecordedCall, Success, Used, Wire, WireFormat } from './model-wire.ts';

/**
 * Starts a model server on a real port with the wire formats of the providers, which it selects by path. The formats
 * are OpenAI chat completions (as of every "OpenAI-compatible" server), OpenAI responses, Anthropic messages and Google
 * generateContent. Each format has whole responses and streams (model-stream.ts). The fake's replies come from a
 * script, one per call. With an empty script, the fake repeats the person's last message. Like a real provider, the
 * fake refuses wrong credentials and invalid requests, so a passing test has sent a request that the provider accepts.
 */
export type FakeModel = {
  url: string;
  /** Returns the base URL for a provider. */
  baseUrl(format: WireFormat): string;
  /** Sets the replies for the next calls, in order. */
  script(...replies: ModelReply[]): void;
  readonly calls: RecordedCall[];
  /** Only OpenAI, OpenAI-compatible servers and Google have embeddings. */
  embeddings: FakeEmbeddings;
  /** Only OpenAI and OpenAI-compatible servers have transcripts. */
  transcripts: FakeTranscripts;
  close(): Promise<void>;
};

const USED: Used = { input: 12, cached: 0, output: 5 };

export const FAKE_MODEL_KEY = 'fake-key-5d1f0c9e7b';

export async function startFakeModel({ key = FAKE_MODEL_KEY } = {}): Promise<FakeModel> {
  const calls: RecordedCall[] = [];
  const replies: ModelReply[] = [];
  const embeddings = createFakeEmbeddings({ key });
  const transcripts = new FakeTranscripts();
  const server = createServer((request, response) => {
    void answer(request, response, key, { calls, replies, embeddings, transcripts }).catch((error: unknown) =>
      response.destroy(error as Error),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseUrl: (format) => `${url}${format === 'google' ? '/v1beta' : '/v1'}`,
    script: (...more) => void replies.push(...more),
    calls,
    embeddings,
    transcripts,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  {
    calls,
    replies,
    embeddings,
    transcripts,
  }: Pick<FakeModel, 'embeddings' | 'transcripts'> & {
    calls: RecordedCall[];
    replies: ModelReply[];
  },
): Promise<void> {
  const path = request.url ?? '';
  const wire = WIRES.find(({ path: expression }) => expression.test(path));
  const bytes = Buffer.concat(await request.toArray());
  const { headers } = request;
  if (request.method === 'POST' && (await transcripts.answer({ path, headers, body: bytes }, key, response))) return;
  const text = bytes.toString();
  if (request.method === 'POST' && (await embeddings.answer({ path, headers: request.headers, text }, response)))
    return;
  if (request.method !== 'POST' || wire === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('no such route');
    return;
  }
  const body: Json = JSON.parse(text);
  calls.push({ format: wire.format, path, headers: request.headers, body });
  if (!wire.isAuthorized(request.headers, key)) {
    refuse(response, wire, { status: 401, message: 'Incorrect API key provided.' });
    return;
  }
  const fault = wire.fault(body, path);
  const isStreamed = body.stream === true || path.includes(':streamGenerateContent');
  if (fault !== null) {
    refuse(response, wire, { status: 400, message: fault });
    return;
  }
  const reply = replies.shift() ?? { text: `You said: ${wire.lastWords(body)}` };
  if (isStreamed && !('status' in reply)) return streamReply(response, wire, reply, body);
  if ('pieces' in reply) {
    // A response without a stream is sent after its last piece.
    for (const piece of reply.pieces.keys()) await reply.next?.(piece);
    sendJson(response, 200, wire.success({ text: reply.pieces.join('') }, body));
  } else if ('status' in reply) refuse(response, wire, reply);
  else if ('garbage' in reply) garble(response, wire, reply.garbage);
  else if ('stall' in reply) {
    if (reply.stall === 'in_body') response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
  } else sendJson(response, 200, wire.success(reply, body));
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, wire: Wire, reply: Extract<ModelReply, { status: number }>): void {
  const message = reply.message ?? `Fake refusal ${reply.status}.`;
  sendJson(response, reply.status, wire.failure(reply.status, message), reply.headers);
}

function garble(response: ServerResponse, wire: Wire, kind: Extract<ModelReply, { garbage: string }>['garbage']): void {
  const whole = JSON.stringify(wire.success({ text: 'never seen' }, {}));
  response.setHeader('content-type', 'application/json');
  if (kind === 'not_json') response.end('<html><body>Bad gateway</body></html>');
  else if (kind === 'wrong_shape') response.end('{"hello":"world"}');
  else if (kind === 'truncated') response.end(whole.slice(0, -20));
  else {
    response.setHeader('content-length', whole.length);
    response.write(whole.slice(0, 20), () => response.destroy());
  }
}

let counter = 0;
const id = (prefix: string) => `${prefix}${(++counter).toString(36).padStart(12, '0')}`;
const asText = (content: Json): string =>
  typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('');
const lastOf = (messages: Json[], role: string): Json => messages.findLast((message: Json) => message.role === role);
const usedBy = (reply: Success): Used => ('used' in reply && reply.used) || USED;
const textOf = (reply: Success): string => ('text' in reply ? (reply.text ?? '') : '');
const reasoningOf = (reply: Success): string | null => ('reasoning' in reply && reply.reasoning) || null;
const bearer = (headers: IncomingHttpHeaders, key: string) => headers.authorization === `Bearer ${key}`;
const openaiFailure = (status: number, message: string) => ({
  error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'invalid_request_error', param: null, code: null },
});

const chatUsage = ({ input, cached, output }: Used) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});
const responsesUsage = ({ input, cached, output }: Used) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
});
/** Anthropic does not include cached tokens in the input count. */
const messagesUsage = ({ input, cached, output }: Used) => ({
  input_tokens: input - cached,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
  output_tokens: output,
});
const googleUsage = ({ input, cached, output }: Used) => ({
  promptTokenCount: input,
  cachedContentTokenCount: cached,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
});

const chatCompletions: Wire = {
  format: 'openai_compatible',
  path: /^\/v1\/chat\/completions$/,
  isAuthorized: bearer,
  fault(body) {
    if (!body.model) return 'you must provide a model parameter';
    if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' is too short";
    const answered = new Set(body.messages.map((message: Json) => message.tool_call_id));
    const open = body.messages.flatMap((message: Json) => message.tool_calls ?? []);
    return open.every((call: Json) => answered.has(call.id)) ? null : 'tool_call_ids did not have response messages';
  },
  lastWords: (body) => asText(lastOf(body.messages, 'user')?.content),
  success: (reply, body) => ({
    id: id('chatcmpl-'),
    object: 'chat.completion',
    created: 1_795_000_000,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf(reply) || null,
          ...(reasoningOf(reply) && { reasoning_content: reasoningOf(reply) }),
          ...('tool' in reply && {
            tool_calls: Array.from({ length: reply.times ?? 1 }, () => ({
              id: id('call_'),
              type: 'function',
              function: { name: reply.tool, arguments: JSON.stringify(reply.args) },
            })),
          }),
        },
        logprobs: null,
        finish_reason:
          'tool' in reply ? 'tool_calls' : 'empty' in reply && reply.empty === 'filtered' ? 'content_filter' : 'stop',
      },
    ],
    usage: chatUsage(usedBy(reply)),
  }),
  failure: openaiFailure,
};

const responses: Wire = {
  format: 'openai',
  path: /^\/v1\/responses$/,
  isAuthorized: bearer,
  fault(body) {
    if (!body.model) return "Missing required parameter: 'model'.";
    if (!Array.isArray(body.input) || body.input.length === 0) return "Missing required parameter: 'input'.";
    if (body.input.some((item: Json) => item.type === 'item_reference') && body.store === false) {
      return 'Items are not persisted when `store` is set to false.';
    }
    const called = body.input.filter((item: Json) => item.type === 'function_call');
    const answered = new Set(
      body.input.filter((item: Json) => item.type === 'function_call_output').map((item: Json) => item.call_id),
    );
    return called.every((item: Json) => answered.has(item.call_id)) ? null : 'No tool output found for function call.';
  },
  lastWords: (body) => asText(lastOf(body.input, 'user')?.content),
  success(reply, body) {
    const text = textOf(reply);
    const isFiltered = 'empty' in reply && reply.empty === 'filtered';
    const response = {
      type: 'message',
      id: id('msg_'),
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    };
    const summary = [{ type: 'summary_text', text: reasoningOf(reply) }];
    const thought = reasoningOf(reply) && { type: 'reasoning', id: id('rs_'), summary };
    const call = 'tool' in reply && {
      type: 'function_call',
      id: id('fc_'),
      call_id: id('call_'),
      name: reply.tool,
      arguments: JSON.stringify(reply.args),
      status: 'completed',
    };
    return {
      id: id('resp_'),
      object: 'response',
      created_at: 1_795_000_000,
      status: isFiltered ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: isFiltered ? { reason: 'content_filter' } : null,
      model: body.model,
      output: [...(thought ? [thought] : []), ...(text ? [response] : []), ...(call ? [call] : [])],
      usage: responsesUsage(usedBy(reply)),
    };
  },
  failure: openaiFailure,
};

const messages: Wire = {
  format: 'anthropic',
  path: /^\/v1\/messages$/,
  isAuthorized: (headers, key) => headers['x-api-key'] === key && headers['anthropic-version'] !== undefined,
  fault(body) {
    if (!body.model) return 'model: Field required';
    if (!(body.max_tokens > 0)) return 'max_tokens: Field required';
    if (!Array.isArray(body.messages) || body.messages.length === 0)
      return 'messages: at least one message is required';
    if (body.messages[0].role !== 'user') return 'messages: first message must use the "user" role';
    if (body.messages.some((message: Json) => asText(message.content) === '' && typeof message.content === 'string')) {
      return 'messages: text content blocks must be non-empty';
    }
    const parts = body.messages.flatMap((message: Json) => message.content) as Json[];
    const answered = new Set(parts.map((part) => part.tool_use_id));
    return parts.every((part) => part.type !== 'tool_use' || answered.has(part.id))
      ? null
      : 'messages: `tool_use` ids were found without `tool_result` blocks immediately after';
  },
  lastWords: (body) => asText(lastOf(body.messages, 'user')?.content),
  success: (reply, body) => ({
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [
      ...(reasoningOf(reply) ? [{ type: 'thinking', thinking: reasoningOf(reply), signature: 'c2lnbmVk' }] : []),
      ...(textOf(reply) ? [{ type: 'text', text: textOf(reply) }] : []),
      ...('tool' in reply ? [{ type: 'tool_use', id: id('toolu_'), name: reply.tool, input: reply.args }] : []),
    ],
    stop_reason: 'tool' in reply ? 'tool_use' : 'empty' in reply && reply.empty === 'filtered' ? 'refusal' : 'end_turn',
    stop_sequence: null,
    usage: messagesUsage(usedBy(reply)),
  }),
  failure: (status, message) => ({
    type: 'error',
    error: {
      type: status === 429 ? 'rate_limit_error' : status >= 500 ? 'api_error' : 'invalid_request_error',
      message,
    },
    request_id: id('req_'),
  }),
};

const generateContent: Wire = {
  format: 'google',
  path: /^\/v1beta\/models\/[^/]+:(generateContent|streamGenerateContent\?alt=sse)$/,
  isAuthorized: (headers, key) => headers['x-goog-api-key'] === key,
  fault(body) {
    if (!Array.isArray(body.contents) || body.contents.length === 0) return 'contents is not specified';
    if (body.contents[0].role !== 'user') return 'Please ensure that the conversation begins with a user turn.';
    const parts = body.contents.flatMap((content: Json) => content.parts) as Json[];
    const count = (kind: string) => parts.filter((part) => kind in part).length;
    return count('functionCall') === count('functionResponse')
      ? null
      : 'Please ensure that function response turn comes immediately after a function call turn.';
  },
  lastWords: (body) => asText(lastOf(body.contents, 'user')?.parts),
  success(reply, body) {
    const parts = [
      ...(reasoningOf(reply) ? [{ text: reasoningOf(reply), thought: true }] : []),
      ...(textOf(reply) ? [{ text: textOf(reply) }] : []),
      ...('tool' in reply ? [{ functionCall: { name: reply.tool, args: reply.args } }] : []),
    ];
    const isFiltered = 'empty' in reply && reply.empty === 'filtered';
    return {
      candidates: [
        {
          ...(parts.length > 0 && { content: { parts, role: 'model' } }),
          finishReason: isFiltered ? 'SAFETY' : 'STOP',
          index: 0,
        },
      ],
      usageMetadata: googleUsage(usedBy(reply)),
      modelVersion: body.model ?? 'fake',
    };
  },
  failure: (status, message) => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  }),
};

const WIRES: Wire[] = [chatCompletions, responses, messages, generateContent];
