import { timestamp } from '../../kernel/clock.ts';
import { csv, csvHeader } from '../../../contract/csv.ts';
import { attributeText, tagsText } from '../../store/end-users/resolve.ts';
import { type EndUserFilter, listAttributeNames, listEndUsers } from '../../store/end-users/search.ts';
import type { EndUserRow } from '../../store/end-users/read.ts';
import type { EndUsersDeps } from './deps.ts';

const PAGE = 1_000;
/** At most this many attributes have a column. */
const MAX_ATTRIBUTE_COLUMNS = 100;

/**
 * Streams people as a CSV file that an import can read. Cells that a spreadsheet would run as a formula begin with an
 * apostrophe, which an import removes.
 */
export async function exportEndUsers(
  { db }: Pick<EndUsersDeps, 'db'>,
  orgId: string,
  filter: EndUserFilter,
): Promise<AsyncIterable<string>> {
  const names = await listAttributeNames(db, orgId, MAX_ATTRIBUTE_COLUMNS);
  return (async function* write() {
    yield csvHeader([...FIELDS.map(([name]) => name), ...names.map((name) => `attributes.${name}`)]);
    for (let after: EndUserRow | null = null; ;) {
      const page: { rows: EndUserRow[]; hasMore: boolean } = await listEndUsers(db, orgId, filter, {
        limit: PAGE,
        after,
      });
      if (page.rows.length > 0)
        yield csv(
          page.rows.map((row) => [
            ...FIELDS.map(([, read]) => read(row)),
            ...names.map((name) => attributeText(row.attributes[name])),
          ]),
        );
      if (!page.hasMore) return;
      after = page.rows.at(-1)!;
    }
  })();
}

const FIELDS: [string, (row: EndUserRow) => string][] = [
  ['external_id', (row) => row.externalId ?? ''],
  ['name', (row) => row.name ?? ''],
  ['email', (row) => row.email ?? ''],
  ['phone', (row) => row.phone ?? ''],
  ['locale', (row) => row.locale ?? ''],
  ['time_zone', (row) => row.timeZone ?? ''],
  ['tags', (row) => tagsText(row.tags)],
  ['blocked', (row) => (row.blocked ? 'yes' : '')],
  // The ID of Parley, which an import ignores.
  ['end_user_id', (row) => row.id],
  ['created_at', (row) => timestamp(row.createdAt)],
  ['updated_at', (row) => timestamp(row.updatedAt)],
];
