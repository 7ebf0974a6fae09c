import type { Sessions } from '../../access/sessions/sessions.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type MembersDeps = {
  db: Db;
  sessions: Pick<Sessions, 'hashPassword' | 'signIn'>;
  /** HMAC key of invitation links. */
  setupKey: Buffer;
  baseUrl: string;
};
