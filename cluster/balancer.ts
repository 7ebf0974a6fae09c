import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

/**
 * A small load balancer for the api nodes of one machine, for trials and tests. The balancer shows everything that
 * Parley requires of a real one (docs/operations.md): a node gets requests only while its `/ready` answers 200. A
 * request that no node has received is sent to another node. A request that a node may have received is sent to another
 * node only if a repeat has no effect. There are no sticky sessions.
 */
export type Balancer = {
  url: string;
  /** The nodes that get requests now, in the given order. */
  up(): boolean[];
  stop(): Promise<void>;
};

type Node = { url: string; pool: Pool; isUp: boolean };

export const CHECK_MS = 200;
const CHECK_WITHIN_MS = 1_000;
const CONNECT_WITHIN_MS = 1_000;
/** The time is longer than the longest answer (`Prefer: wait=25`). */
const ANSWER_WITHIN_MS = 35_000;
const CONNECTIONS_PER_NODE = 128;
/** Bodies are stored until a node has responded, so that another node can be tried. Parley's own limit is lower. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** The time for which a request waits while no node is up. */
const PATIENCE_MS = 2_000;
const STOP_WITHIN_MS = 5_000;

/** The headers in this list belong to one connection, not to the request. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

export async function startBalancer(options: {
  host: string;
  port: number;
  nodes: readonly string[];
}): Promise<Balancer> {
  const nodes = options.nodes.map((url): Node => ({ url, isUp: false, pool: poolOf(url) }));
  let turn = 0;

  /** The next node in rotation that is up and was not tried yet. */
  const pick = (tried: ReadonlySet<Node>): Node | undefined => {
    for (let step = 0; step < nodes.length; step += 1) {
      const node = nodes[(turn += 1) % nodes.length]!;
      if (node.isUp && !tried.has(node)) return node;
    }
    return undefined;
  };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === null) return refuse(response, 413, 'payload_too_large', 'The balancer takes no body of this size.');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const tried = new Set<Node>();
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const node = pick(tried);
      if (node === undefined) {
        if (gone.signal.aborted) return;
        if (performance.now() > until)
          return refuse(response, 503, 'unavailable', 'No server is ready. Nothing was done.');
        tried.clear();
        await new Promise((resolve) => setTimeout(resolve, CHECK_MS / 4));
        continue;
      }
      tried.add(node);
      try {
        return await forward(node, request, body, response, gone.signal);
      } catch (error) {
        if (gone.signal.aborted || response.headersSent) return void response.destroy();
        const unseen = wasUnseen(error);
        if (unseen) node.isUp = false;
        if (!unseen && !isHarmlessTwice(request))
          return refuse(
            response,
            503,
            'outcome_unknown',
            'The server was lost while it answered. Retry with an Idempotency-Key.',
          );
      }
    }
  }

  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  await Promise.all(nodes.map(check));
  const checking = setInterval(() => nodes.forEach((node) => void check(node)), CHECK_MS);

  return {
    url: `http://${options.host}:${(server.address() as AddressInfo).port}`,
    up: () => nodes.map(({ isUp }) => isUp),
    stop: async () => {
      clearInterval(checking);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
      await closed;
      clearTimeout(late);
      await Promise.all(nodes.map(({ pool }) => pool.destroy()));
    },
  };
}

const poolOf = (url: string): Pool =>
  new Pool(url, {
    connections: CONNECTIONS_PER_NODE,
    connect: { timeout: CONNECT_WITHIN_MS },
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: 0,
  });

async function check(node: Node): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
    const answer = await node.pool.request({ method: 'GET', path: '/ready', signal });
    await answer.body.dump();
    node.isUp = answer.statusCode === 200;
  } catch {
    node.isUp = false;
  }
}

async function forward(
  node: Node,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const answer = await node.pool.request({
    method: request.method as Dispatcher.HttpMethod,
    path: request.url!,
    headers: passedOn(request.rawHeaders),
    body: body.length > 0 ? body : null,
    signal,
    responseHeaders: 'raw',
  });
  const headers = passedOn(answer.headers as unknown as (string | Buffer)[]);
  response.writeHead(answer.statusCode, headers);
  for await (const chunk of answer.body) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  response.end();
}

/** The raw headers, as received: the node refuses a duplicate header, so the balancer must not repair it. */
function passedOn(raw: readonly (string | Buffer)[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]);
    const isOurs = HOP_BY_HOP.has(name.toLowerCase()) || name.toLowerCase() === 'content-length';
    // For a response, the length is forwarded (HEAD has no body to count). For a request, undici counts the length.
    if (!isOurs) kept.push(name, String(raw[at + 1]));
  }
  return kept;
}

/** The connection failed, or the node closed the connection and read nothing. */
function wasUnseen(error: unknown): boolean {
  const { code } = error as { code?: string };
  return (
    code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH'
  );
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const isHarmlessTwice = ({ method, headers }: IncomingMessage): boolean =>
  SAFE.has(method!) || headers['idempotency-key'] !== undefined;

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, status: number, code: string, detail: string): void {
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    ...(status === 503 && { 'retry-after': '2' }),
  });
  response.end(JSON.stringify({ type: 'about:blank', title: 'Balancer', status, code, detail }));
}
