import type { DeliveryAttempt } from '../../../contract/dashboard/webhooks.ts';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import { signWebhook } from '../../kernel/standard-webhooks.ts';
import type { OpenSealed } from '../../store/channels/secrets.ts';
import { webhookCredential } from '../../store/credentials.ts';
import type { ClaimedEvent, EventOutcome } from '../../store/events/deliver.ts';
import { presentEvent } from '../../store/events/present.ts';

/** The delays before the second and each later attempt (Standard Webhooks 1.0, "Deliverability and reliability"). */
const RETRY_SECONDS = [
  5,
  5 * 60,
  30 * 60,
  2 * 3_600,
  5 * 3_600,
  10 * 3_600,
  14 * 3_600,
  20 * 3_600,
  24 * 3_600,
] as const;
export const MAX_EVENT_ATTEMPTS = RETRY_SECONDS.length + 1;
/** Delays are longer by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
const TIMEOUT_MS = 15_000;
/** At most this much of a response is read, because the text is only displayed. */
const MAX_ANSWER_BYTES = 64 * 1024;
const SHOWN_CHARACTERS = 1_000;

export type EventTools = {
  egress: Pick<Egress, 'request'>;
  openSealed: OpenSealed;
  signal: AbortSignal;
  /** Returns a number between 0 and 1. */
  random: () => number;
  /** The trace of the run to which the event belongs. */
  trace?: string;
};

export type EventAttempt = {
  outcome: EventOutcome;
  /** True: the endpoint answered 410, so it gets no more events. */
  gone: boolean;
};

/** Makes one attempt to deliver one event and decides what follows. The function never throws. */
export async function deliverEvent(claimed: ClaimedEvent, tools: EventTools): Promise<EventAttempt> {
  if (!claimed.enabled) return { outcome: { ...ended(claimed, null), state: 'cancelled' }, gone: false };
  const started = Date.now();
  const since = performance.now();
  const attemptOf = (facts: Pick<DeliveryAttempt, 'status' | 'error' | 'response'>): DeliveryAttempt => ({
    at: new Date(started).toISOString(),
    ...facts,
    duration_ms: Math.round(performance.now() - since),
  });
  try {
    const { status, body } = await send(claimed, tools, new Date(started));
    const error = faultOf(status);
    const attempt = attemptOf({ status, error, response: readable(body) });
    if (error === null) return { outcome: { ...ended(claimed, attempt), state: 'delivered' }, gone: false };
    if (status === 410) return { outcome: ended(claimed, attempt), gone: true };
    return { outcome: again(claimed, attempt, tools.random), gone: false };
  } catch (error) {
    // This server stops in the middle of a call, and another server repeats the attempt.
    if (tools.signal.aborted) return { outcome: { ...givenBack(claimed), againAfterMs: 0 }, gone: false };
    return {
      outcome: again(claimed, attemptOf({ status: null, error: reasonOf(error), response: '' }), tools.random),
      gone: false,
    };
  }
}

/** The body is created once, so that the signed bytes are exactly the sent bytes. */
async function send(claimed: ClaimedEvent, { egress, openSealed, signal, trace }: EventTools, at: Date) {
  const { org_id: orgId, endpoint_id: endpointId, event_id: id, type, data, created_at: createdAt, sealed } = claimed;
  const body = Buffer.from(JSON.stringify(presentEvent({ id, type, createdAt, data })));
  const { secret = '', previous } = await openSealed(webhookCredential(orgId, endpointId, claimed.url), sealed);
  const secrets = claimed.both && previous !== undefined ? [secret, previous] : [secret];
  return egress.request({
    url: claimed.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Parley',
      ...(trace !== undefined && { traceparent: trace }),
      ...signWebhook(secrets, id, at, body),
    },
    body,
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  });
}

function faultOf(status: number): DeliveryAttempt['error'] {
  if (status >= 200 && status <= 299) return null;
  if (status === 410) return { code: 'gone', detail: 'The endpoint returned 410 and was disabled.' };
  if (status >= 300 && status <= 399)
    return { code: 'redirect', detail: `The endpoint returned ${status}; redirects are not followed.` };
  return { code: 'refused', detail: `The endpoint returned ${status}.` };
}

function reasonOf(error: unknown): NonNullable<DeliveryAttempt['error']> {
  if (!(error instanceof EgressError))
    return { code: 'internal_error', detail: 'The attempt failed inside Parley; the log has the reason.' };
  return { code: error.code.replace('egress_', ''), detail: error.message };
}

const ended = (claimed: ClaimedEvent, attempt: DeliveryAttempt | null): EventOutcome => ({
  claimed,
  state: 'failed',
  attempt,
  againAfterMs: null,
});

/** Returns a delivery unchanged to the queue, because no attempt was made. */
export const givenBack = (claimed: ClaimedEvent): EventOutcome => ({
  claimed,
  state: 'pending',
  attempt: null,
  againAfterMs: 500,
});

function again(claimed: ClaimedEvent, attempt: DeliveryAttempt, random: () => number): EventOutcome {
  const seconds = RETRY_SECONDS[claimed.attempts - 1];
  if (seconds === undefined) return ended(claimed, attempt);
  return { claimed, state: 'pending', attempt, againAfterMs: seconds * 1_000 * (1 + JITTER * random()) };
}

/** PostgreSQL does not accept NUL in text. */
const readable = (body: Buffer): string =>
  body.toString('utf8').replaceAll('\0', '\uFFFD').slice(0, SHOWN_CHARACTERS).toWellFormed();
