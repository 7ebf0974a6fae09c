import { ParleyError } from './errors.ts';
import { sleep } from './timers.ts';
import type { Problem, TurnAnswer, TurnRequested } from './wire.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const CALL_MS = 15_000;

/**
 * Sends an answer until Parley has stored it. Repeating the call is safe, because the first answer counts, and Parley
 * accepts the same answer again. The result `superseded` means that the turn no longer accepts an answer, so the answer
 * is discarded.
 */
export async function replyTo(
  { deadline, reply_url: url, reply_token: token }: TurnRequested['turn'],
  answer: TurnAnswer,
  signal?: AbortSignal,
): Promise<'accepted' | 'superseded'> {
  const until = Date.parse(deadline);
  for (let attempts = 1; ; attempts++) {
    const failure = await send(url, token, JSON.stringify(answer), attempts, signal);
    if (failure === null) return 'accepted';
    if (failure.is('turn_superseded')) return 'superseded';
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
    const mayPass = failure.status === 0 || failure.status === 429 || failure.status >= 500;
    if (!mayPass || Date.now() + pause > until) throw failure;
    await sleep(pause, signal);
  }
}

/** Returns null if the answer is stored. */
async function send(
  url: string,
  token: string,
  body: string,
  attempts: number,
  signal: AbortSignal | undefined,
): Promise<ParleyError | null> {
  const limit = AbortSignal.timeout(CALL_MS);
  try {
    const send = globalThis.fetch;
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    if (response.ok) return null;
    const { status, headers } = response;
    const problem = (await response.json().catch(() => null)) as Problem | null;
    const code = problem?.code ?? 'response_invalid';
    return new ParleyError({
      code,
      detail: problem?.detail ?? `Status ${status}.`,
      status,
      headers,
      problem,
      attempts,
    });
  } catch (error) {
    signal?.throwIfAborted();
    return new ParleyError({
      code: 'connection_failed',
      detail: 'Parley could not be reached.',
      cause: error,
      attempts,
    });
  }
}
