import { type Answer, type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';

/** The failures of a provider: an error response, a closed connection, or an accepted message without a response. */
export type Failure =
  | { status: number; code?: number | string; retryAfter?: number; text?: string }
  | 'reset_after_delivering'
  | 'timeout_after_delivering';

/** A call from a provider to one of our webhooks, signed like the provider's calls. */
export type Hook = { method: 'GET' | 'POST'; query?: string; headers: Record<string, string>; body: string };

/** The common parts of all provider fakes, whose files each have the format of one provider. */
export type FakeProvider = {
  kind: string;
  url: string;
  /** The input of a user who connects the channel of this provider. */
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  /** A reachable person, in the provider's format and in Parley's. */
  person: string;
  /** The messages that the person has received. */
  delivered: { to: string; text: string; id: string; raw: unknown }[];
  /** Counts the attempts to send, including failed attempts. */
  attempts(): number;
  /** Sets the outcomes of the next attempts in order, after which attempts succeed. */
  fail(...failures: Failure[]): void;
  /**
   * Revokes the credentials, as a person may do at the provider at any time. The argument `false` restores the
   * credentials.
   */
  withdraw(isTaken?: boolean): void;
  /** Creates the call for a message from the person. */
  says(text: string, options?: { eventId?: string; from?: string; url?: string }): Hook;
  /**
   * Creates the call for a picture from the person. The list `answers` has the responses to the first calls that fetch
   * the picture.
   */
  sends(bytes: Buffer, options?: { caption?: string; answers?: Answer[]; url?: string }): Hook;
  /** Reports the status of a message, or returns null if this provider never reports that status. */
  reports(providerMessageId: string, status: 'delivered' | 'read' | 'failed', url?: string): Hook | null;
  stop(): Promise<void>;
};

export type Speaking = {
  /** True if this call is an attempt to send. */
  isSend(call: ReceivedCall): boolean;
  isAuthorized(call: ReceivedCall): boolean;
  unauthorized: Answer;
  /** Accepts the message like the provider. The result is an Answer if the message is not well-formed. */
  take(call: ReceivedCall): { to: string; text: string; id: string; raw: unknown } | { malformed: Answer };
  accepted(message: { to: string; id: string }): Answer;
  failed(failure: Exclude<Failure, string>): Answer;
  /** Answers all other calls, such as connecting and looking up. */
  other(call: ReceivedCall): Answer;
};

export async function startProvider(speaking: Speaking): Promise<{
  receiver: Receiver;
  delivered: FakeProvider['delivered'];
  attempts(): number;
  fail(...failures: Failure[]): void;
  withdraw(isTaken?: boolean): void;
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
    withdraw: (isTaken = true) => void (withdrawn = isTaken),
  };
}

export const json = (call: ReceivedCall): Record<string, never> => JSON.parse(call.body.toString());
