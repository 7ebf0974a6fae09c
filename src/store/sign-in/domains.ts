import { provenDomain, signInDomain } from '../schema/sign-in.ts';
import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

export type ProvenBy = 'dns' | 'operator';

export type DomainRow = {
  domain: string;
  token: string;
  provenBy: ProvenBy | null;
  provenAt: Date | null;
  createdAt: Date;
};

/** An organization may claim at most this many domains. */
export const MAX_SIGN_IN_DOMAINS = 20;

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

/** Returns false if the organization already claims the domain. */
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

/** Returns false if another organization proved the domain before. */
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

/** True if the organization has proved this domain. */
export async function isProven(db: Queryable, orgId: string, domain: string): Promise<boolean> {
  const rows = await db
    .select({ domain: provenDomain.domain })
    .from(provenDomain)
    .where(and(eq(provenDomain.domain, domain), eq(provenDomain.orgId, orgId)));
  return rows.length > 0;
}
