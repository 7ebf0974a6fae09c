import { newId } from '../../kernel/ids.ts';
import { type DeltaSender, channelOf } from './send-deltas.ts';
import type { WatchedTopics } from './watched-topics.ts';
import type { TopicReaders } from './topic-readers.ts';

/** The first deltas of a turn are sent immediately, and later deltas at this interval. */
const GAP_MS = 30;

export type TurnDeltas = {
  isRead(): boolean;
  add(text: string): void;
  takeBack(): void;
  /** This function is called at the end of the turn. If the turn is not stored, readers remove its deltas. */
  end(stored: boolean): void;
};

type Turn = { id: string; topics: readonly string[]; text: string; sent: number; timer: NodeJS.Timeout | null };

/** The turns that this process runs, and the deltas that were sent for them. */
export function createTurns({
  carrier,
  watched,
  readers,
}: {
  carrier: DeltaSender;
  watched: WatchedTopics;
  readers: TopicReaders;
}) {
  const turns = new Set<Turn>();

  function tell(turn: Turn, at: number, text: string): void {
    for (const topic of turn.topics) {
      watched.show(topic, turn.id, at, text);
      for (const reader of readers.of(topic)) {
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

  return {
    /** The text that the turns of a topic have sent. */
    sentOn: (topic: string): { turn: string; text: string }[] =>
      [...turns]
        .filter(({ sent, topics }) => sent > 0 && topics.includes(topic))
        .map(({ id, text, sent }) => ({ turn: id, text: text.slice(0, sent) })),
    begin(topics: readonly string[], onEnd: () => void): TurnDeltas {
      const turn: Turn = { id: newId('node'), topics, text: '', sent: 0, timer: null };
      turns.add(turn);
      return {
        isRead: () => {
          carrier.listen();
          return topics.some((topic) => watched.has(topic) || readers.of(topic).length > 0);
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
          onEnd();
          if (turn.timer) clearTimeout(turn.timer);
          for (const topic of topics) {
            const end = { topic, turn: turn.id, stored };
            watched.close(end);
            for (const reader of readers.of(topic)) carrier.send(channelOf(reader), { end });
          }
        },
      };
    },
  };
}
