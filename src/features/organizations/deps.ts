import type { Region } from '../../../contract/regions.ts';
import type { Access } from '../../access/access.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';

/** The dependencies of the verbs in this folder. */
export type OrganizationsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  sessions: Pick<Sessions, 'hashPassword'>;
  /** The HMAC key of setup links. */
  setupKey: Buffer;
  region: Region;
  baseUrl: string;
  /** The outbox of mails. Null without a mail server. */
  queueMail: QueueMail | null;
  upgradeUrl: string | null;
};
