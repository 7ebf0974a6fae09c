import type { ChatMessage } from '../../../contract/chat.ts';
import type { VisitorPlace } from '../../store/visitors.ts';
import { noteDelivered } from './note-receipts.ts';
import { presentVisitorMessage } from './read-messages.ts';
import type { VisitorsDeps } from './deps.ts';

/**
 * Calls back with every message from now on. The first call has messages or none; after it, no message is missed.
 * `onMessages` returns whether they were sent to the visitor.
 */
export const followMessages = (
  { db, feed }: Pick<VisitorsDeps, 'db' | 'feed'>,
  place: VisitorPlace,
  onMessages: (messages: ChatMessage[]) => boolean,
): (() => void) =>
  feed.follow(place, (rows) => {
    if (onMessages(rows.map(presentVisitorMessage))) noteDelivered({ db }, place, rows);
  });
