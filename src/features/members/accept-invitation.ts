import type { InvitationLook } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { invitationDigest } from '../../access/sessions/invitation-link.ts';
import type { SignInOutcome } from '../../access/sessions/sessions.ts';
import type { Browser, SignedIn } from '../../access/sessions/signed-in.ts';
import { timestamp } from '../../kernel/clock.ts';
import { recordAudit } from '../../store/organizations/audit.ts';
import { type Queryable, isUniqueViolation } from '../../store/db.ts';
import { MAX_MEMBERS, countMembers, insertMember, isMemberByEmail, lockMembers } from '../../store/members/members.ts';
import { type Invitation, acceptInvitationLink, findInvitation } from '../../store/members/invitations.ts';
import { findPersonByEmail, insertPerson, markVerified, setName } from '../../store/accounts/accounts.ts';
import { claimAccount } from './claim-account.ts';
import { isVouchedFor, mayMakeAccount } from './invite-rights.ts';
import type { MembersDeps } from './deps.ts';

type From = Browser & { requestId: string };

/**
 * Returns the data that the holder of a link may see before accepting. The response does not reveal whether the address
 * has an account.
 */
export async function readInvitation({ db }: Pick<MembersDeps, 'db'>, token: string): Promise<InvitationLook> {
  const invitation = await foundInvitation(db, token);
  return {
    organization: invitation.organization,
    email: invitation.email,
    role: invitation.role,
    new_accounts: await mayMakeAccount(db, invitation),
    expires_at: timestamp(invitation.expiresAt),
  };
}

/** Accepts an invitation with the account of the current session, whatever the way of signing in. */
export async function joinByInvitation(
  { db }: Pick<MembersDeps, 'db'>,
  token: string,
  signedIn: SignedIn,
  from: From,
): Promise<SignedIn> {
  const { user } = signedIn;
  const invitation = await foundInvitation(db, token);
  if (user.email !== invitation.email) {
    throw new Refusal('invitation_not_found', 'This invitation is for a different e-mail address.');
  }
  await db.transaction(async (tx) => {
    await join(tx, invitation, token, user.id, from);
    if (invitation.mailed) await markVerified(tx, user.id);
  });
  return { ...signedIn, user: { ...user, emailVerified: user.emailVerified || invitation.mailed } };
}

/** Accepts an invitation for a new person with a name and a password. The new person is signed in immediately. */
export async function acceptInvitation(
  { db, sessions }: Pick<MembersDeps, 'db' | 'sessions'>,
  token: string,
  { name, password }: { name: string; password: string },
  from: From,
): Promise<SignInOutcome> {
  const invitation = await foundInvitation(db, token);
  if (!(await mayMakeAccount(db, invitation))) throw new Refusal('account_required');
  const passwordHash = await sessions.hashPassword(password, [name, invitation.email]);
  await db
    .transaction(async (tx) => {
      const userId = await newAccount(tx, invitation, { name, passwordHash }, from);
      await join(tx, invitation, token, userId, from);
    })
    .catch((error: unknown) => {
      // Another request with this link was faster.
      throw isUniqueViolation(error) ? new Refusal('invitation_not_found') : error;
    });
  return sessions.signIn(from, invitation.email, password);
}

/** If the address is not proven, the person who opens the mailed link takes the account over. */
async function newAccount(
  tx: Queryable,
  { email, mailed }: Invitation,
  { name, passwordHash }: { name: string; passwordHash: string },
  from: From,
): Promise<string> {
  const known = await findPersonByEmail(tx, email);
  if (!known) return (await insertPerson(tx, { name, email, passwordHash, emailVerified: mailed })).id;
  if (!mailed || known.emailVerified) throw new Refusal('account_exists');
  await claimAccount(tx, known, passwordHash, from, { proven: true });
  await setName(tx, known.id, name);
  return known.id;
}

async function foundInvitation(db: Queryable, token: string): Promise<Invitation> {
  const invitation = await findInvitation(db, invitationDigest(token));
  if (!invitation) throw new Refusal('invitation_not_found');
  return invitation;
}

/** A role that the person already has does not change. */
async function join(
  tx: Queryable,
  invitation: Invitation,
  token: string,
  userId: string,
  { address, requestId }: Pick<From, 'address' | 'requestId'>,
): Promise<void> {
  const { orgId, id, email, role } = invitation;
  await lockMembers(tx, orgId);
  const isGood =
    (await isVouchedFor(tx, invitation)) && (await acceptInvitationLink(tx, orgId, invitationDigest(token)));
  if (!isGood) throw new Refusal('invitation_not_found');
  if (!(await isMemberByEmail(tx, orgId, email))) {
    // The list of members ends at the limit, so no one could see or remove a member above it.
    if ((await countMembers(tx, orgId)) >= MAX_MEMBERS) throw new Refusal('organization_full');
    await insertMember(tx, orgId, userId, role);
  }
  const actor = { userId, address, requestId };
  await recordAudit(tx, { orgId, actor, action: 'invitation.accepted', subjectId: id, facts: { role } });
}
