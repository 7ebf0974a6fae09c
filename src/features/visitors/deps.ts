import type { VisitorTokens } from '../../access/visitors/visitor-token.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import type { MessageFeed } from '../../store/messages/feed.ts';
import type { LiveDeltas } from '../../store/deltas/live-deltas.ts';

/**
 * The dependencies of the verbs in this folder. The file conversations/receive-from-visitor.ts stores a visitor's
 * messages.
 */
export type VisitorsDeps = {
  db: Db;
  openSecrets: OpenSecrets;
  visitorTokens: VisitorTokens;
  feed: MessageFeed;
  liveDeltas: Pick<LiveDeltas, 'follow'>;
};
