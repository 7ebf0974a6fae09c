import type { Role } from '../../../contract/permissions.ts';
import type { MailLimit } from '../../access/sessions/mail-limit.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';

/** The dependencies of the verbs in this folder. */
export type MembersDeps = {
  db: Db;
  sessions: Pick<Sessions, 'hashPassword' | 'signIn'>;
  /** The HMAC key of links that set a password or prove an address. */
  setupKey: Buffer;
  baseUrl: string;
  /** The outbox of mails. Null without a mail server, so that people pass links on. */
  queueMail: QueueMail | null;
  mailLimit: MailLimit;
};

/** The acting member. The session gate has read the role from the database. */
export type ActingMember = { userId: string; role: Role };
