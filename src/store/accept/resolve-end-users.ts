import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { AcceptCall, EndUserFields } from './call.ts';

/**
 * Who is meant. A call names a person by our id, or by external id, else e-mail, else phone; whoever is not known
 * yet is made. All people of a batch are looked up at once. Calls of one batch that mean the same person share one
 * row as long as they say the same of it; a call that says something new waits for the next batch, so that a call
 * which is refused in the end never leaves its words behind. Nothing is written here: `write-runs.ts` writes, and
 * undoes everything if a row changed in between (`updated_at`).
 */
export type EndUserRow = {
  org_id: string;
  id: string;
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  time_zone: string | null;
  attributes: Record<string, unknown>;
  /** Null for a row that this batch makes. */
  updated_at: Date | null;
  changed: boolean;
  /** Calls of this batch that use the row. */
  uses: number;
};

/** The call must wait for the next batch: another call of this one says something else about the same person. */
export const LATER = 'later';

const IDENTIFIERS = ['external_id', 'email', 'phone'] as const;
type Identifier = (typeof IDENTIFIERS)[number];

const FIND = `
SELECT org_id, id, external_id, name, email, phone, locale, time_zone, attributes, updated_at
FROM end_user e JOIN unnest($1::text[], $2::text[]) AS w(org, v) ON e.org_id = w.org AND e.id = w.v
UNION SELECT org_id, id, external_id, name, email, phone, locale, time_zone, attributes, updated_at
FROM end_user e JOIN unnest($3::text[], $4::text[]) AS w(org, v) ON e.org_id = w.org AND e.external_id = w.v
UNION SELECT org_id, id, external_id, name, email, phone, locale, time_zone, attributes, updated_at
FROM end_user e JOIN unnest($5::text[], $6::text[]) AS w(org, v) ON e.org_id = w.org AND e.email = w.v
UNION SELECT org_id, id, external_id, name, email, phone, locale, time_zone, attributes, updated_at
FROM end_user e JOIN unnest($7::text[], $8::text[]) AS w(org, v) ON e.org_id = w.org AND e.phone = w.v`;

