import type { EventEnvelope } from '../contract/events.ts';
import { signWebhook } from '../src/kernel/standard-webhooks.ts';

/** The time limit is the one that the server has for an endpoint. */
const TIMEOUT_MS = 15_000;

/** A null `status` means that there was no answer, for the reason in `error`. */
export type Forwarded = { status: number | null; error?: string };

/** Sends an event to a program on this machine as the server sends it to an endpoint: once, signed, without redirects. */
export async function forwardEvent(url: string, secret: string, event: EventEnvelope): Promise<Forwarded> {
  const body = JSON.stringify(event);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Parley',
        ...signWebhook(secret, event.id, new Date(), body),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return { status: answer.status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: null, error: (cause as { code?: string } | undefined)?.code ?? message };
  }
}
