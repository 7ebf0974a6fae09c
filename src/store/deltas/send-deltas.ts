import pg from 'pg';
import { named } from '../named-statement.ts';
import { nameOf } from '../db.ts';
import { applySettings, LISTENING, WORK } from '../connection-settings.ts';

/** All processes that run turns or have readers listen on this channel. */
export const ALL_PROCESSES = 'parley_words';
export const channelOf = (reader: string): string => `${ALL_PROCESSES}_${reader}`;

/**
 * Sends deltas between processes by NOTIFY, outside of any transaction that stores data. Only one statement is in
 * progress at a time, so deltas arrive in order. Deltas that arrive while the statement runs are sent together in the
 * next statement. PAUSE_MS limits the rate of the statements, whatever the number of turns.
 */
export type DeltaSender = {
  /** Starts to LISTEN on the channels of deltas, or does nothing if the connection already listens. */
  listen(): void;
  /** The promise resolves after the first connection. */
  readonly listening: Promise<void>;
  /** The text is divided into as many notifications as it needs. */
  send(channel: string, payload: Payload): void;
  stop(): Promise<void>;
};

/** `at`: the position of `text` in the text of this turn. With 0, the piece replaces the earlier text. */
export type Piece = { topic: string; turn: string; at: number; text: string };
export type Payload =
  | { piece: Piece }
  | { end: { topic: string; turn: string; stored: boolean } }
  /** Reports that this process has readers for the given topics, or no longer has readers. */
  | { on: string[]; node: string }
  | { off: string[]; node: string }
  /** Reports that the given process lacks some pieces of this topic. */
  | { ask: string; node: string }
  /** A worker that has just connected requests the list of topics with readers. */
  | { who: true };

type Queued = { channel: string; payload: Payload };

type CarrierOptions = {
  pool: Pick<pg.Pool, 'query'>;
  url: string;
  role: string;
  channels: readonly string[];
  onPayload(payload: Payload): void;
  /**
   * This function is called after each connection, because notifications that were sent before the connection are lost.
   */
  onListening(): void;
};

const PAUSE_MS = 15;
/**
 * The queue has at most this many entries while the database is not available. The readers notice dropped entries as
 * gaps.
 */
const MAX_QUEUED = 10_000;
const MAX_PER_STATEMENT = 500;
/** A notification has at most 8,000 bytes, and a character needs up to six bytes in JSON. */
const MAX_CHARACTERS = 1_200;
const MAX_TOPICS = 250;
const LONGEST_RECONNECT_MS = 5_000;

// A crash of the server loses deltas without harm, because turns produce them again, so the statement does not wait for
// the disk.
const NOTIFY = named(
  'send-deltas',
  { channels: 'text[]', payloads: 'text[]' },
  `SELECT set_config('synchronous_commit', 'off', true), pg_notify(c, p)
   FROM unnest(:channels, :payloads) AS t(c, p)`,
);

export function createDeltaSender({ pool, url, role, channels, onPayload, onListening }: CarrierOptions): DeltaSender {
  let queue: Queued[] = [];
  /** The last queued piece of each topic on each channel, to which the next piece of the topic is appended. */
  const open = new Map<string, Piece>();
  let isSending = false;
  let stopped = false;

  const { promise: listening, resolve: onFirst } = Promise.withResolvers<void>();
  const listener = createListener({
    url,
    role,
    channels,
    onListening: () => {
      onFirst();
      onListening();
    },
    onText: (text) => onPayload(JSON.parse(text) as Payload),
  });

  async function drain(): Promise<void> {
    while (queue.length > 0 && !stopped) {
      const batch = queue.flatMap(({ channel, payload }) => inParts(payload).map((part) => ({ channel, part })));
      queue = [];
      open.clear();
      for (let at = 0; at < batch.length; at += MAX_PER_STATEMENT) {
        const some = batch.slice(at, at + MAX_PER_STATEMENT);
        const payloads = some.map(({ part }) => JSON.stringify(part));
        // A lost piece leaves a gap, and the reader's process requests the missing text.
        await pool.query(NOTIFY({ channels: some.map(({ channel }) => channel), payloads })).catch(() => {});
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  }

  /** If the database is slow, the pieces are fewer and longer. */
  function add(channel: string, payload: Payload): void {
    if (queue.length >= MAX_QUEUED) {
      queue = [];
      open.clear();
    }
    if (!('piece' in payload)) {
      if ('end' in payload) open.delete(`${channel} ${payload.end.topic}`);
      queue.push({ channel, payload });
      return;
    }
    const { piece } = payload;
    const name = `${channel} ${piece.topic}`;
    const last = open.get(name);
    if (last && piece.at === 0) Object.assign(last, piece);
    else if (last?.turn === piece.turn && last.at + last.text.length === piece.at) last.text += piece.text;
    else {
      const queued = { ...piece };
      open.set(name, queued);
      queue.push({ channel, payload: { piece: queued } });
    }
  }

  return {
    listen: listener.start,
    listening,
    send: (channel, payload) => {
      if (stopped) return;
      add(channel, payload);
      if (isSending) return;
      isSending = true;
      void drain().finally(() => {
        isSending = false;
      });
    },
    stop: async () => {
      stopped = true;
      await listener.stop();
    },
  };
}

function inParts(payload: Payload): Payload[] {
  if ('piece' in payload) {
    const { at, text, ...turn } = payload.piece;
    return slices(text, MAX_CHARACTERS).map((part, index) => ({
      piece: { ...turn, at: at + index * MAX_CHARACTERS, text: part },
    }));
  }
  if ('on' in payload) return slices(payload.on, MAX_TOPICS).map((on) => ({ ...payload, on }));
  if ('off' in payload) return slices(payload.off, MAX_TOPICS).map((off) => ({ ...payload, off }));
  return [payload];
}

/** Returns at least one slice, because an empty text removes the earlier text. */
function slices<T extends string | string[]>(whole: T, size: number): T[] {
  const count = Math.max(1, Math.ceil(whole.length / size));
  return Array.from({ length: count }, (_, index) => whole.slice(index * size, (index + 1) * size) as T);
}

type ListenerOptions = Pick<CarrierOptions, 'url' | 'role' | 'channels' | 'onListening'> & {
  onText(text: string): void;
};

function createListener({ url, role, channels, onListening, onText }: ListenerOptions) {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let started = false;
  let stopped = false;
  let failures = 0;

  const connect = async (): Promise<void> => {
    const made = new pg.Client({ connectionString: url, application_name: nameOf(role, 'words'), ...LISTENING });
    client = made;
    made.on('notification', ({ payload }) => {
      try {
        onText(payload ?? '');
      } catch {
        // Notifications that cannot be parsed are not from Parley, because other roles of the database may also notify.
      }
    });
    made.on('error', () => {});
    made.on('end', () => again(made));
    try {
      await made.connect();
      await applySettings(made, WORK);
      for (const channel of channels) await made.query(`LISTEN ${channel}`);
      failures = 0;
      onListening();
    } catch {
      await made.end().catch(() => {});
      again(made);
    }
  };

  const again = (ended: pg.Client): void => {
    if (stopped || client !== ended) return;
    client = null;
    timer = setTimeout(() => void connect(), Math.min(100 * 2 ** failures++, LONGEST_RECONNECT_MS)).unref();
  };

  return {
    start: () => {
      if (started || stopped) return;
      started = true;
      void connect();
    },
    stop: async () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
