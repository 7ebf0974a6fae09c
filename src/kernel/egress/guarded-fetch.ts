import type { Agent } from 'undici';
import { EGRESS_MAX_BYTES, EGRESS_TIMEOUT_MS, tooLarge, type EgressBounds } from './bounds.ts';
import { withDeadline, type Deadline } from './deadline.ts';
import { bytesWithoutSecrets, secretsOf, withoutSecrets } from './sent-secrets.ts';
import { parseTarget } from './target-url.ts';

/**
 * `fetch` through the guarded agent, for libraries that accept one. The errors of this `fetch` are EgressErrors, not
 * TypeErrors.
 */
export async function guardedFetch(
  agent: () => Promise<Agent>,
  { timeoutMs = EGRESS_TIMEOUT_MS, maxBytes = EGRESS_MAX_BYTES }: EgressBounds,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = parseTarget(input instanceof Request ? input.url : String(input));
  // The signal is not read from the Request, because a Request's own signal only follows the caller's signal, and
  // garbage collection can end this link.
  const caller = init.signal ?? (input instanceof Request ? input.signal : null);
  const request = new Request(input instanceof Request ? input : url, { ...init, signal: null, redirect: 'manual' });
  // The host is always the name in the URL. Another Host header would also change SNI.
  request.headers.delete('host');
  const deadline = withDeadline(timeoutMs, caller);
  try {
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const { fetch: undiciFetch } = await import('undici');
    const answer = await undiciFetch(request.url, {
      method: request.method,
      headers: [...request.headers],
      body,
      redirect: 'manual',
      signal: deadline.signal,
      dispatcher: await agent(),
    });
    const { status } = answer;
    const sent = status < 400 ? [] : secretsOf({ url, headers: request.headers, body: body?.toString('utf8') });
    const statusText = withoutSecrets(answer.statusText, sent);
    const headers = new Headers([...answer.headers].map(([name, value]) => [name, withoutSecrets(value, sent)]));
    if (answer.body === null) {
      deadline.clear();
      return new Response(null, { status, statusText, headers });
    }
    const bounded = boundedBody(answer.body as ReadableStream<Uint8Array>, maxBytes, deadline);
    return new Response(sent.length === 0 ? bounded : cleanBody(bounded, sent), { status, statusText, headers });
  } catch (error) {
    deadline.clear();
    throw deadline.explain(error);
  }
}

/** Reads the whole body before it removes secrets, because a secret may span two pieces. */
const cleanBody = (body: ReadableStream<Uint8Array>, sent: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const whole = Buffer.from(await new Response(body).arrayBuffer());
      controller.enqueue(new Uint8Array(bytesWithoutSecrets(whole, sent)));
      controller.close();
    },
    cancel: (reason) => body.cancel(reason),
  });

/** Passes the body on while it arrives. The deadline covers the body, so a slow body times out too. */
function boundedBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  deadline: Deadline,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          deadline.clear();
          controller.close();
          return;
        }
        size += value.length;
        if (size > maxBytes) throw tooLarge();
        controller.enqueue(value);
      } catch (error) {
        controller.error(deadline.explain(error));
        deadline.clear();
        reader.cancel(error).catch(() => {});
      }
    },
    cancel(reason) {
      deadline.clear();
      return reader.cancel(reason);
    },
  });
}
