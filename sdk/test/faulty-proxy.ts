import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Plans the fault of the next call, which passes if no step is planned. */
export type Step =
  | 'pass'
  /** The server completes the call, but its response is lost. */
  | 'lose the answer'
  /** The proxy never answers. */
  | 'stall'
  /** The stream breaks after the first event with this name. */
  | { cutAfter: string }
  | { status: number; headers?: Record<string, string>; body?: string };
export type Call = { method: string; url: string; headers: IncomingMessage['headers']; at: number };
export type FaultyProxy = { url: string; plan: Step[]; calls: Call[]; close(): Promise<void> };

/** Starts a proxy on a real socket in front of a real server. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const plan: Step[] = [];
  const calls: Call[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    calls.push({ method, url, headers, at: Date.now() });
    const step = plan.shift() ?? 'pass';
    if (step === 'stall') return;
    if (typeof step === 'object' && 'status' in step) {
      incoming.resume();
      response.writeHead(step.status, step.headers).end(step.body);
      return;
    }
    forward(target, incoming, response, step);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forward(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  step: 'pass' | 'lose the answer' | { cutAfter: string },
): void {
  const { host: _, ...headers } = incoming.headers;
  const up = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
    if (step === 'lose the answer') {
      answer.resume().on('end', () => response.destroy());
      return;
    }
    response.writeHead(answer.statusCode!, answer.headers);
    if (step === 'pass') return void answer.pipe(response);
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      const before = text.length;
      text += chunk.toString();
      const found = new RegExp(`event: ${step.cutAfter}\\n[^]*?\\n\\n`).exec(text);
      if (!found) return void response.write(chunk);
      answer.removeAllListeners('data').removeAllListeners('end').destroy();
      // The proxy sends the complete event before it breaks the connection.
      response.write(text.slice(before, found.index + found[0].length), () => setTimeout(() => response.destroy(), 20));
    });
    answer.on('end', () => response.end());
  });
  up.on('error', () => response.destroy());
  response.on('close', () => up.destroy());
  incoming.pipe(up);
}