export class EndUserBook {
  readonly #byId = new Map<string, EndUserRow>();
  readonly #by: Record<Identifier, Map<string, EndUserRow>> = {
    external_id: new Map(),
    email: new Map(),
    phone: new Map(),
  };

  /** Looks up everybody whom these calls may mean, in one round trip; none when nobody is named. */
  static async read(
    client: pg.Pool | pg.PoolClient,
    calls: readonly Pick<AcceptCall, 'orgId' | 'endUser'>[],
  ): Promise<EndUserBook> {
    const book = new EndUserBook();
    const wanted: Record<'id' | Identifier, [string[], string[]]> = {
      id: [[], []],
      external_id: [[], []],
      email: [[], []],
      phone: [[], []],
    };
    for (const { orgId, endUser } of calls) {
      if (endUser === null) continue;
      for (const field of ['id', ...IDENTIFIERS] as const) {
        const value = endUser[field];
        if (value === undefined) continue;
        wanted[field][0].push(orgId);
        wanted[field][1].push(value);
      }
    }
    const values = Object.values(wanted).flat();
    if (values.every((list) => list.length === 0)) return book;
    const found = await client.query<EndUserRow>({ name: 'find-end-users', text: FIND, values });
    for (const row of found.rows) book.#remember({ ...row, changed: false, uses: 0 });
    return book;
  }

  /** The row that this call means, with what the call says about the person put in. */
  take(orgId: string, said: EndUserFields | null): EndUserRow | Refusal | typeof LATER {
    if (said === null) return this.#make(orgId, {});
    const row = this.#find(orgId, said);
    if (row instanceof Refusal) return row;
    const clash = this.#clash(orgId, said, row);
    if (clash) return clash;
    if (row === null) return this.#make(orgId, said);
    const news = differences(row, said);
    if (row.uses > 0 && (row.changed || news !== null)) return LATER;
    row.uses++;
    if (news !== null) this.#remember(Object.assign(row, news, { changed: row.updated_at !== null }));
    return row;
  }

  made(): EndUserRow[] {
    return [...this.#byId.values()].filter((row) => row.updated_at === null).sort(byIdentifier);
  }

  changed(): EndUserRow[] {
    return [...this.#byId.values()].filter((row) => row.updated_at !== null && row.changed).sort(byIdentifier);
  }

  #find(orgId: string, said: EndUserFields): EndUserRow | null | Refusal {
    if (said.id !== undefined) {
      const row = this.#byId.get(said.id);
      if (row?.org_id === orgId) return row;
      const detail = 'No end user of this organization has this id.';
      return new Refusal('validation_failed', 'The request names an end user that does not exist.', {
        errors: [{ pointer: '/end_user/id', code: 'not_found', detail }],
      });
    }
    for (const field of IDENTIFIERS) {
      const value = said[field];
      const row = value === undefined ? undefined : this.#by[field].get(`${orgId} ${value}`);
      // A record without an external id is the same person; one with another external id is somebody else.
      if (row && !(field !== 'external_id' && said.external_id && row.external_id)) return row;
    }
    return null;
  }

  /** An identifier that belongs to somebody else is never moved over silently. */
  #clash(orgId: string, said: EndUserFields, row: EndUserRow | null): Refusal | null {
    for (const field of IDENTIFIERS) {
      const value = said[field];
      const holder = value === undefined ? undefined : this.#by[field].get(`${orgId} ${value}`);
      if (holder && holder !== row) {
        return new Refusal('already_exists', `Another end user, ${holder.id}, has this ${field} already.`, {
          members: { existing_id: holder.id },
        });
      }
    }
    return null;
  }

  #make(orgId: string, said: EndUserFields): EndUserRow {
    const row: EndUserRow = {
      org_id: orgId,
      id: newId('enduser'),
      external_id: said.external_id ?? null,
      name: said.name ?? null,
      email: said.email ?? null,
      phone: said.phone ?? null,
      locale: said.locale ?? null,
      time_zone: said.time_zone ?? null,
      attributes: merged({}, said.attributes),
      updated_at: null,
      changed: false,
      uses: 1,
    };
    this.#remember(row);
    return row;
  }

  #remember(row: EndUserRow): void {
    this.#byId.set(row.id, row);
    for (const field of IDENTIFIERS) {
      const value = row[field];
      if (value !== null) this.#by[field].set(`${row.org_id} ${value}`, row);
    }
  }
}

/** What a call says about a person that is not stored so; null when it says nothing new. */
function differences(row: EndUserRow, said: EndUserFields): Partial<EndUserRow> | null {
  const news: Partial<EndUserRow> = {};
  for (const field of ['external_id', 'name', 'email', 'phone', 'locale', 'time_zone'] as const) {
    const value = said[field];
    if (value !== undefined && value !== row[field]) news[field] = value;
  }
  if (said.attributes) {
    const attributes = merged(row.attributes, said.attributes);
    if (!isDeepStrictEqual(attributes, row.attributes)) news.attributes = attributes;
  }
  return Object.keys(news).length > 0 ? news : null;
}

/** Attributes merge: what is named replaces, null removes, the rest stays. */
function merged(before: Record<string, unknown>, said: Record<string, unknown> = {}): Record<string, unknown> {
  const after = { ...before };
  for (const [name, value] of Object.entries(said)) {
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return after;
}

/** One order in all batches, so that two of them never wait for each other in a ring. */
const order = (row: EndUserRow) => `${row.org_id} ${row.external_id ?? row.email ?? row.phone ?? row.id}`;
const byIdentifier = (a: EndUserRow, b: EndUserRow) => (order(a) < order(b) ? -1 : 1);
