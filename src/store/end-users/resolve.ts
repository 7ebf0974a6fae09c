import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { MAX_ATTRIBUTES } from '../../../contract/end-users.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { type Consent, type Identifier, IDENTIFIERS, type Suppression, withOptOuts } from './suppression.ts';
import type { AcceptCall } from '../runs/accept-call.ts';
import type { EndUserFields } from './end-user-fields.ts';
import { keepExistingValues } from './keep-existing-values.ts';
import { named, rowsOf } from '../named-statement.ts';
import { LATER } from '../queue/later.ts';
import { consentOn } from './set-consent.ts';
import type { EndUserRow } from './end-user-row.ts';

/**
 * Finds the person to whom a call refers. A call refers to a person by our ID, or else by external ID, e-mail or phone,
 * in this order. An unknown person is created. All people of a batch are looked up together. Calls of one batch for the
 * same person share one row if their data agrees. A call with new data waits for the next batch, so that a refused call
 * never stores its data. This file only reads. `write-batch.ts` writes, and rolls back everything if a row changed
 * since it was read (`updated_at`). If an identifier belonged to an erased person with opt-outs, the new person gets
 * these opt-outs (`suppression.ts`). A key that may not change people only fills empty fields
 * (`keep-existing-values.ts`).
 */

/** The person, and the part of the call's data that was not stored. */
export type Taken = { row: EndUserRow; unchanged: string[] };

export type TakeOptions = {
  /**
   * All calls of the batch are accepted or refused together, so a later call may add to the data of an earlier call.
   */
  together?: boolean;
  /** The caller may not change people, so only empty fields get values. */
  fillsOnly?: boolean;
  /** The kind of channel on which the call opts the person out. Null: the call is no opt-out. */
  optsOutOf?: string | null;
};

const COLUMNS = `org_id, id, external_id, name, email, phone, locale, time_zone, attributes, tags, consent, blocked,
  created_at, updated_at, last_seen_at`;

/** This symbol is returned instead of a person if the organization has opt-outs of erased people, which is rare. */
const HAS_SUPPRESSED = 'suppression';

const WANTED = { org: 'text', v: 'text' };
const BY = {
  id: rowsOf('w', WANTED, 'id_'),
  external_id: rowsOf('w', WANTED, 'external_id_'),
  email: rowsOf('w', WANTED, 'email_'),
  phone: rowsOf('w', WANTED, 'phone_'),
};

const FIND = named(
  'find-end-users',
  { ...BY.id.types, ...BY.external_id.types, ...BY.email.types, ...BY.phone.types, orgs: 'text[]' },
  `${Object.entries(BY)
    .map(
      ([field, { from }]) => `SELECT ${COLUMNS} FROM end_user e
JOIN ${from}
  ON e.org_id = w.org AND e.${field} = w.v`,
    )
    .join('\nUNION ALL\n')}
UNION ALL
SELECT w.org, '${HAS_SUPPRESSED}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM unnest(:orgs) AS w(org)
WHERE EXISTS (SELECT 1 FROM suppression s WHERE s.org_id = w.org)`,
);

const FIND_SUPPRESSED = `SELECT s.org_id, s.digest, s.consent, s.blocked FROM suppression s
  JOIN unnest($1::text[], $2::bytea[]) AS w(org, v) ON s.org_id = w.org AND s.digest = w.v`;

type Suppressed = { consent: Consent; blocked: boolean };

