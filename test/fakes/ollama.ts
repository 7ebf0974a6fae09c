import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeEmbeddings, type FakeEmbeddings } from './embeddings.ts';

/**
 * Starts Ollama on a real port, with its OpenAI-compatible routes `/v1/embeddings`, `/v1/chat/completions` and
 * `/v1/models`. The fake Ollama needs no key. The fake has only the models that were pulled, and reports other models
 * with Ollama's own error.
 */
export type FakeOllama = {
  baseUrl: string;
  embeddings: FakeEmbeddings;
  /** The replies of the next chats. With an empty script, the fake repeats the last message. */
  script(...texts: string[]): void;
  readonly chats: { model: string; messages: { role: string; content: string }[]; stream?: boolean }[];
  close(): Promise<void>;
};

const PULLED = ['llama3.1:8b', 'nomic-embed-text'];

export async function startFakeOllama({ dimensions = 768 } = {}): Promise<FakeOllama> {
  const embeddings = createFakeEmbeddings({ key: null, dimensions });
  const texts: string[] = [];
  const chats: FakeOllama['chats'] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const text = Buffer.concat(await request.toArray()).toString();
    if (path === '/v1/models') {
      const data = PULLED.map((id) => ({ id, object: 'model', created: 1_795_000_000, owned_by: 'library' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    const body = text === '' ? {} : JSON.parse(text);
    if (body.model !== undefined && !PULLED.includes(body.model.replace(/:latest$/, ''))) {
      const message = `model "${body.model}" not found, try pulling it first`;
      return sendJson(response, 404, { error: { message, type: 'api_error', param: null, code: null } });
    }
    if (await embeddings.answer({ path, headers: request.headers, text }, response)) return;
    if (path !== '/v1/chat/completions') return void response.writeHead(404).end('404 page not found');
    chats.push(body);
    chat(response, body, texts.shift() ?? `You said: ${body.messages.at(-1).content}`);
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    embeddings,
    script: (...more) => void texts.push(...more),
    chats,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- a foreign format
function chat(response: ServerResponse, body: any, text: string): void {
  const usage = { prompt_tokens: 26, completion_tokens: text.split(' ').length, total_tokens: 26 };
  usage.total_tokens += usage.completion_tokens;
  const head = { id: 'chatcmpl-404', created: 1_795_000_000, model: body.model, system_fingerprint: 'fp_ollama' };
  if (body.stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
    return sendJson(response, 200, { ...head, object: 'chat.completion', choices, usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const frame = (choices: unknown[], more = {}): void =>
    void response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  for (const content of text.match(/\s*\S+/g) ?? []) {
    frame([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
  }
  frame([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }]);
  if (body.stream_options?.include_usage) frame([], { usage });
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
