import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/**
 * Returns embeddings in the wire formats of OpenAI (also of every OpenAI-compatible server) and Google. A vector
 * depends only on the words: the words of one concept have the same direction, and every other word has its own
 * direction. Only a paraphrase has a near vector, even without a common word. The fake uses scripted replies first.
 */
export type EmbeddingReply =
  /**
   * With `batches`, the reply waits for a request with more than one text, so a check of the model does not use the
   * reply.
   */
  | { status: number; message?: string; headers?: Record<string, string>; batches?: true; after?: Promise<unknown> }
  | { garbage: 'not_json' | 'truncated' | 'wrong_shape' | 'infinite' | 'zero' }
  /** The response has this many more vectors than the request has texts. */
  | { extra: number }
  | { dimensions: number }
  /** The response is sent after this promise resolves. */
  | { after: Promise<unknown>; batches?: true };

export type EmbeddingCall = {
  format: 'openai' | 'google';
  model: string;
  texts: string[];
  headers: IncomingHttpHeaders;
};

export type FakeEmbeddings = {
  script(...replies: EmbeddingReply[]): void;
  readonly calls: EmbeddingCall[];
  dimensions: number;
  /** True if the path belongs to embeddings. */
  answer(
    request: { path: string; headers: IncomingHttpHeaders; text: string },
    response: ServerResponse,
  ): Promise<boolean>;
};

/** Each line has words with the same meaning, in any language. */
const CONCEPTS = [
  ['refund', 'money', 'reimbursed', 'reimbursement', 'back', 'استرداد', 'نقودي'],
  ['parcel', 'package', 'shipment', 'delivery', 'arrives', 'طرد'],
  ['dog', 'pets', 'animals', 'puppy', 'كلبي'],
  ['closed', 'shut', 'holiday'],
  ['porthole', 'aperture', 'نافذتي'],
];

// oxlint-disable-next-line typescript/no-explicit-any -- foreign formats
type Json = any;

export function createFakeEmbeddings({
  key,
  dimensions = 64,
}: {
  key: string | null;
  dimensions?: number;
}): FakeEmbeddings {
  const replies: EmbeddingReply[] = [];
  const fake: FakeEmbeddings = {
    script: (...more) => void replies.push(...more),
    calls: [],
    dimensions,
    async answer({ path, headers, text }, response) {
      const google = /^\/v1beta\/models\/([^/]+):(embedContent|batchEmbedContents)$/.exec(path);
      if (!google && path !== '/v1/embeddings') return false;
      const given = google ? headers['x-goog-api-key'] : headers.authorization?.replace(/^Bearer /, '');
      const wire = google ? GOOGLE : OPENAI;
      if (key !== null && given !== key) {
        send(response, 401, wire.failure(401, 'Incorrect API key provided.'));
        return true;
      }
      const body: Json = JSON.parse(text);
      const fault = wire.fault(body);
      if (fault !== null) {
        send(response, 400, wire.failure(400, fault));
        return true;
      }
      const texts = wire.texts(body);
      fake.calls.push({ format: google ? 'google' : 'openai', model: google?.[1] ?? body.model, texts, headers });
      const passes = texts.length === 1 && replies[0] && 'batches' in replies[0];
      const reply = passes ? undefined : replies.shift();
      if (reply && 'after' in reply) await reply.after;
      if (reply && 'status' in reply) {
        send(response, reply.status, wire.failure(reply.status, reply.message ?? 'Fake refusal.'), reply.headers);
        return true;
      }
      const size = reply && 'dimensions' in reply ? reply.dimensions : fake.dimensions;
      const vectors = texts.map((one) => embed(one, size));
      if (reply && 'extra' in reply) {
        for (let at = 0; at < reply.extra; at++) vectors.push(embed('extra', size));
        vectors.length = Math.max(0, texts.length + reply.extra);
      }
      if (reply && 'garbage' in reply && reply.garbage === 'zero') vectors[0]!.fill(0);
      const whole = JSON.stringify(wire.success(vectors, body));
      const kind = reply && 'garbage' in reply ? reply.garbage : null;
      response.writeHead(200, { 'content-type': 'application/json' });
      if (kind === 'not_json') response.end('<html>Bad gateway</html>');
      else if (kind === 'wrong_shape') response.end('{"data":[{"embedding":"AAAA"}],"embeddings":{"values":null}}');
      else if (kind === 'truncated') response.end(whole.slice(0, -20));
      // JSON has no infinity, but a parser returns infinity for this number.
      else if (kind === 'infinite') response.end(whole.replace(/\[-?[\d.e-]+/, '[1e999'));
      else response.end(whole);
      return true;
    },
  };
  return fake;
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const OPENAI = {
  fault(body: Json): string | null {
    if (!body.model) return 'you must provide a model parameter';
    if (!Array.isArray(body.input) || body.input.length === 0) return "'input' is required.";
    if (body.input.length > 2_048) return "'$.input' is too long.";
    if (body.input.some((one: unknown) => one === '')) return "'$.input' is invalid.";
    return body.encoding_format === 'float' ? null : 'This fake answers floats only.';
  },
  texts: (body: Json): string[] => body.input,
  success: (vectors: number[][], body: Json) => {
    const tokens = body.input.reduce((sum: number, one: string) => sum + Math.ceil(one.length / 4), 0);
    return {
      object: 'list',
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  },
  failure: (status: number, message: string): unknown => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'invalid_request_error', param: null, code: null },
  }),
};

/**
 * A single text is sent in its own request. Several texts are sent as a batch of at most a hundred. The response
 * contains no usage.
 */
const GOOGLE = {
  fault(body: Json): string | null {
    const requests: Json[] = body.requests ?? [body];
    if (requests.length > 100) return 'at most 100 requests can be in one batch';
    return requests.every((one) => one.content?.parts?.every((part: Json) => part.text))
      ? null
      : 'content is required and must not be empty';
  },
  texts: (body: Json): string[] =>
    (body.requests ?? [body]).map((one: Json) => one.content.parts.map((part: Json) => part.text).join('')),
  success: (vectors: number[][], body: Json) =>
    body.requests === undefined
      ? { embedding: { values: vectors[0] } }
      : { embeddings: vectors.map((values) => ({ values })) },
  failure: (status: number, message: string): unknown => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  }),
};

const STOP = new Set(
  'the a an is are my i do does can to of in on for and when how what it we you your get not'.split(' '),
);

/** Returns the vector of the fake for a text. */
export function embed(text: string, dimensions: number): number[] {
  const sum = Array.from({ length: dimensions }, () => 0.001);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (STOP.has(word)) continue;
    const concept = CONCEPTS.findIndex((words) => words.includes(word));
    const direction = directionOf(concept < 0 ? word : `concept ${concept}`, dimensions);
    for (let at = 0; at < dimensions; at++) sum[at]! += direction[at]! * (concept < 0 ? 0.5 : 2);
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => Number((value / length).toFixed(6)));
}

const directions = new Map<string, number[]>();

function directionOf(word: string, dimensions: number): number[] {
  const name = `${word} ${dimensions}`;
  const known = directions.get(name);
  if (known) return known;
  const values: number[] = [];
  for (let part = 0; values.length < dimensions; part++) {
    for (const byte of createHash('sha256').update(`${word} ${part}`).digest()) values.push((byte - 127.5) / 127.5);
  }
  values.length = dimensions;
  directions.set(name, values);
  return values;
}
