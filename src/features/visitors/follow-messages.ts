import type { ChatMessage } from '../../../contract/chat.ts';
import type { VisitorPlace } from '../../store/visitors.ts';
import type { NoteReceipts } from './note-receipts.ts';
import { presentVisitorMessage } from './read-messages.ts';
import type { VisitorsDeps } from './visitors.ts';

/**
 * Calls back with every message from now on. The first call has messages or none; after it, no message is missed.
 * `onMessages` returns whether they were sent to the visitor.
 */
export function createFollowMessages({ feed }: Pick<VisitorsDeps, 'feed'>, { delivered }: NoteReceipts) {
  return (place: VisitorPlace, onMessages: (messages: ChatMessage[]) => boolean): (() => void) =>
    feed.follow(place, (rows) => {
      if (onMessages(rows.map(presentVisitorMessage))) delivered(place, rows);
    });
}
