import type { ChannelKinds } from '../../channels/kinds.ts';
import type { Db } from '../../store/db.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';
import type { SendQueue } from '../../store/messages/accept.ts';
import { createListAgentChannels } from './list-agent-channels.ts';
import { createReadMessage } from './read-message.ts';
import { createSendMessage } from './send-message.ts';

export type ChannelMessagesDeps = {
  db: Db;
  queue: SendQueue;
  guard: IdempotencyGuard;
  kinds: ChannelKinds;
  /** A message was committed: wakes the worker of this process. */
  onQueued(): void;
};

/** What a backend can do with an agent's channels; each verb is a file of this folder. */
export const createChannelMessages = (deps: ChannelMessagesDeps) => ({
  listChannels: createListAgentChannels(deps),
  send: createSendMessage(deps),
  read: createReadMessage(deps),
});

export type ChannelMessages = ReturnType<typeof createChannelMessages>;
