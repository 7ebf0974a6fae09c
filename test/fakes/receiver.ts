import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type ReceivedCall = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; at: number };

/** The reaction of the fake to a call: a response, or one of the failures of real servers. */
export type Answer =
  | {
      status?: number;
      headers?: Record<string, string>;
      json?: unknown;
      text?: string | Buffer;
      delayMs?: number;
      /** The fake waits for this promise before it responds. */
      after?: Promise<unknown>;
    }
  /** The fake reads the call, then closes the connection without a response. */
  | 'reset'
  /** The fake reads the call and never responds. */
  | 'hang';

export type Receiver = {
  url: string;
  calls: ReceivedCall[];
  /** Decides the reaction to each call, in order, with 200 as the default. */
  answer: (call: ReceivedCall) => Answer;
  /** The promise resolves when this many calls have arrived. */
  received(count: number, timeoutMs?: number): Promise<ReceivedCall[]>;
  stop(): Promise<void>;
};

/** Starts any external HTTP endpoint from Parley's view, which is a customer's backend or a provider. */
export async function startReceiver(answer: Receiver['answer'] = () => ({})): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const call = { method, path: url, headers, body: Buffer.concat(chunks), at: Date.now() };
      calls.push(call);
      reply(response, receiver.answer(call));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer,
    received: async (count, timeoutMs = 15_000) => {
      const until = Date.now() + timeoutMs;
      while (calls.length < count) {
        if (Date.now() > until) throw new Error(`${calls.length} of ${count} calls came in ${timeoutMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return calls;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'reset') response.socket?.destroy();
  if (typeof answer === 'string') return;
  const { status = 200, headers = {}, json, text = json === undefined ? '' : JSON.stringify(json) } = answer;
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const end = (): void => void response.writeHead(status, { ...type, ...headers }).end(text);
  const { delayMs = 0, after } = answer;
  if (after) void after.then(end);
  else setTimeout(end, delayMs);
}
