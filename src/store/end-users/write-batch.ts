import type { EndUserRow } from './end-user-row.ts';
import { rowsOf } from '../named-statement.ts';
import { textArray } from '../queue/text-array.ts';

/**
 * All accepting statements share this part, which creates (`made`) and changes (`changed`) the people of a batch in
 * `go.end_user_id`. A row that changed after it was read does not match its `updated_at`. The statement counts the
 * created and changed rows, and rolls back if a row is missing (`parley_lost_race`).
 */
const PERSON = {
  org_id: 'text',
  id: 'text',
  external_id: 'text',
  name: 'text',
  email: 'text',
  phone: 'text',
  locale: 'text',
  time_zone: 'text',
  attributes: 'text',
  tags: 'text',
  consent: 'text',
  blocked: 'bool',
};
const NAMES = Object.keys(PERSON).join(', ');
const MADE = rowsOf('u', { ...PERSON, at: 'timestamptz' }, 'made_');
const CHANGED = rowsOf('u', { ...PERSON, seen: 'timestamptz' }, 'changed_');

/** The types of the parameters of `WRITE_PEOPLE`. */
export const PEOPLE = { ...MADE.types, ...CHANGED.types };

/**
 * The new `updated_at` of a person. It differs from the time before, even if two changes happen in one millisecond,
 * because a batch recognizes a change by this time. The addition is in UTC without a zone, because Citus accepts only
 * immutable functions of a column.
 */
export const CHANGE_TIME = `greatest((SELECT statement_timestamp()),
  (updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')`;

const TAGS = `(SELECT coalesce(array_agg(v), '{}') FROM json_array_elements_text(u.tags::json) v)`;

export const WRITE_PEOPLE = `made AS (
  INSERT INTO end_user (${NAMES}, created_at, updated_at)
  SELECT u.org_id, u.id, u.external_id, u.name, u.email, u.phone, u.locale, u.time_zone,
    coalesce(u.attributes, '{}')::jsonb,
    CASE WHEN u.tags IS NULL THEN '{}' ELSE ${TAGS} END,
    coalesce(u.consent, '{}')::jsonb, coalesce(u.blocked, false), u.at, u.at
  FROM ${MADE.from}
  WHERE u.id IN (SELECT end_user_id FROM go)
  ON CONFLICT DO NOTHING RETURNING id
), changed AS (
  UPDATE end_user e SET external_id = u.external_id, name = u.name, email = u.email, phone = u.phone,
    locale = u.locale, time_zone = u.time_zone, attributes = coalesce(u.attributes, '{}')::jsonb, tags = ${TAGS},
    consent = coalesce(u.consent, '{}')::jsonb, blocked = coalesce(u.blocked, false), updated_at = ${CHANGE_TIME}
  FROM ${CHANGED.from}
  WHERE e.org_id = u.org_id AND e.id = u.id AND e.updated_at = u.seen AND u.id IN (SELECT end_user_id FROM go)
  RETURNING e.id, e.updated_at
)`;

const wanted = (ids: string) =>
  `(SELECT count(*) FROM unnest(${ids}) AS w(id) WHERE w.id IN (SELECT end_user_id FROM go))`;

/**
 * True if a conflict prevented a write of `made` or `changed`. The check is a join, because `= ANY` of an array
 * parameter would scan the array for each row.
 */
export const PEOPLE_LOST = `(SELECT count(*) FROM made) <> ${wanted(':made_id')}
    OR (SELECT count(*) FROM changed) <> ${wanted(':changed_id')}`;

/** The parameter values of PEOPLE. `now`: the creation time of new people. */
export function peopleValues(rows: Iterable<EndUserRow | null>, now: Date) {
  const { made, changed } = peopleOf(rows);
  return {
    ...personValues('made_', made),
    ...personValues('changed_', changed),
    made_at: textArray(made.map(() => now.toISOString())),
    changed_seen: textArray(changed.map((row) => row.updated_at!.toISOString())),
  };
}

type PersonValues<Prefix extends string> = Record<`${Prefix}${keyof typeof PERSON}`, string>;

/** An empty object becomes NULL, because most people of most batches are anonymous. */
function personValues<const Prefix extends string>(prefix: Prefix, rows: readonly EndUserRow[]): PersonValues<Prefix> {
  const values = Object.entries(COLUMNS).map(([name, value]) => [prefix + name, textArray(rows.map(value))]);
  return Object.fromEntries(values) as PersonValues<Prefix>;
}

const COLUMNS: Record<keyof typeof PERSON, (row: EndUserRow) => string | null> = {
  org_id: (row) => row.org_id,
  id: (row) => row.id,
  external_id: (row) => row.external_id,
  name: (row) => row.name,
  email: (row) => row.email,
  phone: (row) => row.phone,
  locale: (row) => row.locale,
  time_zone: (row) => row.time_zone,
  attributes: (row) => unlessEmpty(row.attributes),
  tags: (row) => unlessEmpty(row.tags),
  consent: (row) => unlessEmpty(row.consent),
  blocked: (row) => (row.blocked ? 'true' : null),
};

const unlessEmpty = (value: object): string | null => (Object.keys(value).length > 0 ? JSON.stringify(value) : null);

/** Separates created and changed rows. Each row occurs once, even if several calls refer to the person. */
function peopleOf(rows: Iterable<EndUserRow | null>): { made: EndUserRow[]; changed: EndUserRow[] } {
  const made = new Map<string, EndUserRow>();
  const changed = new Map<string, EndUserRow>();
  for (const row of rows) {
    if (row === null) continue;
    if (row.updated_at === null) made.set(row.id, row);
    else if (row.changed) changed.set(row.id, row);
  }
  return { made: [...made.values()].sort(byIdentifier), changed: [...changed.values()].sort(byIdentifier) };
}

/** All batches write the rows in one fixed order, to avoid deadlocks. */
const order = (row: EndUserRow) => `${row.org_id} ${row.external_id ?? row.email ?? row.phone ?? row.id}`;
const byIdentifier = (a: EndUserRow, b: EndUserRow) => (order(a) < order(b) ? -1 : 1);
