import { type Answer, type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';

/** How a provider fails: with an answer, by hanging up, or by accepting the message and never answering. */
export type Failure =
  | { status: number; code?: number | string; retryAfter?: number; text?: string }
  | 'reset_after_delivering'
  | 'timeout_after_delivering';

/** A call of a provider to one of our webhooks, signed as the provider signs. */
export type Hook = { method: 'GET' | 'POST'; query?: string; headers: Record<string, string>; body: string };

/** What all fakes of providers have in common; each one's own format is in its file. */
export type FakeProvider = {
  kind: string;
  url: string;
  /** What a user enters to connect the channel. */
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  /** A reachable person, in the provider's format and in ours. */
  person: string;
  /** Messages that the person has received. */
  delivered: { to: string; text: string; id: string; raw: unknown }[];
  /** Attempts to send, successful or not. */
  attempts(): number;
  /** The outcomes of the next attempts, in order; later ones succeed. */
  fail(...failures: Failure[]): void;
  /** Revokes the credentials, as a person at the provider may at any time; `false` restores them. */
  withdraw(isWithdrawn?: boolean): void;
  /** The person writes. */
  says(text: string, options?: { eventId?: string; from?: string; url?: string }): Hook;
  /** The person sends a picture; `answers`: to the first calls that fetch it. */
  sends(bytes: Buffer, options?: { caption?: string; answers?: Answer[]; url?: string }): Hook;
  /** Reports the status of a message; null: this provider never reports it. */
  reports(providerMessageId: string, status: 'delivered' | 'read' | 'failed', url?: string): Hook | null;
  stop(): Promise<void>;
};

export type Speaking = {
  /** Whether this call is an attempt to send. */
  isSend(call: ReceivedCall): boolean;
  isAuthorized(call: ReceivedCall): boolean;
  unauthorized: Answer;
  /** Accepts the message as the provider does; an Answer: it is not well-formed. */
  take(call: ReceivedCall): { to: string; text: string; id: string; raw: unknown } | { malformed: Answer };
  accepted(message: { to: string; id: string }): Answer;
  failed(failure: Exclude<Failure, string>): Answer;
  /** All other calls: connecting, looking up. */
  other(call: ReceivedCall): Answer;
};

export async function startProvider(speaking: Speaking): Promise<{
  receiver: Receiver;
  delivered: FakeProvider['delivered'];
  attempts(): number;
  fail(...failures: Failure[]): void;
  withdraw(isWithdrawn?: boolean): void;
}> {
  const delivered: FakeProvider['delivered'] = [];
  const failures: Failure[] = [];
  let attempts = 0;
  let withdrawn = false;
  const receiver = await startReceiver((call) => {
    const refused = speaking.isAuthorized(call) && !withdrawn ? null : speaking.unauthorized;
    if (!speaking.isSend(call)) return refused ?? speaking.other(call);
    attempts++;
    if (refused) return refused;
    const failure = failures.shift();
    if (failure !== undefined && typeof failure !== 'string') return speaking.failed(failure);
    const message = speaking.take(call);
    if ('malformed' in message) return message.malformed;
    delivered.push(message);
    if (failure === 'reset_after_delivering') return 'reset';
    return failure === 'timeout_after_delivering' ? 'hang' : speaking.accepted(message);
  });
  return {
    receiver,
    delivered,
    attempts: () => attempts,
    fail: (...more) => void failures.push(...more),
    withdraw: (isWithdrawn = true) => void (withdrawn = isWithdrawn),
  };
}

export const json = (call: ReceivedCall): Record<string, never> => JSON.parse(call.body.toString());
