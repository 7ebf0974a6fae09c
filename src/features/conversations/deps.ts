import type { BlobStore } from '../../kernel/blob-store.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import type { RunWaiter } from '../../store/runs/await.ts';
import type { InboundQueue } from './inbound-queue.ts';

/** The dependencies of the verbs in this folder. */
export type ConversationsDeps = {
  db: Db;
  waiter: RunWaiter;
  openSecrets: OpenSecrets;
  inboundQueue: InboundQueue;
  /** Where files of conversations are; null: in the database. */
  blobs: BlobStore | null;
  /** Where this installation is reached, for the addresses of files. */
  baseUrl: string;
  now(): number;
  /** A run needs a turn: wakes the worker of this process. */
  onAccepted(): void;
};
