import { and, eq, lt, sql } from 'drizzle-orm';
import type { Role } from '../../../contract/permissions.ts';
import { endTokensOfProvider } from '../access-tokens/end-tokens.ts';
import type { Queryable } from '../db.ts';
import { session } from '../schema/identity.ts';
import { provenDomain, signInProvider, usedSignIn } from '../schema/sign-in.ts';

/** Sign-in of an organization's people through its own provider (see src/features/sign-in). */
export type ProviderRow = {
  orgId: string;
  issuer: string;
  clientId: string;
  sealed: string;
  defaultRole: Role;
  enabled: boolean;
  updatedAt: Date;
};

const providerColumns = {
  orgId: signInProvider.orgId,
  issuer: signInProvider.issuer,
  clientId: signInProvider.clientId,
  sealed: signInProvider.sealed,
  defaultRole: sql<Role>`${signInProvider.defaultRole}`,
  enabled: signInProvider.enabled,
  updatedAt: signInProvider.updatedAt,
};

export async function readSignInProvider(db: Queryable, orgId: string): Promise<ProviderRow | null> {
  const rows = await db.select(providerColumns).from(signInProvider).where(eq(signInProvider.orgId, orgId));
  return rows[0] ?? null;
}

/** The provider of the organization that proved this domain, if it is enabled. */
export async function findSignInProvider(db: Queryable, domain: string): Promise<ProviderRow | null> {
  const rows = await db
    .select(providerColumns)
    .from(provenDomain)
    .innerJoin(signInProvider, eq(signInProvider.orgId, provenDomain.orgId))
    .where(and(eq(provenDomain.domain, domain), eq(signInProvider.enabled, true)));
  return rows[0] ?? null;
}

export async function writeSignInProvider(db: Queryable, row: Omit<ProviderRow, 'updatedAt'>): Promise<ProviderRow> {
  const { orgId: _, ...values } = row;
  const rows = await db
    .insert(signInProvider)
    .values(row)
    .onConflictDoUpdate({ target: signInProvider.orgId, set: { ...values, updatedAt: new Date() } })
    .returning(providerColumns);
  return rows[0]!;
}

/** Deletes the provider together with its links to people. */
export async function deleteSignInProvider(db: Queryable, orgId: string): Promise<boolean> {
  const rows = await db
    .delete(signInProvider)
    .where(eq(signInProvider.orgId, orgId))
    .returning({ id: signInProvider.orgId });
  return rows.length > 0;
}

/**
 * Ends all sessions of the organization's provider, so that its people must sign in again. The access tokens that
 * people created in sessions of the provider end too. The deletion of the sessions waits for tokens that are being
 * created, because they lock their session. So the tokens are searched after the sessions (features/access-tokens).
 */
export async function endSignInSessions(db: Queryable, orgId: string): Promise<void> {
  await db.delete(session).where(eq(session.signInOrgId, orgId));
  await endTokensOfProvider(db, orgId);
}

/** Returns true the first time a state is used. The call also removes expired states. */
export async function useSignInState(db: Queryable, state: string, expiresAt: Date): Promise<boolean> {
  await db.delete(usedSignIn).where(lt(usedSignIn.expiresAt, sql`now()`));
  const rows = await db
    .insert(usedSignIn)
    .values({ state, expiresAt })
    .onConflictDoNothing()
    .returning({ state: usedSignIn.state });
  return rows.length > 0;
}
