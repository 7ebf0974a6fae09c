import { List, type Page, type PageOptions } from './pages.ts';
import { follow, HAS_ENDED, type RunEvent } from './stream.ts';
import { type CallOptions, path, sleep, type Transport, type WriteOptions } from './transport.ts';
import type { AcceptedRun, AnsweredRun, DryRun, Run, TriggerCall } from './wire.ts';

/** What names a run: any run that a method here returned. */
export type RunRef = { id: string; agent_id: string; trigger_id: string };
/** `wait`: seconds, at most 25, to wait for the agent's answer. Without an answer in time there are no `messages`. */
export type StartOptions = WriteOptions & { wait?: number };
/** An accepted run, with `messages` if the agent answered while the call waited. */
export type StartedRun = AcceptedRun & Partial<Pick<AnsweredRun, 'messages'>>;
type Include = 'messages' | 'models';

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

  /** Starts a conversation, or continues one. When it resolves, the call is stored and is never lost. */
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
      // The answer comes after the wait, not before.
      ...(wait !== undefined && rest.timeout === undefined && { timeout: wait * SECOND + LEFT_OVER_MS }),
      ...(wait !== undefined && { headers: { prefer: `wait=${Math.round(wait)}`, ...rest.headers } }),
      body: call,
    });
  }

  /** Starts it and gives its events, word by word, to the agent's answer. A connection that breaks is continued. */
  stream(
    agent: string,
    trigger: string,
    call: Omit<TriggerCall, 'dry_run'> = {},
    options: WriteOptions = {},
  ): AsyncGenerator<RunEvent, void, void> {
    const request = keyed(options);
    const accept = { accept: 'text/event-stream', ...request.headers };
    let run: string | undefined;
    const open = async (last: string | null, signal: AbortSignal): Promise<Response> => {
      if (run !== undefined)
        return this.#transport.open('GET', `${run}/events`, { ...request, signal, headers: resumed(last, accept) });
      const started = path`/api/triggers/${agent}/${trigger}`;
      const response = await this.#transport.open('POST', started, { ...request, signal, headers: accept, body: call });
      const id = response.headers.get('location')?.split('/').pop();
      if (id) run = pathOf({ id, agent_id: agent, trigger_id: trigger });
      return response;
    };
    return follow(open, options, 'answer');
  }
}

export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(run: RunRef, { include, ...options }: CallOptions & { include?: Include[] } = {}): Promise<Run> {
    const query = {
      include: include && ['messages', 'models'].filter((part) => include.includes(part as Include)).join(','),
    };
    return this.#transport.json('GET', pathOf(run), { ...options, query: { include: query.include || undefined } });
  }

  /** Newest first. */
  list(
    agent: string,
    trigger: string,
    { limit, cursor, status, ...options }: PageOptions & { status?: Run['status'] } = {},
  ): List<Run> {
    const read = (at?: string): Promise<Page<Run>> =>
      this.#transport.json('GET', path`/api/triggers/${agent}/${trigger}/runs`, {
        ...options,
        query: { limit, status, cursor: at },
      });
    return new List(read, cursor);
  }

  /** Ends the run early. What was said stays said. */
  cancel(run: RunRef, options: WriteOptions = {}): Promise<Run> {
    return this.#transport.json('POST', `${pathOf(run)}/cancel`, options);
  }

  /**
   * Resolves with the run and its messages when the agent has answered (`until: 'end'`: when the run has ended, which
   * may take days). Bound it with `signal`, for example `AbortSignal.timeout(60_000)`.
   */
  async wait(
    run: RunRef,
    { until = 'answer', ...options }: CallOptions & { until?: 'answer' | 'end' } = {},
  ): Promise<Run> {
    for (let pause = 200; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
      const read = await this.get(run, { ...options, include: ['messages'] });
      const isUnderWay = until === 'end' || ['queued', 'scheduled', 'running'].includes(read.status);
      if (HAS_ENDED.has(read.status) || !isUnderWay) return read;
      await sleep(pause, options.signal);
    }
  }

  /** The events of the run until it has ended. `lastEventId`: the `id` of the last message that you have. */
  stream(
    run: RunRef,
    { lastEventId, ...options }: CallOptions & { lastEventId?: string } = {},
  ): AsyncGenerator<RunEvent, void, void> {
    const accept = { accept: 'text/event-stream', ...options.headers };
    const open = (last: string | null, signal: AbortSignal): Promise<Response> =>
      this.#transport.open('GET', `${pathOf(run)}/events`, { ...options, signal, headers: resumed(last, accept) });
    return follow(open, options, 'end', lastEventId);
  }
}

const resumed = (last: string | null, headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  ...(last !== null && { 'last-event-id': last }),
});