export class EndUserBook {
  readonly #byId = new Map<string, EndUserRow>();
  readonly #by: Record<Identifier, Map<string, EndUserRow>> = {
    external_id: new Map(),
    email: new Map(),
    phone: new Map(),
  };
  /** The key consists of organization, kind of identifier and identifier. */
  readonly #suppressed = new Map<string, Suppressed>();

  /**
   * Looks up all people to whom the calls may refer, in one round trip, or in two if the organization has suppressed
   * identifiers. Anonymous calls need no round trip.
   */
  static async read(
    client: pg.Pool | pg.PoolClient,
    calls: readonly Pick<AcceptCall, 'orgId' | 'endUser'>[],
    suppression: Suppression | null = null,
    /** People whom earlier calls of the batch would create. */
    planned: Iterable<EndUserRow> = [],
  ): Promise<EndUserBook> {
    const book = new EndUserBook();
    for (const row of planned) book.#remember(row);
    const wanted: Record<'id' | Identifier, [string[], string[]]> = {
      id: [[], []],
      external_id: [[], []],
      email: [[], []],
      phone: [[], []],
    };
    // Each identifier is looked up once, because a person may be mentioned a thousand times, and each look-up reads the
    // whole row.
    const mentioned = new Set<string>();
    for (const { orgId, endUser } of calls) {
      if (endUser === null) continue;
      for (const field of ['id', ...IDENTIFIERS] as const) {
        const value = saidOf(endUser, field);
        if (value === null || mentioned.size === mentioned.add(`${field} ${orgId} ${value}`).size) continue;
        wanted[field][0].push(orgId);
        wanted[field][1].push(value);
      }
    }
    if (mentioned.size === 0) return book;
    const orgs = suppression === null ? [] : [...new Set(calls.map(({ orgId }) => orgId))];
    const [id, externalId, email, phone] = [wanted.id, wanted.external_id, wanted.email, wanted.phone];
    const found = await client.query<EndUserRow>(
      FIND({
        id_org: id[0],
        id_v: id[1],
        external_id_org: externalId[0],
        external_id_v: externalId[1],
        email_org: email[0],
        email_v: email[1],
        phone_org: phone[0],
        phone_v: phone[1],
        orgs,
      }),
    );
    let hasSuppressed = false;
    for (const row of found.rows) {
      if (row.id === HAS_SUPPRESSED) hasSuppressed = true;
      else if (!book.#byId.has(row.id)) book.#remember({ ...row, changed: false, uses: 0 });
    }
    if (hasSuppressed && suppression !== null) await book.#readSuppressed(client, wanted, suppression);
    return book;
  }

  /** An identifier without a person may be that of an erased person. */
  async #readSuppressed(
    client: pg.Pool | pg.PoolClient,
    wanted: Record<Identifier, [string[], string[]]>,
    suppression: Suppression,
  ): Promise<void> {
    const names = new Map<string, string>();
    const digests: Buffer[] = [];
    const orgs: string[] = [];
    for (const kind of IDENTIFIERS) {
      wanted[kind][0].forEach((orgId, index) => {
        const value = wanted[kind][1][index]!;
        if (this.#by[kind].has(`${orgId} ${value}`)) return;
        for (const digest of suppression({ orgId, kind, value })) {
          names.set(digest.toString('base64'), `${orgId} ${kind} ${value}`);
          orgs.push(orgId);
          digests.push(digest);
        }
      });
    }
    if (digests.length === 0) return;
    const found = await client.query<Suppressed & { digest: Buffer }>({
      name: 'find-suppressed',
      text: FIND_SUPPRESSED,
      values: [orgs, digests],
    });
    for (const { digest, consent, blocked } of found.rows)
      this.#suppressed.set(names.get(digest.toString('base64'))!, { consent, blocked });
  }

  /** Returns the row for this call, with the call's data about the person applied. */
  take(
    orgId: string,
    fields: EndUserFields | null,
    { together = false, fillsOnly = false, optsOutOf = null }: TakeOptions = {},
  ): Taken | Refusal | typeof LATER {
    if (fields === null) return { row: this.#make(orgId, {}), unchanged: [] };
    const row = this.#find(orgId, fields, together);
    if (row instanceof Refusal) return row;
    const clash = this.#clash(orgId, fields, row);
    if (clash) return clash;
    if (row === null) return { row: this.#make(orgId, fields), unchanged: [] };
    const { news, unchanged } = this.#news(row, fields, fillsOnly, optsOutOf);
    // The data of another call in this batch is stored only if that call is accepted.
    const differs = news !== null || (unchanged.length > 0 && row.updated_at === null);
    if (!together && row.uses > 0 && (row.changed || differs)) return LATER;
    if (isTooMuch(row.attributes, news?.attributes)) return tooManyAttributes();
    row.uses++;
    if (news !== null) this.#change(row, news);
    return { row, unchanged };
  }

  /** Creates a new row. Refuses the call if another person has one of the identifiers. */
  make(orgId: string, fields: EndUserFields): Taken | Refusal {
    return this.#clash(orgId, fields, null) ?? { row: this.#make(orgId, fields), unchanged: [] };
  }

  #find(orgId: string, fields: EndUserFields, together: boolean): EndUserRow | null | Refusal {
    if (fields.id !== undefined) {
      const row = this.#byId.get(fields.id);
      if (row?.org_id === orgId) return row;
      const detail = 'No end user of this organization has this id.';
      return new Refusal('validation_failed', 'The request names an end user that does not exist.', {
        errors: [{ pointer: '/end_user/id', code: 'not_found', detail }],
      });
    }
    for (const field of IDENTIFIERS) {
      const value = saidOf(fields, field);
      const row = value === null ? undefined : this.#by[field].get(`${orgId} ${value}`);
      // Together, an earlier call may have given the person another identifier.
      if (!row || (together && row[field] !== value)) continue;
      // A record without an external ID is the person of the call. A record with another external ID is a different
      // person.
      if (field === 'external_id' || !fields.external_id || !row.external_id) return row;
    }
    return null;
  }

  /** No call moves an identifier silently from one person to another. */
  #clash(orgId: string, fields: EndUserFields, row: EndUserRow | null): Refusal | null {
    for (const field of IDENTIFIERS) {
      const value = saidOf(fields, field);
      const holder = value === null ? undefined : this.#by[field].get(`${orgId} ${value}`);
      if (holder && holder !== row) {
        return new Refusal('already_exists', `Another end user, ${holder.id}, has this ${field} already.`, {
          members: { existing_id: holder.id },
        });
      }
    }
    return null;
  }

  #make(orgId: string, fields: EndUserFields): EndUserRow {
    const row: EndUserRow = {
      org_id: orgId,
      id: newId('enduser'),
      external_id: fields.external_id ?? null,
      name: fields.name ?? null,
      email: saidOf(fields, 'email'),
      phone: fields.phone ?? null,
      locale: fields.locale ?? null,
      time_zone: fields.time_zone ?? null,
      attributes: merged({}, fields.attributes),
      tags: fields.tags ? unique(fields.tags) : [],
      consent: {},
      blocked: fields.blocked ?? false,
      created_at: null,
      updated_at: null,
      last_seen_at: null,
      changed: false,
      uses: 1,
    };
    Object.assign(row, this.#optOuts(row, row));
    this.#remember(row);
    return row;
  }

  /** The call's data about a person that differs from the stored data. Null if all data is equal. */
  #news(
    row: EndUserRow,
    fields: EndUserFields,
    fillsOnly: boolean,
    optsOutOf: string | null,
  ): { news: Partial<EndUserRow> | null; unchanged: string[] } {
    const news: Partial<EndUserRow> = {};
    for (const field of ['external_id', 'name', 'email', 'phone', 'locale', 'time_zone'] as const) {
      const value = field === 'email' ? fields.email?.toLowerCase() : fields[field];
      if (fields[field] === null ? row[field] !== null : value !== undefined && value !== row[field])
        news[field] = value ?? null;
    }
    if (fields.attributes) {
      const attributes = merged(
        row.attributes,
        fields.from_file ? changedText(row.attributes, fields.attributes) : fields.attributes,
      );
      if (!isDeepStrictEqual(attributes, row.attributes)) news.attributes = attributes;
    }
    if (fields.tags && !isDeepStrictEqual(unique(fields.tags), fields.from_file ? tagsAsRead(row.tags) : row.tags))
      news.tags = unique(fields.tags);
    if (fields.blocked !== undefined && fields.blocked !== row.blocked) news.blocked = fields.blocked;
    const unchanged = fillsOnly ? keepExistingValues(row, fields, news) : [];
    if (Object.keys(news).length === 0 && optsOutOf === null) return { news: null, unchanged };
    const all = { ...news, ...this.#optOuts(row, news) };
    if (optsOutOf !== null) {
      const optOut = consentOn(optsOutOf, 'opted_out', 'stop_word');
      all.consent = withOptOuts(all.consent ?? row.consent, optOut);
    }
    return { news: all, unchanged };
  }

  /** The opt-outs of identifiers that the row did not have before. */
  #optOuts(row: EndUserRow, news: Partial<Record<Identifier, string | null>>): Partial<EndUserRow> {
    if (this.#suppressed.size === 0) return {};
    const optOuts = IDENTIFIERS.flatMap((kind) => this.#suppressed.get(`${row.org_id} ${kind} ${news[kind]}`) ?? []);
    if (optOuts.length === 0) return {};
    return {
      consent: optOuts.reduce((consent, one) => withOptOuts(consent, one.consent), row.consent),
      blocked: row.blocked || optOuts.some(({ blocked }) => blocked),
    };
  }

  #change(row: EndUserRow, news: Partial<EndUserRow>): void {
    // Calls of this batch with a replaced identifier still refer to this row and wait (`take`).
    this.#remember(Object.assign(row, news, { changed: row.updated_at !== null }));
  }

  #remember(row: EndUserRow): void {
    this.#byId.set(row.id, row);
    for (const field of IDENTIFIERS) {
      const value = row[field];
      if (value !== null) this.#by[field].set(`${row.org_id} ${value}`, row);
    }
  }
}

