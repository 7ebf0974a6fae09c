/**
 * Reads from the text of a statement what its cell depends on. The result is stored by text, because a program has few
 * different texts.
 */
export type StatementKind = {
  /** Whether it names a table that exists in each cell. */
  isOfTenants: boolean;
  /** The positions of the values that are compared with the organization. Empty: any value may be it. */
  organizations: readonly number[];
  /** Whether the transaction, or a part of it, ends without effect. The path of the connection is then unknown. */
  isRollback: boolean;
  /** Whether it only reads. */
  isRead: boolean;
};

const TABLE = /\b(?:from|join|into|update|using)\s+(?:only\s+)?(?:"?public"?\.)?"?([a-z_]+)"?/gi;
const COMPARED = /\borg_id"?\s*=\s*\$(\d+)|"organization"\."id"\s*=\s*\$(\d+)/gi;
const LOCKS = /\bfor\s+(?:no\s+key\s+)?(?:key\s+)?(?:update|share)\b/i;
const MOST_TEXTS = 5_000;

export function createStatementReader(tenantTables: ReadonlySet<string>): (text: string) => StatementKind {
  const kinds = new Map<string, StatementKind>();
  return (text) => {
    const known = kinds.get(text);
    if (known) return known;
    const kind = {
      isOfTenants: text.matchAll(TABLE).some(([, table]) => tenantTables.has(table!.toLowerCase())),
      organizations: text
        .matchAll(COMPARED)
        .map(([, column, id]) => Number(column ?? id) - 1)
        .toArray(),
      isRollback: /^\s*rollback/i.test(text),
      isRead: /^\s*select\b/i.test(text) && !LOCKS.test(text),
    };
    if (kinds.size >= MOST_TEXTS) kinds.clear();
    kinds.set(text, kind);
    return kind;
  };
}

const ORGANIZATION = /^org_[0-9a-z]{26}$/;
const FIRST_OF_MANY = /org_[0-9a-z]{26}/g;

/** The organizations in these values: IDs, arrays of IDs, and arrays in the text format of PostgreSQL. */
export function organizationsIn(values: readonly unknown[], positions: readonly number[]): Set<string> {
  const found = new Set<string>();
  const named = positions.map((position) => values[position]).filter(isOrganization);
  for (const id of named) found.add(id);
  if (found.size > 0) return found;
  for (const value of values) {
    if (isOrganization(value)) found.add(value);
    else if (Array.isArray(value)) value.filter(isOrganization).forEach((id) => found.add(id));
    else if (isTextArray(value)) for (const [id] of value.matchAll(FIRST_OF_MANY)) found.add(id);
  }
  return found;
}

const isOrganization = (value: unknown): value is string => typeof value === 'string' && ORGANIZATION.test(value);
const isTextArray = (value: unknown): value is string => typeof value === 'string' && /^\{"?org_/.test(value);
