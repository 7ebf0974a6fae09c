import { isDeepStrictEqual } from 'node:util';
import type { EndUserFields } from './end-user-fields.ts';
import type { EndUserRow } from './end-user-row.ts';

/**
 * Reduces `news` to values for empty fields of the person. Attributes are compared by name, and null removes no
 * attribute. Returns the names of unchanged fields that differ from the call, such as `email` or `attributes.tier`.
 */
export function keepExistingValues(row: EndUserRow, fields: EndUserFields, news: Partial<EndUserRow>): string[] {
  const unchanged: string[] = [];
  for (const field of Object.keys(news) as (keyof EndUserRow)[]) {
    if (field === 'attributes' || isEmpty(row[field])) continue;
    delete news[field];
    unchanged.push(field);
  }
  if (news.attributes === undefined) return unchanged;
  const filled = Object.entries(fields.attributes ?? {}).filter(([name, value]) => {
    if (!Object.hasOwn(row.attributes, name)) return value !== null;
    if (!isDeepStrictEqual(row.attributes[name], value)) unchanged.push(`attributes.${name}`);
    return false;
  });
  if (filled.length > 0) news.attributes = { ...row.attributes, ...Object.fromEntries(filled) };
  else delete news.attributes;
  return unchanged;
}

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
