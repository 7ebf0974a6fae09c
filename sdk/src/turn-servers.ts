/**
 * Turns work with both kinds of servers: with Request and Response, and with the streams of Node. The types for Node's
 * streams need no package.
 */
export type NodeRequest = AsyncIterable<Uint8Array> & {
  headers: Record<string, string | string[] | undefined>;
  /** The raw bytes of the body that a body parser has stored. */
  rawBody?: Uint8Array | undefined;
  /** True if the stream was read before. */
  readableEnded?: boolean;
};

export type NodeResponse = {
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(chunk: string): boolean;
  end(chunk?: string): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  readonly destroyed?: boolean;
  readonly writableFinished?: boolean;
};

export type Received = {
  body: Uint8Array | ArrayBuffer;
  headers: Headers | NodeRequest['headers'];
  signal: AbortSignal;
};

export type TurnHttpResponse = { status: number; type: string; body: string | AsyncIterable<string> };

export const readWeb = async (request: Request): Promise<Received> => ({
  body: await request.arrayBuffer(),
  headers: request.headers,
  signal: request.signal,
});

export function toWeb({ status, type, body }: TurnHttpResponse): Response {
  const headers = { 'content-type': type };
  if (typeof body === 'string') return new Response(body, { status, headers });
  const pieces = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await pieces.return?.()),
  });
  return new Response(stream, { status, headers });
}

export async function readNode(request: NodeRequest, response: NodeResponse): Promise<Received> {
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  return { body: request.rawBody ?? (await bytesOf(request)), headers: request.headers, signal: abort.signal };
}

async function bytesOf(request: NodeRequest): Promise<Uint8Array> {
  if (request.readableEnded) {
    throw new TypeError('The body was parsed before. Mount turns(…) before express.json(), or keep the raw body.');
  }
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  const body = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

export async function sendNode(response: NodeResponse, { status, type, body }: TurnHttpResponse): Promise<void> {
  response.writeHead(status, { 'content-type': type });
  if (typeof body === 'string') return void response.end(body);
  let wake: (() => void) | undefined;
  // A caller that has left reads nothing, so there is no event "drain".
  response.once('close', () => wake?.());
  // Leaving the loop ends the function that creates the pieces.
  for await (const piece of body) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      response.once('drain', resolve);
    });
  }
  response.end();
}
