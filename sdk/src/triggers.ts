import { ParleyError } from './errors.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import { hasAnswered, hasEnded, hasStreamedAnswer } from './run-states.ts';
import { follow, type RunEvent } from './stream.ts';
import { sleep } from './timers.ts';
import { type CallOptions, path, type Transport, type WriteOptions } from './transport.ts';
import type { AcceptedRun, AnsweredRun, DryRun, Message, Run, TriggerCall } from './wire.ts';

/** A reference with the three IDs of a run. Any run that a method of the client returned is such a reference. */
export type RunRef = { id: string; agent_id: string; trigger_id: string };
/**
 * The option `wait` is the number of seconds, at most 25, to wait for the agent's answer. If the agent does not answer
 * in this time, the result has no `messages`.
 */
export type StartOptions = WriteOptions & { wait?: number | undefined };
/** An accepted run, with `messages` if the agent answered while the call waited. */
export type StartedRun = Omit<AcceptedRun, 'outcome'> &
  Pick<AcceptedRun | AnsweredRun, 'outcome'> &
  Partial<Pick<AnsweredRun, 'messages'>>;
type Include = 'messages' | 'models';
/** The fields of a result have names and types of values, as the agent declares them. */
export type ResultFields = Record<string, string | number | boolean>;
/**
 * A run whose `result.data` has the fields in `Fields`. The value of a required field may be absent too, which
 * `result.status` shows.
 */
export type RunWith<Fields extends object = ResultFields> = Omit<Run, 'result'> & {
  result: Omit<Run['result'], 'data'> & { data: Partial<Fields> };
};

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
const SECOND = 1_000;
const LEFT_OVER_MS = 15_000;
const keyed = (options: WriteOptions): WriteOptions => ({
  ...options,
  idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
});
const pathOf = ({ id, agent_id, trigger_id }: RunRef): string =>
  path`/api/triggers/${agent_id}/${trigger_id}/runs/${id}`;

export class Triggers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Starts or continues a conversation. When the promise resolves, the call is stored permanently. */
  start(agent: string, trigger: string, call: TriggerCall & { dry_run: true }, options?: WriteOptions): Promise<DryRun>;
  start(agent: string, trigger: string, call?: TriggerCall, options?: StartOptions): Promise<StartedRun>;
  start(
    agent: string,
    trigger: string,
    call: TriggerCall = {},
    options: StartOptions = {},
  ): Promise<StartedRun | DryRun> {
    const { wait, ...rest } = options;
    return this.#transport.json('POST', path`/api/triggers/${agent}/${trigger}`, {
      ...rest,
      // The server responds after the wait, so the time limit must include it.
      ...(wait !== undefined && rest.timeout === undefined && { timeout: wait * SECOND + LEFT_OVER_MS }),
      ...(wait !== undefined && { headers: { prefer: `wait=${Math.round(wait)}`, ...rest.headers } }),
      body: call,
    });
  }

  /** Lists all messages of a conversation that has a run of this trigger, newest first. */
  messages(
    agent: string,
    trigger: string,
    conversation: string,
    { limit, cursor, ...options }: PageOptions = {},
  ): List<Message> {
    const read = (at?: string): Promise<Page<Message>> =>
      this.#transport.json('GET', path`/api/triggers/${agent}/${trigger}/conversations/${conversation}/messages`, {
        ...options,
        query: { limit, cursor: at },
      });
    return new List(read, cursor);
  }

  /**
   * Starts a conversation and yields its events until the agent has answered. The client opens a broken connection
   * again, and polls the run if the server has no free stream. Polled messages arrive complete, without `delta`.
   */
  stream(
    agent: string,
    trigger: string,
    call: Omit<TriggerCall, 'dry_run'> = {},
    options: WriteOptions = {},
  ): AsyncGenerator<RunEvent, void, void> {
    const start = path`/api/triggers/${agent}/${trigger}`;
    const request = keyed(options);
    const accept = { accept: 'text/event-stream', ...request.headers };
    let run: RunRef | undefined;
    const open = async (last: string | null, signal: AbortSignal): Promise<Response> => {
      if (run)
        return this.#transport.open('GET', `${pathOf(run)}/events`, {
          ...request,
          signal,
          headers: resumed(last, accept),
        });
      const response = await this.#transport.open('POST', start, { ...request, signal, headers: accept, body: call });
      run = { id: idOf(response), agent_id: agent, trigger_id: trigger };
      return response;
    };
    const runs = new Runs(this.#transport);
    const rest = (last: string | null) => poll(runs, run!, options, hasStreamedAnswer, last);
    return follow(open, rest, options, hasStreamedAnswer);
  }
}

