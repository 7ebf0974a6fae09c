import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../kernel/ids.ts';
import { type Carrier, createCarrier, type Payload } from './carry-words.ts';

/**
 * The words of turns under way, from the process that plays a turn to the processes whose readers watch it. They are
 * never stored: the stored message is the truth, and a reader who misses words still gets it. A worker sends
 * words only to processes that have said that they have readers for them; without readers a turn costs nothing here.
 * Who reads is kept in memory alone: processes repeat it, and workers forget what is not repeated.
 */
export type LiveWords = {
  /** What is shown now, if anything, then each change, until the returned function is called. */
  follow(topic: string, onChange: (change: WordsChange) => void): () => void;
  /**
   * The same for a run that is not accepted yet: follows it, and resolves with the name of this process for `begin` when
   * words can reach it. A turn that begins before the reader is there then finds it.
   */
  expect(topic: string): Promise<ExpectedWords>;
  /** The words of one turn, for the readers of these topics. `reader`: a process that expects those of the first topic. */
  begin(topics: readonly string[], reader?: string): TurnWords;
  start(): void;
  stop(): Promise<void>;
};

/** `text` follows what is shown, or `replaces` it; an empty one takes it back. `isStored`: its message can be read. */
export type WordsChange = { turn: string; text: string; replaces: boolean; isStored: boolean };

/** Follows one topic; the first follower gets the changes that came before it. */
export type ExpectedWords = Pick<LiveWords, 'follow'> & { reader: string; leave(): void };

export type TurnWords = {
  isRead(): boolean;
  add(text: string): void;
  takeBack(): void;
  /** The turn is over. If it is not stored, its words are taken back. */
  end(stored: boolean): void;
};

export const runTopic = (orgId: string, runId: string): string => nameOf('run', orgId, runId);
export const visitorTopic = (orgId: string, channelId: string, address: string): string =>
  nameOf('visitor', orgId, channelId, address);
