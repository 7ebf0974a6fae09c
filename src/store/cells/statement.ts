import { cached } from './cached.ts';

/**
 * Finds the facts in the text of a statement that decide about its cell. The facts are cached by text, because a
 * program has few different texts.
 */
export type StatementKind = {
  /** True if the statement names a table that exists in each cell. */
  isOfTenants: boolean;
  /**
   * The positions of the parameters that are compared with the organization or inserted as the organization. The value
   * is empty if no position is known.
   */
  organizations: readonly number[];
  /**
   * True if the statement rolls back the transaction or a part of it. After a rollback, the path of the connection is
   * unknown.
   */
  isRollback: boolean;
  isBegin: boolean;
  isCommit: boolean;
  /** True if the statement only reads. */
  isRead: boolean;
  /** True if the statement may write rows. */
  isWrite: boolean;
  /** True if the statement needs all nodes of a Citus cluster. */
  writesOnAllNodes: boolean;
};

const TABLE = /\b(?:from|join|into|update|using)\s+(?:only\s+)?(?:"?public"?\.)?"?([a-z_]+)"?/gi;
const COMPARED = /\borg_id"?\s*=\s*\$(\d+)|"organization"\."id"\s*=\s*\$(\d+)/gi;
const LOCKS = /\bfor\s+(?:no\s+key\s+)?(?:key\s+)?(?:update|share)\b/i;
/** Matches an INSERT whose first column is the organization, and the first value of each inserted row. */
const INSERTED = /^\s*insert into [^(]+\("?org_id"?,[^)]*\) values /i;
const FIRST_OF_ROW = /(?:\bvalues|\),) \(\$(\d+)/gi;
/** Each node has a copy of the listed tables (citus.ts), so their rows are written on all nodes. */
const WRITES_ON_ALL = /\b(?:insert\s+into|update|delete\s+from)\s+(?:"?public"?\.)?"?(?:user|organization|member)"?\s/i;

export const createStatementReader = (tenantTables: ReadonlySet<string>): ((text: string) => StatementKind) =>
  cached((text) => ({
    isOfTenants: text.matchAll(TABLE).some(([, table]) => tenantTables.has(table!.toLowerCase())),
    organizations: text
      .matchAll(INSERTED.test(text) ? FIRST_OF_ROW : COMPARED)
      .map(([, column, id]) => Number(column ?? id) - 1)
      .toArray(),
    isRollback: /^\s*rollback/i.test(text),
    isBegin: /^\s*begin/i.test(text),
    isCommit: /^\s*commit/i.test(text),
    isRead: /^\s*select\b/i.test(text) && !LOCKS.test(text),
    isWrite: /^\s*(?:with|insert|update|delete)\b/i.test(text),
    writesOnAllNodes: WRITES_ON_ALL.test(text),
  }));

const ORGANIZATION = /^org_[0-9a-z]{26}$/;
const EACH_OF_MANY = /org_[0-9a-z]{26}/g;

/**
 * Returns the organizations in the values of a statement. If no position is known, the first value with an ID of an
 * organization decides. The value is one ID, or an array of IDs, also in the text format of PostgreSQL. Each query
 * takes the organization first. Later values may be texts of users, who could name an organization of another cell and
 * stop the batch.
 */
export function organizationsIn(values: readonly unknown[], positions: readonly number[]): Set<string> {
  const found = new Set(positions.map((position) => values[position]).filter(isOrganization));
  if (found.size > 0) return found;
  for (const value of values) {
    const named = namedIn(value);
    if (named.length > 0) return new Set(named);
  }
  return found;
}

function namedIn(value: unknown): string[] {
  if (isOrganization(value)) return [value];
  if (Array.isArray(value)) return value.filter(isOrganization);
  return isTextArray(value) ? (value.match(EACH_OF_MANY) ?? []) : [];
}

const isOrganization = (value: unknown): value is string => typeof value === 'string' && ORGANIZATION.test(value);
const isTextArray = (value: unknown): value is string => typeof value === 'string' && /^\{"?org_/.test(value);
