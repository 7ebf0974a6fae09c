import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TurnAnswer, TurnRequested } from '../../contract/turns.ts';

/** Starts a customer's server that answers turns. The list `received` has every call, including repeated calls. */
export type OwnCode = {
  url: string;
  received: { headers: IncomingHttpHeaders; raw: string; body: TurnRequested }[];
  /** The results of the next calls, of which the last is repeated. */
  script(...handlers: Handler[]): void;
  close(): Promise<void>;
};

type Handler = (call: TurnRequested, response: ServerResponse, request: IncomingMessage) => void;

export const says = (text: string, more: Partial<TurnAnswer> = {}): TurnAnswer => ({
  messages: [{ content: { type: 'text', text } }],
  ...more,
});

/** Answers a call with this JSON. */
export const json =
  (answer: unknown, status = 200): Handler =>
  (_call, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));

/** Accepts the turn, so that the answer can come later. */
export const accepts: Handler = (_call, response) => void response.writeHead(202).end();

export async function startOwnCode(): Promise<OwnCode> {
  const received: OwnCode['received'] = [];
  let handlers: Handler[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const body = JSON.parse(raw) as TurnRequested;
      received.push({ headers: request.headers, raw, body });
      const handler = handlers.length > 1 ? handlers.shift()! : handlers[0]!;
      handler(body, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/turns`,
    received,
    script: (...next) => {
      received.length = 0;
      handlers = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
