import { type Answer, type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';

/** How a provider fails: as it answers, by hanging up, or by taking the message and never answering. */
export type Failure =
  | { status: number; code?: number | string; retryAfter?: number; text?: string }
  | 'reset_after_delivering'
  | 'timeout_after_delivering';

/** A call of a provider to one of our hooks, signed as the provider signs. */
export type Hook = { method: 'GET' | 'POST'; query?: string; headers: Record<string, string>; body: string };

/** What all fakes of providers have in common; what each one's own language is, is in its file. */
export type FakeProvider = {
  kind: string;
  url: string;
  /** What a person would fill in to connect the channel. */
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  /** Who can be reached, in the provider's words and in ours. */
  person: string;
  /** Messages that the person has got. */
  delivered: { to: string; text: string; id: string; raw: unknown }[];
  /** Attempts to send, successful or not. */
  attempts(): number;
  /** What to do with the next attempts, in order; then all is well. */
  fail(...failures: Failure[]): void;
  /** Takes the credentials back, as somebody at the provider may at any time; `false` gives them again. */
  withdraw(isWithdrawn?: boolean): void;
  /** The person writes. */
  says(text: string, options?: { eventId?: string; from?: string; url?: string }): Hook;
  /** What became of a message; null: this provider never tells. */
  reports(providerMessageId: string, status: 'delivered' | 'read' | 'failed', url?: string): Hook | null;
  stop(): Promise<void>;
};

export type Speaking = {
  /** Whether this call is an attempt to send. */
  isSend(call: ReceivedCall): boolean;
  isAuthorized(call: ReceivedCall): boolean;
  unauthorized: Answer;
  /** Takes the message as the provider does; an Answer: it is not well-formed. */
  take(call: ReceivedCall): { to: string; text: string; id: string; raw: unknown } | { malformed: Answer };
  accepted(message: { to: string; id: string }): Answer;
  failed(failure: Exclude<Failure, string>): Answer;
  /** Every other call: connecting, looking up. */
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
