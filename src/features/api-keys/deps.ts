import type { Static } from 'typebox';
import type { KeyListQuery } from '../../../contract/dashboard/keys.ts';
import type { Region } from '../../../contract/regions.ts';
import type { Access } from '../../access/access.ts';
import type { Digest } from '../../access/api-keys/digest.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';

/** The dependencies of the verbs in this folder. */
export type ApiKeysDeps = {
  db: Db;
  access: Pick<Access, 'commit' | 'change' | 'everywhere'>;
  region: Region;
  /** The digest uses the same pepper as `createAccess`. */
  digest: Digest;
  now(): number;
  /** Null: the installation has no mail server, and owners see the revoke in the dashboard. */
  queueMail: QueueMail | null;
  /** The base URL of links in mails. */
  baseUrl: string;
};

export type ListFilter = Omit<Static<typeof KeyListQuery>, 'limit' | 'cursor'>;
