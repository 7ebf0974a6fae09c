import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';

/** The outcome of a request, with a null `status` if it is unknown whether the server handled the request. */
export type Answer = {
  status: number | null;
  /** The reason why the outcome has no status. */
  error: string | null;
  headers: IncomingHttpHeaders;
  text: string;
  body: any; // oxlint-disable-line typescript/no-explicit-any -- scenarios look into it freely
};

export type Request = {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

const agent = new Agent({ keepAlive: true, maxSockets: 128 });

/** Sends one request without retries, because a client with its own retries would hide faults. */
export function request(url: string, { method = 'GET', body, headers, timeoutMs = 15_000 }: Request): Promise<Answer> {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => {
      // The connection was refused, so the server certainly did not handle this request.
      const status = error.code === 'ECONNREFUSED' ? 0 : null;
      resolve({ status, error: error.code ?? error.message, headers: {}, text: '', body: null });
    };
    const outgoing = send(url, {
      method,
      agent,
      headers: {
        ...(text !== '' && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
    });
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.on('error', failed);
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', failed);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        resolve({
          status: response.statusCode!,
          error: null,
          headers: response.headers,
          text,
          body: isJson && text !== '' ? JSON.parse(text) : null,
        });
      });
    });
    outgoing.end(text);
  });
}
