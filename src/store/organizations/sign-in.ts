import { and, asc, count, eq, lt, sql } from 'drizzle-orm';
import type { Role } from '../../../contract/permissions.ts';
import type { Queryable } from '../db.ts';
import { session } from '../schema/identity.ts';
import { formerMember, provenDomain, signInDomain, signInLink, signInProvider, usedSignIn } from '../schema/sign-in.ts';

/** How people of an organization sign in with its own provider: see src/features/sign-in. */
export type ProviderRow = {
  orgId: string;
  issuer: string;
  clientId: string;
  sealed: string;
  defaultRole: Role;
  enabled: boolean;
  updatedAt: Date;
};

export type ProvenBy = 'dns' | 'operator';
export type DomainRow = {
  domain: string;
  token: string;
  provenBy: ProvenBy | null;
  provenAt: Date | null;
  createdAt: Date;
};

/** Domains that one organization may claim. */
export const MAX_SIGN_IN_DOMAINS = 20;

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

/** The provider of the organization that proved this domain, if it is switched on. */
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

/** Its links go with it. */
export async function deleteSignInProvider(db: Queryable, orgId: string): Promise<boolean> {
  const rows = await db
    .delete(signInProvider)
    .where(eq(signInProvider.orgId, orgId))
    .returning({ id: signInProvider.orgId });
  return rows.length > 0;
}

/** Everybody whom the organization's provider let in signs in again. */
export async function endSignInSessions(db: Queryable, orgId: string): Promise<void> {
  await db.delete(session).where(eq(session.signInOrgId, orgId));
}

const domainColumns = {
  domain: signInDomain.domain,
  token: signInDomain.token,
  provenBy: sql<ProvenBy | null>`${provenDomain.provenBy}`,
  provenAt: provenDomain.provenAt,
  createdAt: signInDomain.createdAt,
};

const domainsOf = (db: Queryable) =>
  db
    .select(domainColumns)
    .from(signInDomain)
    .leftJoin(
      provenDomain,
      and(eq(provenDomain.domain, signInDomain.domain), eq(provenDomain.orgId, signInDomain.orgId)),
    )
    .$dynamic();

export const listSignInDomains = async (db: Queryable, orgId: string): Promise<DomainRow[]> =>
  domainsOf(db).where(eq(signInDomain.orgId, orgId)).orderBy(asc(signInDomain.domain)).limit(MAX_SIGN_IN_DOMAINS);

export async function readSignInDomain(db: Queryable, orgId: string, domain: string): Promise<DomainRow | null> {
  const rows = await domainsOf(db).where(and(eq(signInDomain.orgId, orgId), eq(signInDomain.domain, domain)));
  return rows[0] ?? null;
}

export async function countSignInDomains(db: Queryable, orgId: string): Promise<number> {
  const rows = await db.select({ many: count() }).from(signInDomain).where(eq(signInDomain.orgId, orgId));
  return rows[0]!.many;
}

/** False when the organization claims it already. */
export async function insertSignInDomain(
  db: Queryable,
  orgId: string,
  domain: string,
  token: string,
): Promise<boolean> {
  const rows = await db
    .insert(signInDomain)
    .values({ orgId, domain, token })
    .onConflictDoNothing()
    .returning({ domain: signInDomain.domain });
  return rows.length > 0;
}

export async function deleteSignInDomain(db: Queryable, orgId: string, domain: string): Promise<boolean> {
  await forgetProof(db, orgId, domain);
  const rows = await db
    .delete(signInDomain)
    .where(and(eq(signInDomain.orgId, orgId), eq(signInDomain.domain, domain)))
    .returning({ domain: signInDomain.domain });
  return rows.length > 0;
}

/** False when another organization proved it before. */
export async function keepProof(db: Queryable, orgId: string, domain: string, provenBy: ProvenBy): Promise<boolean> {
  const rows = await db
    .insert(provenDomain)
    .values({ orgId, domain, provenBy })
    .onConflictDoUpdate({
      target: provenDomain.domain,
      set: { provenBy, provenAt: new Date() },
      setWhere: eq(provenDomain.orgId, orgId),
    })
    .returning({ domain: provenDomain.domain });
  return rows.length > 0;
}

export async function forgetProof(db: Queryable, orgId: string, domain: string): Promise<void> {
  await db.delete(provenDomain).where(and(eq(provenDomain.orgId, orgId), eq(provenDomain.domain, domain)));
}

/** Whether the organization has proved this domain. */
export async function isProven(db: Queryable, orgId: string, domain: string): Promise<boolean> {
  const rows = await db
    .select({ domain: provenDomain.domain })
    .from(provenDomain)
    .where(and(eq(provenDomain.domain, domain), eq(provenDomain.orgId, orgId)));
  return rows.length > 0;
}

export async function findLinkedUser(db: Queryable, orgId: string, subject: string): Promise<string | null> {
  const rows = await db
    .select({ userId: signInLink.userId })
    .from(signInLink)
    .where(and(eq(signInLink.orgId, orgId), eq(signInLink.subject, subject)));
  return rows[0]?.userId ?? null;
}

/** False when this person is linked to another subject already. */
export async function insertLink(db: Queryable, orgId: string, subject: string, userId: string): Promise<boolean> {
  const rows = await db
    .insert(signInLink)
    .values({ orgId, subject, userId })
    .onConflictDoNothing()
    .returning({ userId: signInLink.userId });
  return rows.length > 0;
}

export async function deleteLinks(db: Queryable, orgId: string): Promise<void> {
  await db.delete(signInLink).where(eq(signInLink.orgId, orgId));
}

export async function isFormerMember(db: Queryable, orgId: string, userId: string): Promise<boolean> {
  const rows = await db
    .select({ userId: formerMember.userId })
    .from(formerMember)
    .where(and(eq(formerMember.orgId, orgId), eq(formerMember.userId, userId)));
  return rows.length > 0;
}

/** True the first time. States that are too old to be used are removed on the way. */
export async function useSignInState(db: Queryable, state: string, expiresAt: Date): Promise<boolean> {
  await db.delete(usedSignIn).where(lt(usedSignIn.expiresAt, sql`now()`));
  const rows = await db
    .insert(usedSignIn)
    .values({ state, expiresAt })
    .onConflictDoNothing()
    .returning({ state: usedSignIn.state });
  return rows.length > 0;
}