/** The `Location` of an accepted call ends with the ID of the run. */
function idOf(response: Response): string {
  const id = response.headers.get('location')?.split('/').pop();
  if (id) return id;
  const { status, headers } = response;
  const detail = 'The response to the accepted call has no Location.';
  throw new ParleyError({ code: 'response_invalid', detail, status, headers });
}

/**
 * The filter `created_after` includes its own moment. The values of `created_after` and `created_before` are in the
 * format of RFC 3339.
 */
type RunFilter = {
  status?: Run['status'] | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
};

export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get<Fields extends object = ResultFields>(
    run: RunRef,
    { include, ...options }: CallOptions & { include?: Include[] | undefined } = {},
  ): Promise<RunWith<Fields>> {
    const query = {
      include: include && ['messages', 'models'].filter((part) => include.includes(part as Include)).join(','),
    };
    return this.#transport.json('GET', pathOf(run), { ...options, query: { include: query.include || undefined } });
  }

  /** Lists the runs, newest first. */
  list<Fields extends object = ResultFields>(
    agent: string,
    trigger: string,
    { limit, cursor, status, created_after, created_before, ...options }: PageOptions & RunFilter = {},
  ): List<RunWith<Fields>> {
    const read = (at?: string): Promise<Page<RunWith<Fields>>> =>
      this.#transport.json('GET', path`/api/triggers/${agent}/${trigger}/runs`, {
        ...options,
        query: { limit, status, created_after, created_before, cursor: at },
      });
    return new List(read, cursor);
  }

  /** Ends the run early. The messages that were already sent are not removed. */
  cancel(run: RunRef, options: WriteOptions = {}): Promise<Run> {
    return this.#transport.json('POST', `${pathOf(run)}/cancel`, options);
  }

  /**
   * The promise resolves with the run and its messages after the agent has answered. With `until: 'end'`, the promise
   * resolves after the run has ended, which may take days. Limit the wait with `signal`, for example
   * `AbortSignal.timeout(60_000)`.
   */
  async wait<Fields extends object = ResultFields>(
    run: RunRef,
    { until = 'answer', ...options }: CallOptions & { until?: 'answer' | 'end' | undefined } = {},
  ): Promise<RunWith<Fields>> {
    const isLast = until === 'end' ? hasEnded : hasAnswered;
    for (const reads = states(this, run, options); ;) {
      const { value } = await reads.next();
      if (isLast(value)) return value as RunWith<Fields>;
    }
  }

  /**
   * Yields the events of the run until it has ended. The option `lastEventId` is the `id` of the last message that you
   * received.
   */
  stream(
    run: RunRef,
    { lastEventId, ...options }: CallOptions & { lastEventId?: string | undefined } = {},
  ): AsyncGenerator<RunEvent, void, void> {
    const at = `${pathOf(run)}/events`;
    const accept = { accept: 'text/event-stream', ...options.headers };
    const open = (last: string | null, signal: AbortSignal): Promise<Response> =>
      this.#transport.open('GET', at, { ...options, signal, headers: resumed(last, accept) });
    const rest = (last: string | null) => poll(this, run, options, hasEnded, last);
    return follow(open, rest, options, hasEnded, lastEventId);
  }
}

/** Reads the run with its messages repeatedly, with growing pauses. */
async function* states(runs: Runs, run: RunRef, options: CallOptions): AsyncGenerator<Run, never, void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    yield (await runs.get(run, { ...options, include: ['messages'] })) as Run;
    await sleep(pause, options.signal);
  }
}

/** Yields the same events as a stream, without `delta` and `replace`. */
async function* poll(
  runs: Runs,
  run: RunRef,
  options: CallOptions,
  isLast: (run: Run) => boolean,
  last: string | null,
): AsyncGenerator<RunEvent, void, void> {
  let after = last;
  let status: Run['status'] | undefined;
  for await (const { messages = [], ...state } of states(runs, run, options)) {
    const sent = messages.filter(({ role }) => role !== 'end_user');
    for (const data of sent.slice(sent.findIndex(({ id }) => id === after) + 1)) {
      after = data.id;
      yield { event: 'message', id: data.id, data };
    }
    if (state.status !== status) yield { event: 'run', data: state };
    status = state.status;
    if (isLast(state)) return;
  }
}

const resumed = (last: string | null, headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  ...(last !== null && { 'last-event-id': last }),
});