/** Short, and without anything about a person: other roles of the database may listen too. */
const nameOf = (...parts: string[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);

/** The first words of a turn go at once, later ones this often. */
const GAP_MS = 30;
/** How long a process whose last reader left still gets the words: the reader may come back. */
const LINGER_MS = 10_000;
/** How long a call waits for the connection that brings words from other processes. */
const LISTEN_MS = 1_000;
const REPEAT_MS = 20_000;
const FORGET_MS = 60_000;
/** Words that have not moved for this long are of a worker that died: longer than a model may take for an answer. */
const STALE_MS = 45_000;
/** Maximum topics that a worker remembers. */
const MAX_READ = 100_000;
/** All processes that play turns or have readers listen here. */
const EVERYONE = 'parley_words';

type Shown = { turn: string; text: string; at: number };
type Watched = { listeners: Set<(change: WordsChange) => void>; shown: Shown | null; leaving: NodeJS.Timeout | null };
type Turn = { id: string; topics: readonly string[]; text: string; sent: number; timer: NodeJS.Timeout | null };

type LiveWordsOptions = {
  pool: Pick<pg.Pool, 'query'>;
  url: string;
  role: string;
  /** A turn of another process was stored. */
  onStored(): void;
};

export function createLiveWords({ pool, url, role, onStored }: LiveWordsOptions): LiveWords {
  const node = newId('node');
  const own = `${EVERYONE}_${node}`;
  const watched = new Map<string, Watched>();
  /** Which processes have readers of a topic, and until when this is believed. */
  const readers = new Map<string, Map<string, number>>();
  const turns = new Set<Turn>();
  /** Readers that a run names and that have not announced themselves: they may not listen yet. */
  const unheard = new Set<string>();
  let repeating: NodeJS.Timeout | undefined;

  const carrier: Carrier = createCarrier({
    pool,
    url,
    role,
    channels: [EVERYONE, own],
    onPayload: receive,
    onListening: () => {
      carrier.send(EVERYONE, { who: true });
      announce();
    },
  });

  function receive(payload: Payload): void {
    if ('piece' in payload) {
      const { topic, turn, at, text } = payload.piece;
      if (!show(topic, turn, at, text)) carrier.send(EVERYONE, { ask: topic, node });
    } else if ('end' in payload) {
      if (payload.end.stored) onStored();
      close(payload.end);
    } else if ('who' in payload) announce();
    else if (payload.node === node) return;
    else if ('on' in payload) for (const topic of payload.on) noteReader(topic, payload.node);
    else if ('ask' in payload) tellReader(payload.ask, payload.node);
    else for (const topic of payload.off) forgetReader(topic, payload.node);
  }

  function announce(): void {
    if (watched.size > 0) carrier.send(EVERYONE, { on: [...watched.keys()], node });
  }

  function noteReader(topic: string, reader: string): void {
    if (readers.size >= MAX_READ && !readers.has(topic)) return;
    const nodes = readers.get(topic) ?? new Map<string, number>();
    const isNew = !nodes.has(reader) || unheard.delete(`${topic} ${reader}`);
    readers.set(topic, nodes.set(reader, performance.now() + FORGET_MS));
    if (isNew) tellReader(topic, reader);
  }

  function tellReader(topic: string, reader: string): void {
    for (const { id, topics, text, sent } of turns) {
      if (sent > 0 && topics.includes(topic)) {
        carrier.send(channelOf(reader), { piece: { topic, turn: id, at: 0, text: text.slice(0, sent) } });
      }
    }
  }

  function forgetReader(topic: string, reader: string): void {
    const nodes = readers.get(topic);
    if (nodes?.delete(reader) && nodes.size === 0) readers.delete(topic);
  }

  function nodesOf(topic: string): string[] {
    const now = performance.now();
    for (const [reader, until] of readers.get(topic) ?? []) if (until < now) forgetReader(topic, reader);
    return [...(readers.get(topic)?.keys() ?? [])];
  }

  /** False when words before these are missing. */
  function show(topic: string, turn: string, at: number, text: string): boolean {
    const here = watched.get(topic);
    if (!here) return true;
    const { shown } = here;
    const isNext = shown?.turn === turn && at === shown.text.length;
    if (at > 0 && !isNext) return shown?.turn !== turn && shown !== null;
    const replaces = at === 0;
    here.shown = { turn, text: replaces ? text : shown!.text + text, at: performance.now() };
    if (replaces && text === '' && !shown?.text) return true;
    for (const listener of here.listeners) {
      listener({ turn, text, replaces: replaces && Boolean(shown?.text), isStored: false });
    }
    return true;
  }

  function close({ topic, turn, stored }: { topic: string; turn: string; stored: boolean }): void {
    const here = watched.get(topic);
    if (here?.shown?.turn !== turn) return;
    if (!stored) show(topic, turn, 0, '');
    else for (const listener of here.listeners) listener({ turn, text: '', replaces: true, isStored: true });
    here.shown = null;
  }

  function tell(turn: Turn, at: number, text: string): void {
    for (const topic of turn.topics) {
      show(topic, turn.id, at, text);
      for (const reader of nodesOf(topic)) {
        carrier.send(channelOf(reader), { piece: { topic, turn: turn.id, at, text } });
      }
    }
  }

  function flush(turn: Turn): void {
    turn.timer = null;
    if (turn.sent === turn.text.length) return;
    const from = turn.sent;
    turn.sent = turn.text.length;
    tell(turn, from, turn.text.slice(from));
    turn.timer = setTimeout(() => flush(turn), GAP_MS).unref();
  }

  /** Repeats what is read here, and takes back words that no worker continues. */
  function repeat(): void {
    announce();
    const old = performance.now() - STALE_MS;
    for (const [topic, { shown }] of watched) {
      if (shown && shown.at < old) close({ topic, turn: shown.turn, stored: false });
    }
  }

  function leave(topic: string): void {
    watched.delete(topic);
    carrier.send(EVERYONE, { off: [topic], node });
    if (watched.size > 0) return;
    clearInterval(repeating);
    repeating = undefined;
  }

  return {
    async expect(topic) {
      const early: WordsChange[] = [];
      let pass = (change: WordsChange): void => void early.push(change);
      const leave = this.follow(topic, (change) => pass(change));
      await Promise.race([carrier.listening, pause(LISTEN_MS, undefined, { ref: false })]);
      return {
        reader: node,
        leave,
        follow: (_, onChange) => {
          pass = onChange;
          for (const change of early.splice(0)) onChange(change);
          return leave;
        },
      };
    },

    follow(topic, onChange) {
      const known = watched.get(topic);
      const here: Watched = known ?? { listeners: new Set(), shown: null, leaving: null };
      if (here.leaving) clearTimeout(here.leaving);
      here.leaving = null;
      here.listeners.add(onChange);
      if (!known) {
        watched.set(topic, here);
        carrier.listen();
        carrier.send(EVERYONE, { on: [topic], node });
        repeating ??= setInterval(repeat, REPEAT_MS).unref();
        for (const turn of turns) {
          if (turn.sent > 0 && turn.topics.includes(topic)) show(topic, turn.id, 0, turn.text.slice(0, turn.sent));
        }
      } else if (here.shown?.text) {
        onChange({ turn: here.shown.turn, text: here.shown.text, replaces: true, isStored: false });
      }
      return () => {
        if (!here.listeners.delete(onChange) || here.listeners.size > 0) return;
        here.leaving = setTimeout(() => leave(topic), LINGER_MS).unref();
      };
    },

    begin(topics, reader) {
      const expected = reader === undefined || reader === node ? null : `${topics[0]} ${reader}`;
      if (expected !== null) {
        noteReader(topics[0]!, reader!);
        unheard.add(expected);
      }
      const turn: Turn = { id: newId('node'), topics, text: '', sent: 0, timer: null };
      turns.add(turn);
      return {
        isRead: () => {
          carrier.listen();
          return topics.some((topic) => watched.has(topic) || nodesOf(topic).length > 0);
        },
        add: (text) => {
          turn.text += text;
          if (turn.timer === null) flush(turn);
        },
        takeBack: () => {
          if (turn.sent > 0) tell(turn, 0, '');
          turn.text = '';
          turn.sent = 0;
        },
        end: (stored) => {
          if (!turns.delete(turn)) return;
          if (expected !== null) unheard.delete(expected);
          if (turn.timer) clearTimeout(turn.timer);
          for (const topic of topics) {
            const end = { topic, turn: turn.id, stored };
            close(end);
            for (const reader of nodesOf(topic)) carrier.send(channelOf(reader), { end });
          }
        },
      };
    },

    // Other processes begin to listen when they have the first reader, or play the first turn of a model.
    start: () => {
      if (role === 'worker') carrier.listen();
    },

    stop: async () => {
      clearInterval(repeating);
      for (const { leaving } of watched.values()) if (leaving) clearTimeout(leaving);
      watched.clear();
      await carrier.stop();
    },
  };
}

const channelOf = (reader: string): string => `${EVERYONE}_${reader}`;
