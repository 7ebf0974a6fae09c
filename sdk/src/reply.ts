import { attempt, Failure } from './attempt.ts';
import { sleep } from './timers.ts';
import type { TurnAnswer, TurnRequested } from './wire.ts';

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
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const init: RequestInit = { method: 'POST', headers, body: JSON.stringify(answer), redirect: 'manual' };
  const until = Date.parse(deadline);
  for (let attempts = 1; ; attempts++) {
    const call = { send: globalThis.fetch, url, init, signal, timeout: CALL_MS, attempts };
    const done = await attempt(call, (response) => response.text());
    if (!(done instanceof Failure)) return 'accepted';
    const { error, isTemporary, retryAfter } = done;
    if (error.is('turn_superseded')) return 'superseded';
    const pause = Math.max(retryAfter ?? 0, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)));
    if (!isTemporary || Date.now() + pause > until) throw error;
    await sleep(pause, signal);
  }
}
