import type { SessionRecord } from '../../../contract/dashboard/sign-in.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import { timestamp } from '../../kernel/clock.ts';
import { deleteOtherSessions, deleteSession, listSessions as listRows } from '../../store/accounts/sessions.ts';
import type { MembersDeps } from './deps.ts';

type Reads = Pick<MembersDeps, 'db'>;

export async function listSessions({ db }: Reads, who: SignedIn): Promise<SessionRecord[]> {
  const rows = await listRows(db, who.user.id);
  return rows.map((row) => ({
    id: row.id,
    current: row.id === who.sessionId,
    address: row.address || null,
    user_agent: row.userAgent || null,
    created_at: timestamp(row.createdAt),
    last_seen_at: timestamp(row.updatedAt),
    expires_at: timestamp(row.expiresAt),
  }));
}

/** The end of a session takes effect on the next request, because every request reads its session from the database. */
export async function endSession({ db }: Reads, who: SignedIn, sessionId: string): Promise<void> {
  if (!(await deleteSession(db, who.user.id, sessionId))) {
    throw new Refusal('route_not_found', 'You have no session with this id. The session may have ended.');
  }
}

export const endOtherSessions = ({ db }: Reads, who: SignedIn): Promise<void> =>
  deleteOtherSessions(db, who.user.id, who.sessionId);
