import type { ChatMessage } from '../../../contract/chat.ts';
import type { VisitorPlace } from '../../store/visitors.ts';
import type { NoteReceipts } from './note-receipts.ts';
import { presentVisitorMessage } from './read-messages.ts';
import type { VisitorsDeps } from './visitors.ts';

/**
 * Calls back with every message from now on, first of all with none or some: from then on nothing is missed. `onMessages`
 * says whether they went out to the visitor.
 */
export function createFollowMessages({ feed }: Pick<VisitorsDeps, 'feed'>, { delivered }: NoteReceipts) {
  return (place: VisitorPlace, onMessages: (messages: ChatMessage[]) => boolean): (() => void) =>
    feed.follow(place, (rows) => {
      if (onMessages(rows.map(presentVisitorMessage))) delivered(place, rows);
    });
}
