import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../../../contract/problems.ts';
import type { Identity } from '../../access/sessions/oidc.ts';
import type { Browser } from '../../access/sessions/signed-in.ts';
import { type StoredState, readState } from '../../access/sessions/sign-in-state.ts';
import { recordAudit } from '../../store/organizations/audit.ts';
import { type Queryable, isUniqueViolation } from '../../store/db.ts';
import { MAX_MEMBERS, countMembers, insertMember, lockMembers } from '../../store/members/members.ts';
import { acceptOpenInvitation } from '../../store/members/invitations.ts';
import { findMembership } from '../../store/organizations/organizations.ts';
import { findPersonByEmail, insertPerson } from '../../store/accounts/accounts.ts';
import { deleteSessionByToken } from '../../store/accounts/sessions.ts';
import { type ProviderRow, readSignInProvider, useSignInState } from '../../store/sign-in/providers.ts';
import { findLinkedUser, insertLink, isFormerMember } from '../../store/sign-in/links.ts';
import { isProven } from '../../store/sign-in/domains.ts';
import { type SignInDeps, callbackUrl, clientOf, domainOfAddress } from './sign-in.ts';

type From = Browser & { requestId: string };
/** An identity whose address was accepted. */
type VerifiedIdentity = Identity & { email: string };

/**
 * Handles the callback from the provider: identifies the person, checks whether this person may sign in, and opens a
 * session for this organization only.
 */
export async function finishSignIn(
  deps: SignInDeps,
  orgId: string,
  query: string,
  from: From,
): Promise<{ setCookie: string[]; back: string }> {
  const state = await takeState(deps, orgId, query, from);
  const provider = await readSignInProvider(deps.db, orgId);
  if (!provider?.enabled) throw new Refusal('sign_in_provider_not_found');
  const client = await clientOf(deps, provider);
  const identity = await deps.oidc.finish(client, callbackUrl(deps.baseUrl, orgId), query, state.checks);
  const verified = await checkAddress(deps.db, orgId, identity);
  const isKnown = (await findPersonByEmail(deps.db, verified.email)) !== null;
  const passwordHash = isKnown ? null : await unusablePassword(deps);
  const enter = () => deps.db.transaction((tx) => letIn(tx, provider, verified, passwordHash, from));
  // Another way of signing in, which does not use this lock, may create a person with this address at the same time.
  const userId = await enter().catch((error: unknown) => {
    if (isUniqueViolation(error)) return enter();
    throw error;
  });
  const { setCookie, token } = await deps.sessions.openFor(from, userId, orgId, identity.secondFactor);
  // A change of the settings ends all existing sessions, but this session may have been opened just after such a
  // change.
  const holds = await deps.db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    const isSame = await isUnchanged(tx, provider, verified);
    if (!isSame) await deleteSessionByToken(tx, userId, token);
    return isSame;
  });
  if (!holds) throw new Refusal('sign_in_expired');
  return { setCookie, back: state.back };
}

async function takeState(
  { db, signInKey }: SignInDeps,
  orgId: string,
  query: string,
  from: From,
): Promise<StoredState> {
  const state = readState(signInKey, from.cookie, Date.now());
  // A link from another person must not use up the state of a sign-in in progress.
  const isMine = state?.orgId === orgId && new URLSearchParams(query).get('state') === state.checks.state;
  if (!isMine) throw new Refusal('sign_in_expired');
  const digest = createHash('sha256').update(state.checks.state).digest('base64url');
  if (!(await useSignInState(db, digest, new Date(state.until)))) throw new Refusal('sign_in_expired');
  return state;
}

/** The provider is trusted only for the domains that its organization has proven. */
async function checkAddress(db: Queryable, orgId: string, identity: Identity): Promise<VerifiedIdentity> {
  const { email, emailVerified, hostedDomain } = identity;
  const domain = email === null ? null : domainOfAddress(email);
  if (email === null || domain === null) {
    throw new Refusal(
      'sign_in_address_refused',
      'The provider sent no e-mail address. The provider must send the claim "email".',
    );
  }
  if (!emailVerified)
    throw new Refusal('sign_in_address_refused', 'The provider has not verified your e-mail address.');
  for (const claimed of hostedDomain === null ? [domain] : [domain, hostedDomain]) {
    if (!(await isProven(db, orgId, claimed))) {
      const detail = 'The provider sent an address in a domain that this organization has not verified.';
      throw new Refusal('sign_in_address_refused', detail);
    }
  }
  return { ...identity, email: email.toLowerCase() };
}

/** Sets a random password that no one knows, so that a password link works later. */
const unusablePassword = ({ sessions }: SignInDeps): Promise<string> =>
  sessions.hashPassword(randomBytes(32).toString('base64url'), []);

async function letIn(
  tx: Queryable,
  provider: ProviderRow,
  identity: VerifiedIdentity,
  passwordHash: string | null,
  from: From,
): Promise<string> {
  const { orgId, defaultRole } = provider;
  await lockMembers(tx, orgId);
  if (!(await isUnchanged(tx, provider, identity))) throw new Refusal('sign_in_expired');
  const userId = await findOrMake(tx, orgId, identity, passwordHash);
  if (await findMembership(tx, orgId, userId)) return userId;
  // A removed person cannot return without an admin. An invitation to the address is an admin's consent.
  const isInvited = await acceptOpenInvitation(tx, orgId, identity.email);
  if (!isInvited && (await isFormerMember(tx, orgId, userId))) throw new Refusal('membership_ended');
  if ((await countMembers(tx, orgId)) >= MAX_MEMBERS) throw new Refusal('organization_full');
  const subjectId = await insertMember(tx, orgId, userId, defaultRole);
  const actor = { userId, address: from.address, requestId: from.requestId };
  const facts = { by: 'sign_in_provider', user_id: userId, role: defaultRole };
  await recordAudit(tx, { orgId, actor, action: 'member.joined', subjectId, facts });
  return userId;
}

/**
 * Finds the person by the subject, which never changes, or at the first sign-in by the address. A person who is linked
 * to one subject is never linked to another subject.
 */
async function findOrMake(
  tx: Queryable,
  orgId: string,
  identity: VerifiedIdentity,
  passwordHash: string | null,
): Promise<string> {
  const { subject, email, name } = identity;
  const linked = await findLinkedUser(tx, orgId, subject);
  if (linked !== null) return linked;
  const known = await findPersonByEmail(tx, email);
  if (!known && passwordHash === null) throw new Refusal('sign_in_expired');
  const person =
    known ?? (await insertPerson(tx, { name: name ?? email.split('@')[0]!, email, passwordHash: passwordHash! }));
  if (!(await insertLink(tx, orgId, subject, person.id))) {
    const detail =
      'Your provider gave this address to another person before. An owner must remove the member with this address and invite the address again.';
    throw new Refusal('sign_in_address_refused', detail);
  }
  return person.id;
}

async function isUnchanged(tx: Queryable, provider: ProviderRow, { email }: VerifiedIdentity): Promise<boolean> {
  const { orgId, issuer, clientId } = provider;
  const now = await readSignInProvider(tx, orgId);
  const isSame = now !== null && now.enabled && now.issuer === issuer && now.clientId === clientId;
  return isSame && (await isProven(tx, orgId, domainOfAddress(email)!));
}
