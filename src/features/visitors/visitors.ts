import type { VisitorTokens } from '../../access/visitors/visitor-token.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { findChatChannel } from './find-chat-channel.ts';
import { createNoteReceipts } from './note-receipts.ts';
import { createOpenSession } from './open-session.ts';
import { createReadMessages } from './read-messages.ts';
import { createFollowMessages } from './follow-messages.ts';
import type { MessageFeed } from '../../store/messages/feed.ts';

export type VisitorsDeps = {
  db: Db;
  kinds: ChannelKinds;
  openSecrets: OpenSecrets;
  tokens: VisitorTokens;
  feed: MessageFeed;
};

/** What strangers may do on a web chat. Their messages are stored like all inbound messages (conversations/). */
export function createVisitors(deps: VisitorsDeps) {
  const noteReceipts = createNoteReceipts(deps);
  return {
    findChannel: (id: string) => findChatChannel(deps.db, id),
    openSession: createOpenSession(deps),
    readMessages: createReadMessages(deps, noteReceipts),
    follow: createFollowMessages(deps, noteReceipts),
    noteRead: noteReceipts.read,
  };
}

export type Visitors = ReturnType<typeof createVisitors>;
