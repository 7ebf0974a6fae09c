import type { InvitationLook } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readInvitationToken } from '../../access/sessions/invitation-link.ts';
import type { Caller, SignInOutcome } from '../../access/sessions/sessions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { recordAudit } from '../../store/audit.ts';
import { isUniqueViolation, type Queryable } from '../../store/db.ts';
import {
  closeInvitation,
  findInvitation,
  insertMember,
  type Invitation,
  isMemberByEmail,
  lockMembers,
} from '../../store/members.ts';
import { findPersonByEmail, insertPerson, type Person } from '../../store/people.ts';
import type { MembersDeps } from './members.ts';

/** What the holder of a link may know before accepting. */
export async function readInvitation(deps: MembersDeps, token: string): Promise<InvitationLook> {
  const invitation = await foundInvitation(deps, token);
  return {
    organization: invitation.organization,
    email: invitation.email,
    role: invitation.role,
    has_account: (await findPersonByEmail(deps.db, invitation.email)) !== null,
    expires_at: timestamp(invitation.expiresAt),
  };
}

/** Joins by link: with the password of one's account, or with a name and a new password. Signs in at once. */
export async function acceptInvitation(
  deps: MembersDeps,
  token: string,
  { name, password }: { name?: string | undefined; password: string },
  caller: Caller & { requestId: string },
): Promise<SignInOutcome> {
  const { db, sessions } = deps;
  const invitation = await foundInvitation(deps, token);
  const known = await findPersonByEmail(db, invitation.email);
  if (known) {
    const signedIn = await enter(deps, known, password, caller);
    // Joins with the second factor: the page calls once more when the code was right.
    if (signedIn.asked) return signedIn;
    await db.transaction((tx) => join(tx, invitation, known.id, caller));
    return signedIn;
  }
  if (name === undefined) {
    throw new Refusal('validation_failed', undefined, {
      errors: [{ pointer: '/name', code: 'required', detail: 'Say your name: this makes a new account.' }],
    });
  }
  const passwordHash = await sessions.hashPassword(password, [name, invitation.email]);
  await db
    .transaction(async (tx) => {
      const person = await insertPerson(tx, { name, email: invitation.email, passwordHash });
      await join(tx, invitation, person.id, caller);
    })
    .catch((error: unknown) => {
      // Somebody with this link was faster by a moment.
      throw isUniqueViolation(error) ? new Refusal('invitation_not_found') : error;
    });
  return sessions.signIn(caller, invitation.email, password);
}

/** By the password; or by the session, which somebody with a second factor has by now. */
async function enter(
  { sessions }: MembersDeps,
  known: Person,
  password: string,
  caller: Caller,
): Promise<SignInOutcome> {
  const found = await sessions.read(caller);
  // Whom the provider of an organization vouches for is that person there, and nowhere else.
  if (found?.signedIn.user.id !== known.id || found.signedIn.onlyOrgId !== null)
    return sessions.signIn(caller, known.email, password);
  return { userId: known.id, setCookie: found.setCookie, asked: null };
}

async function foundInvitation({ db, setupKey }: MembersDeps, token: string): Promise<Invitation> {
  const id = readInvitationToken(setupKey, token);
  const invitation = id === null ? null : await findInvitation(db, id);
  if (!invitation) throw new Refusal('invitation_not_found');
  return invitation;
}

async function join(
  tx: Queryable,
  { orgId, id, email, role }: Invitation,
  userId: string,
  { address, requestId }: { address: string; requestId: string },
): Promise<void> {
  await lockMembers(tx, orgId);
  if (!(await closeInvitation(tx, orgId, id, 'accepted'))) throw new Refusal('invitation_not_found');
  if (!(await isMemberByEmail(tx, orgId, email))) await insertMember(tx, orgId, userId, role);
  const actor = { userId, address, requestId };
  await recordAudit(tx, { orgId, actor, action: 'invitation.accepted', subjectId: id, facts: { role } });
}