/** An identifier in its stored form, in which e-mail addresses have lower case. */
const saidOf = (fields: EndUserFields, field: 'id' | Identifier): string | null =>
  (field === 'email' ? fields.email?.toLowerCase() : fields[field]) ?? null;

const unique = (tags: readonly string[]): string[] => [...new Set(tags)];

/** Merges attributes: a new value replaces the stored value, and null removes it. Other attributes stay. */
function merged(before: Record<string, unknown>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const after = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return after;
}

/** Merging must not let a person's record grow without limit. A record that is already too large may only shrink. */
const isTooMuch = (before: object, after: object = before): boolean =>
  Object.keys(after).length > Math.max(MAX_ATTRIBUTES, Object.keys(before).length);

const tooManyAttributes = (): Refusal =>
  invalidAt(
    '/end_user/attributes',
    'too_many',
    `A person has at most ${MAX_ATTRIBUTES} attributes, those that are stored among them: null removes one.`,
  );

/**
 * Tags as text in one cell of a file. If a tag contains a separator, an import of the file reads the tag as several
 * tags.
 */
export const tagsText = (tags: readonly string[]): string => tags.join('|');
export const tagsIn = (text: string): string[] => text.split(/[|;,]/).flatMap((tag) => tag.trim() || []);
const tagsAsRead = (tags: readonly string[]): string[] => unique(tagsIn(tagsText(tags)));

/** An attribute as text in a file. */
export const attributeText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const changedText = (before: Record<string, unknown>, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name, text]) => attributeText(before[name]) !== text));
