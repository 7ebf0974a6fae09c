import type { EndUserRow } from './resolve.ts';
import { textArray } from '../queue/text-array.ts';

/**
 * The part that all accepting statements share: the people whom a batch creates (`made`) and changes (`changed`), for
 * those in `go.end_user_id`. A row that changed since it was read does not match its `updated_at`; the statement's own
 * count of both then undoes everything (`parley_lost_race`).
 */
export const PERSON_COLUMNS = 13;

const NAMES =
  'org_id, id, external_id, name, email, phone, locale, time_zone, attributes, tags, consent, blocked' as const;

const unnest = (first: number, last: string): string => {
  const at = (offset: number) => `$${first + offset}`;
  const texts = Array.from({ length: 11 }, (_, offset) => `${at(offset)}::text[]`);
  return `unnest(${texts.join(', ')}, ${at(11)}::bool[], ${at(12)}::timestamptz[]) AS u(${NAMES}, ${last})`;
};

const TAGS = `(SELECT coalesce(array_agg(v), '{}') FROM json_array_elements_text(u.tags::json) v)`;

/** Created people take PERSON_COLUMNS parameters from `first` on, changed ones as many from `second` on. */
export const writePeople = (first: number, second: number): string => `made AS (
  INSERT INTO end_user (${NAMES}, created_at, updated_at)
  SELECT u.org_id, u.id, u.external_id, u.name, u.email, u.phone, u.locale, u.time_zone,
    coalesce(u.attributes, '{}')::jsonb,
    CASE WHEN u.tags IS NULL THEN '{}' ELSE ${TAGS} END,
    coalesce(u.consent, '{}')::jsonb, coalesce(u.blocked, false), u.at, u.at
  FROM ${unnest(first, 'at')}
  WHERE u.id IN (SELECT end_user_id FROM go)
  ON CONFLICT DO NOTHING RETURNING id
), changed AS (
  UPDATE end_user e SET external_id = u.external_id, name = u.name, email = u.email, phone = u.phone,
    locale = u.locale, time_zone = u.time_zone, attributes = coalesce(u.attributes, '{}')::jsonb, tags = ${TAGS},
    consent = coalesce(u.consent, '{}')::jsonb, blocked = coalesce(u.blocked, false), updated_at = clock_timestamp()
  FROM ${unnest(second, 'seen')}
  WHERE e.org_id = u.org_id AND e.id = u.id AND e.updated_at = u.seen AND u.id IN (SELECT end_user_id FROM go)
  RETURNING e.id, e.updated_at
)`;

/**
 * True when a conflict prevented a write of `made` or `changed`. Checked by a join, because `= ANY` of an array
 * parameter scans it for each row.
 */
export const peopleLost = (first: number, second: number): string =>
  `(SELECT count(*) FROM made) <> ${wanted(first + 1)} OR (SELECT count(*) FROM changed) <> ${wanted(second + 1)}`;

const wanted = (ids: number) =>
  `(SELECT count(*) FROM unnest($${ids}::text[]) AS w(id) WHERE w.id IN (SELECT end_user_id FROM go))`;

/** Parameters of one of the two. An empty value is NULL, because most people of most batches are anonymous. */
export function personColumns(rows: readonly EndUserRow[], at: (row: EndUserRow) => Date | null): unknown[] {
  const column = (value: (row: EndUserRow) => string | null) => textArray(rows.map(value));
  return [
    column((row) => row.org_id),
    column((row) => row.id),
    column((row) => row.external_id),
    column((row) => row.name),
    column((row) => row.email),
    column((row) => row.phone),
    column((row) => row.locale),
    column((row) => row.time_zone),
    column((row) => unlessEmpty(row.attributes)),
    column((row) => unlessEmpty(row.tags)),
    column((row) => unlessEmpty(row.consent)),
    column((row) => (row.blocked ? 'true' : null)),
    column((row) => at(row)?.toISOString() ?? null),
  ];
}

const unlessEmpty = (value: object): string | null => (Object.keys(value).length > 0 ? JSON.stringify(value) : null);

/** Which of these rows are created and which changed; each once, however many calls mean the person. */
export function peopleOf(rows: Iterable<EndUserRow | null>): { made: EndUserRow[]; changed: EndUserRow[] } {
  const made = new Map<string, EndUserRow>();
  const changed = new Map<string, EndUserRow>();
  for (const row of rows) {
    if (row === null) continue;
    if (row.updated_at === null) made.set(row.id, row);
    else if (row.changed) changed.set(row.id, row);
  }
  return { made: [...made.values()].sort(byIdentifier), changed: [...changed.values()].sort(byIdentifier) };
}

/** The same order in all batches, to avoid deadlocks. */
const order = (row: EndUserRow) => `${row.org_id} ${row.external_id ?? row.email ?? row.phone ?? row.id}`;
const byIdentifier = (a: EndUserRow, b: EndUserRow) => (order(a) < order(b) ? -1 : 1);
