import { replyTo } from './reply.ts';
import {
  BodyTooLarge,
  type NodeRequest,
  type NodeResponse,
  readNode,
  readWeb,
  type Received,
  sendNode,
  toWeb,
  type TurnHttpResponse,
} from './turn-servers.ts';
import { webhooks, WebhookVerificationError } from './webhooks.ts';
import type { TurnAnswer, TurnRequested } from './wire.ts';

/** One turn of the agent, for your code. */
export type Turn = Omit<TurnRequested, 'end_user'> & {
  end_user: TurnRequested['end_user'] & Record<string, unknown>;
  /** The texts that the person wrote since the last message of the agent. */
  text: string;
  /** Aborts when Parley no longer waits for this call, for example because the person has written again. */
  signal: AbortSignal;
};

/**
 * A text becomes an answer with one message. The texts of an async iterable are shown while they arrive, and it may
 * return the whole answer.
 */
export type TurnReply = string | TurnAnswer | AsyncIterable<string> | Later;

export type TurnsOptions = {
  /** This function receives errors of your function and of later answers, and is console.error by default. */
  onError?: ((error: unknown) => void) | undefined;
};

/** A handler for Node's `http`, for Express, and for servers that map a Request to a Response. */
export type TurnHandler = {
  (request: Request): Promise<Response>;
  (request: NodeRequest, response: NodeResponse): Promise<void>;
};

/** The reply for an answer that takes longer than a call may last. */
class Later {
  readonly work: () => Promise<string | TurnAnswer>;

  constructor(work: () => Promise<string | TurnAnswer>) {
    this.work = work;
  }
}
export type { Later };

/**
 * Accepts the turn, and sends the answer when `work` has made it. The process of `later` must run until the answer is
 * sent. If another process creates the answer, return `accepted` and call `reply` in that process.
 */
export const later = (work: () => Promise<string | TurnAnswer>): Later => new Later(work);

/** Accepts the turn, so that another process can call `reply` with it. */
export const accepted: Later = new Later(() => new Promise(() => {}));

/** Sends the answer to an accepted turn. The function repeats a call that failed, until the deadline. */
export const reply = (
  request: Pick<TurnRequested, 'turn'>,
  answer: string | TurnAnswer,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<'accepted' | 'superseded'> => replyTo(request.turn, whole(answer), options.signal);

/**
 * The function call `turns(secret, async (turn) => 'Hello')` answers the turns of an agent with the provider "http".
 * The server checks the signature of each call. The parameter `secret` may be a list while you replace a secret.
 */
export function turns(
  secret: string | readonly string[] | undefined,
  answer: (turn: Turn) => TurnReply | Promise<TurnReply>,
  // oxlint-disable-next-line no-console -- an error that no one sees is lost
  { onError = console.error }: TurnsOptions = {},
): TurnHandler {
  const respond = async (received: Received): Promise<TurnHttpResponse> => {
    try {
      const asked = await webhooks.verify<TurnRequested>(received.body, received.headers, secret);
      const turn = { ...asked, text: newTextOf(asked), signal: received.signal } as Turn;
      const given = await answer(turn);
      // In the test chat, there is no run that could wait.
      const isTry = asked.run.id === null && given instanceof Later && given !== accepted;
      return responseTo(isTry ? await given.work() : given, asked, onError);
    } catch (error) {
      if (!received.signal.aborted) onError(error);
      return plain(error instanceof WebhookVerificationError ? 401 : 500);
    }
  };
  const answerTo = async (reading: Promise<Received>): Promise<TurnHttpResponse> => {
    let received: Received;
    try {
      received = await reading;
    } catch (error) {
      onError(error);
      return plain(error instanceof BodyTooLarge ? 413 : 500);
    }
    return respond(received);
  };
  async function handle(request: Request | NodeRequest, response?: NodeResponse): Promise<Response | void> {
    if (response === undefined) return toWeb(await answerTo(readWeb(request as Request)));
    await sendNode(response, await answerTo(readNode(request as NodeRequest, response)));
  }
  return handle as TurnHandler;
}

const plain = (status: number): TurnHttpResponse => ({ status, type: 'text/plain', body: '' });

/** Returns the texts after the last message of the agent. */
function newTextOf({ messages }: TurnRequested): string {
  const last = messages.map(({ role }) => role).lastIndexOf('agent');
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === 'end_user')
    .map(({ content }) => ('text' in content && content.text) || '')
    .join('\n');
}

function responseTo(given: TurnReply, asked: TurnRequested, onError: (error: unknown) => void): TurnHttpResponse {
  if (given instanceof Later) {
    void given
      .work()
      .then((answer) => reply(asked, answer))
      .catch(onError);
    return plain(202);
  }
  if (typeof given === 'object' && Symbol.asyncIterator in given) {
    return { status: 200, type: 'text/event-stream', body: eventsOf(given, onError) };
  }
  return { status: 200, type: 'application/json', body: JSON.stringify(whole(given)) };
}

async function* eventsOf(pieces: AsyncIterable<string>, onError: (error: unknown) => void): AsyncGenerator<string> {
  let text = '';
  const iterator = pieces[Symbol.asyncIterator]();
  let hasEnded = true;
  try {
    // Unlike `for await`, this loop also gets the value that a generator returns.
    for (let next = await iterator.next(); ; next = await iterator.next()) {
      if (next.done) return yield event('answer', whole((next.value as string | TurnAnswer | undefined) ?? text));
      text += next.value;
      hasEnded = false;
      yield event('delta', { text: next.value });
      hasEnded = true;
    }
  } catch (error) {
    // Without the event "answer", Parley repeats the call.
    onError(error);
  } finally {
    // Parley no longer reads, so the function of the caller ends too.
    if (!hasEnded) await Promise.resolve(iterator.return?.()).catch(onError);
  }
}

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const whole = (answer: string | TurnAnswer): TurnAnswer =>
  typeof answer === 'string' ? { messages: [{ content: { type: 'text', text: answer } }] } : answer;
