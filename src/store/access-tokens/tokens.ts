import { and, count, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm';
import type { TokenKind, TokenRole, TokenVerb } from '../../../contract/permissions.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { accessToken, accessTokenDigest } from '../schema/access-token.ts';
import { agent } from '../schema/agent.ts';
import { session, user } from '../schema/identity.ts';

export type TokenRow = Omit<typeof accessToken.$inferSelect, 'kind' | 'role' | 'verbs'> & {
  kind: TokenKind;
  role: TokenRole | null;
  verbs: TokenVerb[];
  userName: string | null;
  hasExpired: boolean;
};

export type NewToken = {
  id: string;
  label: string;
  prefix: string;
  kind: TokenKind;
  userId: string;
  role: TokenRole | null;
  verbs: TokenVerb[];
  agentIds: string[] | null;
  byProvider: boolean;
  signInFactor: boolean;
  expiresAt: Date | null;
};

const columns = {
  ...getTableColumns(accessToken),
  kind: sql<TokenKind>`${accessToken.kind}`,
  role: sql<TokenRole | null>`${accessToken.role}`,
  verbs: sql<TokenVerb[]>`${accessToken.verbs}`,
  userName: user.name,
  hasExpired: sql<boolean>`coalesce(${accessToken.expiresAt} <= now(), false)`,
};

const tokens = (db: Queryable) =>
  db.select(columns).from(accessToken).leftJoin(user, eq(user.id, accessToken.userId)).$dynamic();

const isActive = sql`(${accessToken.revokedAt} IS NULL AND (${accessToken.expiresAt} IS NULL OR ${accessToken.expiresAt} > now()))`;

export async function insertToken(
  tx: Queryable,
  orgId: string,
  token: NewToken,
  { digest, generation }: { digest: Buffer; generation: number },
): Promise<void> {
  await tx.insert(accessToken).values({ orgId, ...token });
  await tx.insert(accessTokenDigest).values({ digest, orgId, tokenId: token.id, generation });
}

export async function readToken(db: Queryable, orgId: string, id: string): Promise<TokenRow | null> {
  const rows = await tokens(db).where(and(eq(accessToken.orgId, orgId), eq(accessToken.id, id)));
  return rows[0] ?? null;
}

/** `userId`: only tokens of this person. */
export async function listTokens(
  db: Queryable,
  orgId: string,
  filter: { userId: string | null; kind: TokenKind | undefined; state: 'active' | 'ended' | 'all' },
  { limit, after }: PageRequest,
): Promise<PageOf<TokenRow>> {
  const { userId, kind, state } = filter;
  const rows = await tokens(db)
    .where(
      and(
        eq(accessToken.orgId, orgId),
        userId === null ? undefined : eq(accessToken.userId, userId),
        kind === undefined ? undefined : eq(accessToken.kind, kind),
        state === 'all' ? undefined : state === 'active' ? isActive : sql`NOT ${isActive}`,
        behind(accessToken.createdAt, accessToken.id, after),
      ),
    )
    .orderBy(...newestFirst(accessToken.createdAt, accessToken.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function countTokens(tx: Queryable, orgId: string, userId: string): Promise<number> {
  const rows = await tx
    .select({ many: count() })
    .from(accessToken)
    .where(and(eq(accessToken.orgId, orgId), eq(accessToken.userId, userId), isActive));
  return rows[0]!.many;
}

/** Returns the IDs of the agents in the list that exist in the organization. */
export async function findAgents(tx: Queryable, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .select({ id: agent.id })
    .from(agent)
    .where(and(eq(agent.orgId, orgId), inArray(agent.id, [...ids]), isNull(agent.deletedAt)));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns true if the session exists, and locks it. A transaction that deletes the session waits for the end of this
 * transaction, and then sees its writes.
 */
export async function holdSession(tx: Queryable, userId: string, sessionId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)))
    .for('key share');
  return rows.length > 0;
}

/** Returns false if the token was revoked before. */
export async function revokeToken(tx: Queryable, orgId: string, id: string, by: string): Promise<boolean> {
  const rows = await tx
    .update(accessToken)
    .set({ revokedAt: new Date(), revokedBy: by })
    .where(and(eq(accessToken.orgId, orgId), eq(accessToken.id, id), isNull(accessToken.revokedAt)))
    .returning({ id: accessToken.id });
  return rows.length > 0;
}

export async function labelsOfTokens(
  db: Queryable,
  orgId: string,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await db
    .select({ id: accessToken.id, label: accessToken.label })
    .from(accessToken)
    .where(and(eq(accessToken.orgId, orgId), inArray(accessToken.id, wanted)));
  return new Map(rows.map(({ id, label }) => [id, label]));
}
