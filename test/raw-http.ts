import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Sends HTTP requests as raw bytes. A client library repairs, refuses or hides exactly the requests that a server must
 * check. A client library also hides details of the response: raw header lines, a closed connection, an extra response.
 */
export type RawAnswer = {
  readonly status: number;
  /** The names of headers are in lower case. Several header lines with one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Returns the body as JSON, and throws if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  json(): any;
};

/** A piece is text or bytes, a pause in milliseconds, or a condition to wait for. */
type Piece = string | Buffer | number | Promise<unknown>;

/** The timeout for expected data, because a busy machine is slow. */
const PATIENCE_MS = 15_000;

/**
 * Sends the pieces and resolves with every response. The promise resolves when the server has closed the connection.
 * The promise also resolves when everything is sent, `least` responses have begun, and no data arrived for `quietMs`.
 */
export async function rawExchange(
  port: number,
  pieces: readonly Piece[],
  quietMs = 500,
  least = 1,
): Promise<{ answers: RawAnswer[]; closed: boolean }> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const chunks: Buffer[] = [];
  let closed = false;
  let isSent = false;
  let news = Promise.withResolvers<void>();
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    news.resolve();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    news.resolve();
  });
  const send = async (): Promise<void> => {
    await sendPieces(socket, pieces);
    isSent = true;
    news.resolve();
  };
  void send();
  while (!closed) {
    const isComplete = isSent && begun(chunks) >= least;
    news = Promise.withResolvers();
    if (!(await within(isComplete ? quietMs : PATIENCE_MS, news.promise))) break;
  }
  socket.destroy();
  return { answers: parseAnswers(Buffer.concat(chunks)), closed };
}

const begun = (chunks: readonly Buffer[]): number =>
  Buffer.concat(chunks)
    .toString('latin1')
    .match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

/**
 * True if the data arrived in time. Unread data at the end of the time, for example of a stopped process, counts as
 * arrived.
 */
async function within(ms: number, coming: Promise<void>): Promise<boolean> {
  const over = new AbortController();
  const timer = pause(ms, undefined, { signal: over.signal })
    .then(() => pause(ONE_READ_MS))
    .then(() => false)
    .catch(() => true);
  const came = await Promise.race([coming.then(() => true), timer]);
  over.abort();
  return came;
}

const ONE_READ_MS = 5;

async function sendPieces(socket: Socket, pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) {
    if (typeof piece === 'number') await pause(piece);
    else if (piece instanceof Promise) await piece;
    else if (!socket.destroyed) socket.write(piece);
  }
}

export type RawRequest = {
  readonly method?: string;
  readonly path?: string;
  /**
   * The headers in the form in which they are sent. `Host` and `Connection: close` come first unless this list contains
   * them.
   */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly bare?: boolean;
};

/**
 * Sends one request and returns one response. A body gets its Content-Length unless a Transfer-Encoding is among the
 * headers.
 */
export async function raw(port: number, request: RawRequest): Promise<RawAnswer> {
  const { answers } = await rawExchange(
    port,
    [head(request), ...(request.body === undefined ? [] : [request.body])],
    5_000,
  );
  if (answers.length !== 1) throw new Error(`expected one answer, got ${answers.length}`);
  return answers[0]!;
}

export function head({ method = 'GET', path = '/', headers = [], body, bare = false }: RawRequest): string {
  const counted = body !== undefined && !headers.some((line) => /^(transfer-encoding|content-length):/i.test(line));
  const lines = [
    ...(bare ? [] : ['Host: parley.test', 'Connection: close']),
    ...headers,
    ...(counted ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return `${method} ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`not a whole answer: ${rest.toString('latin1')}`);
    const [statusLine, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1]);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    const length = Number(headers['content-length'] ?? 0);
    const text = rest.subarray(end + 4, end + 4 + length).toString('utf8');
    answers.push({ status, headers, text, json: () => JSON.parse(text) });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}
