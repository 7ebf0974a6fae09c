import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../kernel/ids.ts';
import { type DeltaSender, channelOf, createDeltaSender, ALL_PROCESSES, type Payload } from './send-deltas.ts';
import { createTurns, type TurnDeltas } from './turn-deltas.ts';
import { createWatchedTopics, type DeltaChange, type WatchedTopics } from './watched-topics.ts';
import { createTopicReaders } from './topic-readers.ts';

/**
 * Sends the deltas of turns in progress from the process that runs a turn to the processes whose readers watch the
 * turn. Deltas are never stored. Only the stored message counts, and a reader who misses deltas still gets the message.
 * A worker sends deltas only to processes that have reported readers for them. Without readers, deltas cost nothing.
 * The list of readers is only in memory. Processes repeat their reports, and workers remove reports that are not
 * repeated.
 */
export type LiveDeltas = {
  /**
   * Calls back with the currently shown text, if there is a text, and then with each change, until the caller stops it
   * with the returned function.
   */
  follow(topic: string, onChange: (change: DeltaChange) => void): () => void;
  /**
   * Follows a run before it is accepted, and resolves with the name of this process for `begin` when deltas can reach
   * the process. If the turn begins before the reader connects, this process already gets the deltas of the turn.
   */
  expect(topic: string): Promise<ExpectedDeltas>;
  /**
   * Starts the deltas of one turn, for the readers of the given topics. `reader`: a process that expects the deltas of
   * the first topic.
   */
  begin(topics: readonly string[], reader?: string): TurnDeltas;
  start(): void;
  stop(): Promise<void>;
};

/** Follows one topic. The first follower also gets the earlier changes. */
export type ExpectedDeltas = Pick<LiveDeltas, 'follow'> & { reader: string; leave(): void };

export const runTopic = (orgId: string, runId: string): string => nameOf('run', orgId, runId);
export const visitorTopic = (orgId: string, channelId: string, address: string): string =>
  nameOf('visitor', orgId, channelId, address);
/** A short name without any personal data, because other roles of the database may listen too. */
const nameOf = (...parts: string[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);

/** How long a call waits for the connection that receives deltas from other processes. */
const LISTEN_MS = 1_000;
const REPEAT_MS = 20_000;
type LiveDeltasOptions = {
  pool: Pick<pg.Pool, 'query'>;
  url: string;
  role: string;
  /** Call this function after a turn of another process was stored. */
  onStored(): void;
};

export function createLiveDeltas({ pool, url, role, onStored }: LiveDeltasOptions): LiveDeltas {
  const node = newId('node');
  const readers = createTopicReaders();
  let repeating: NodeJS.Timeout | undefined;

  const carrier: DeltaSender = createDeltaSender({
    pool,
    url,
    role,
    channels: [ALL_PROCESSES, channelOf(node)],
    onPayload: receive,
    onListening: () => {
      carrier.send(ALL_PROCESSES, { who: true });
      announce();
    },
  });
  const watched = createWatchedTopics({
    onFirst: (topic) => {
      carrier.listen();
      carrier.send(ALL_PROCESSES, { on: [topic], node });
      repeating ??= setInterval(repeat, REPEAT_MS).unref();
      for (const { turn, text } of turns.sentOn(topic)) watched.show(topic, turn, 0, text);
    },
    onLast: (topic) => {
      carrier.send(ALL_PROCESSES, { off: [topic], node });
      if (watched.topics().length > 0) return;
      clearInterval(repeating);
      repeating = undefined;
    },
  });
  const turns = createTurns({ carrier, watched, readers });

  function receive(payload: Payload): void {
    if ('piece' in payload) {
      const { topic, turn, at, text } = payload.piece;
      if (!watched.show(topic, turn, at, text)) carrier.send(ALL_PROCESSES, { ask: topic, node });
    } else if ('end' in payload) {
      if (payload.end.stored) onStored();
      watched.close(payload.end);
    } else if ('who' in payload) announce();
    else if (payload.node === node) return;
    else if ('on' in payload) for (const topic of payload.on) noteReader(topic, payload.node);
    else if ('ask' in payload) tellReader(payload.ask, payload.node);
    else for (const topic of payload.off) readers.forget(topic, payload.node);
  }

  function announce(): void {
    const topics = watched.topics();
    if (topics.length > 0) carrier.send(ALL_PROCESSES, { on: topics, node });
  }

  function noteReader(topic: string, reader: string): void {
    if (readers.note(topic, reader)) tellReader(topic, reader);
  }

  function tellReader(topic: string, reader: string): void {
    for (const { turn, text } of turns.sentOn(topic))
      carrier.send(channelOf(reader), { piece: { topic, turn, at: 0, text } });
  }

  /** A process repeats its reports, because workers remove readers whose reports are not repeated. */
  function repeat(): void {
    announce();
    watched.closeStale();
  }

  return {
    expect: async (topic) => {
      const early = followEarly(watched, topic);
      await Promise.race([carrier.listening, pause(LISTEN_MS, undefined, { ref: false })]);
      return { reader: node, ...early };
    },
    follow: watched.follow,
    begin: (topics, reader) => {
      if (reader === undefined || reader === node) return turns.begin(topics, () => {});
      noteReader(topics[0]!, reader);
      return turns.begin(topics, readers.expect(topics[0]!, reader));
    },
    // A process starts to listen when it has its first reader, or runs the first turn with a model.
    start: () => {
      if (role === 'worker') carrier.listen();
    },
    stop: async () => {
      clearInterval(repeating);
      watched.clear();
      await carrier.stop();
    },
  };
}

/** Follows a topic immediately, and stores the changes until the first follower arrives. */
function followEarly(watched: WatchedTopics, topic: string): Pick<ExpectedDeltas, 'follow' | 'leave'> {
  const early: DeltaChange[] = [];
  let pass = (change: DeltaChange): void => void early.push(change);
  const leave = watched.follow(topic, (change) => pass(change));
  return {
    leave,
    follow: (_, onChange) => {
      pass = onChange;
      for (const change of early.splice(0)) onChange(change);
      return leave;
    },
  };
}
