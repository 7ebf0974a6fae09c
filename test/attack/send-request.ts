import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from './world.ts';

/** A raw request, in which the client can change every part. */
export type AttackRequest = {
  actor: Actor;
  method: string;
  /** The path and query are sent exactly as they are here. */
  target: string;
  headers: [string, string][];
  body: Buffer | null;
  /** The request is sent in two halves with a pause between the halves, or without the second half. */
  slowly?: { ms: number; isWhole: boolean };
};

/** The status 0 means that the server closed the connection, which is allowed for data that is not HTTP. */
export type Reply = { status: number; head: string; text: string; isLate: boolean };

const AGENT = new Agent({ keepAlive: true, maxSockets: 16 });
/** The maximum wait for a response, because a request may last 30 seconds. */
const MOST_MS = 45_000;
/** Streams have no end, so the client checks only their beginning. */
const STREAM_MS = 200;
const MOST_BYTES = 8 * 1024 * 1024;

export async function sendRequest(url: string, request: AttackRequest): Promise<Reply> {
  const { method, target, body, slowly, actor } = request;
  const { host, port } = new URL(url);
  const headers = [...actor.headers, ...request.headers];
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  if (!names.has('host')) headers.unshift(['Host', host]);
  if (body !== null && !names.has('content-length') && !names.has('transfer-encoding'))
    headers.push(['Content-Length', String(body.length)]);
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const fail = (isLate = false): void => resolve({ status: 0, head: '', text: '', isLate });
  const outgoing = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path: target,
    agent: AGENT,
    headers: headers.flat(),
  });
  const timer = setTimeout(() => {
    fail(true);
    outgoing.destroy();
  }, MOST_MS);
  outgoing.on('error', () => fail());
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (): void =>
      resolve({
        status: incoming.statusCode!,
        head: incoming.rawHeaders.join('\n'),
        text: Buffer.concat(chunks).toString(),
        isLate: false,
      });
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BYTES) chunks.push(chunk);
    });
    incoming.on('end', end);
    incoming.on('error', end);
    if (incoming.headers['content-type']?.startsWith('text/event-stream'))
      setTimeout(() => {
        end();
        outgoing.destroy();
      }, STREAM_MS);
  });
  if (slowly === undefined || body === null) outgoing.end(body ?? undefined);
  else {
    outgoing.write(body.subarray(0, body.length / 2));
    await pause(slowly.ms);
    if (slowly.isWhole) outgoing.end(body.subarray(body.length / 2));
    else {
      outgoing.destroy();
      fail();
    }
  }
  const reply = await promise;
  clearTimeout(timer);
  return reply;
}

export const closeConnections = (): void => AGENT.destroy();

const MOST_SHOWN = 2_000;
const quoted = (text: string): string =>
  `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(/[^\x20-\x7e]/gu, (sign) => [...Buffer.from(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''))}'`;

/** The text for a finding names the caller but not the credentials. */
export function curlOf(url: string, { actor, method, target, headers, body }: AttackRequest): string {
  const credential = actor.headers.map(([name]) => `-H "${name}: $CREDENTIAL"`);
  const sent = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value.slice(0, 200)}`)}`);
  const text = body?.toString() ?? '';
  const note = text.length > MOST_SHOWN ? `  # ${body!.length} bytes, cut off here` : '';
  return [
    'curl -sS -X',
    method,
    ...credential,
    ...sent,
    ...(body ? ['--data-binary', quoted(text.slice(0, MOST_SHOWN))] : []),
    quoted(url + target),
  ]
    .join(' ')
    .concat(`${note}  # as ${actor.name}`);
}
