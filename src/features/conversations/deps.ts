import type { Connector } from '../../channels/connect.ts';
import type { BlobStore } from '../../kernel/blob-store.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import type { RunWaiter } from '../../store/runs/wait-for-run.ts';
import type { InboundQueue } from './inbound-queue.ts';

/** The dependencies of the verbs in this folder. */
export type ConversationsDeps = {
  db: Db;
  waiter: RunWaiter;
  openSecrets: OpenSecrets;
  connector: Pick<Connector, 'templates'>;
  inboundQueue: InboundQueue;
  /** The store for files of conversations. Null: files are in the database. */
  blobs: BlobStore | null;
  /** The base URL of this installation, for the addresses of files. */
  baseUrl: string;
  now(): number;
  /** This function is called when a run needs a turn, to wake the worker of this process. */
  onAccepted(): void;
};
