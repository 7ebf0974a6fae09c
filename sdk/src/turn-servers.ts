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

/**
 * A larger body is refused before the check of its signature, because any stranger can send one. The longest turn of
 * Parley has about 5 MB.
 */
const MAX_TURN_BYTES = 16 * 1024 * 1024;

/** The body of a call is larger than the body of any turn. */
export class BodyTooLarge extends Error {
  constructor() {
    super('The body of a call is larger than the body of any turn, so it does not come from Parley.');
  }
}

export async function readWeb(request: Request): Promise<Received> {
  refuseLength(request.headers.get('content-length'));
  const body = request.body ? await bytesOf(chunksOf(request.body)) : await request.arrayBuffer();
  return { body, headers: request.headers, signal: request.signal };
}

/** Not every server can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

function refuseLength(declared: string | string[] | null | undefined): void {
  if (Number(declared ?? 0) > MAX_TURN_BYTES) throw new BodyTooLarge();
}

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
  return { body: request.rawBody ?? (await bodyOf(request)), headers: request.headers, signal: abort.signal };
}

async function bodyOf(request: NodeRequest): Promise<Uint8Array> {
  if (request.readableEnded) {
    throw new TypeError('The body was parsed before. Mount turns(…) before express.json(), or keep the raw body.');
  }
  refuseLength(request.headers['content-length']);
  return bytesOf(request);
}

/** An error ends the iteration, which closes the connection. */
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of chunks) {
    size += part.length;
    if (size > MAX_TURN_BYTES) throw new BodyTooLarge();
    parts.push(part);
  }
  const body = new Uint8Array(size);
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
