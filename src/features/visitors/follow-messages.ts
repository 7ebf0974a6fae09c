import type { ChatMessage } from '../../../contract/chat.ts';
import type { VisitorPlace } from '../../store/visitors.ts';
import { followDeltas } from '../../store/deltas/follow-deltas.ts';
import { visitorTopic } from '../../store/deltas/live-deltas.ts';
import { noteDelivered } from './note-receipts.ts';
import { presentVisitorMessage } from './read-messages.ts';
import type { VisitorsDeps } from './deps.ts';

export type ChatReader = {
  /** Returns true if the messages were sent to the visitor. */
  onMessages(messages: ChatMessage[]): boolean;
  /** The next text of the agent's message, or a whole text that replaces the earlier one. */
  onWords(event: 'delta' | 'replace', text: string): void;
};

/**
 * Calls back with every later message. The first callback may contain no messages. Later callbacks contain every
 * message, and deltas.
 */
export function followMessages(
  { db, feed, liveDeltas }: Pick<VisitorsDeps, 'db' | 'feed' | 'liveDeltas'>,
  place: VisitorPlace,
  reader: ChatReader,
): () => void {
  const { orgId, channelId, address } = place;
  const deltas = followDeltas(liveDeltas, visitorTopic(orgId, channelId, address), reader.onWords);
  const unfollow = feed.follow(place, (rows) => {
    if (rows.some(({ role }) => role === 'agent')) deltas.endMessage();
    if (reader.onMessages(rows.map(presentVisitorMessage))) noteDelivered({ db }, place, rows);
    deltas.open(true);
  });
  return () => {
    unfollow();
    deltas.leave();
  };
}
