import type { CampaignSettings } from '../../../../contract/campaigns.ts';
import type { MessageContent } from '../../../../contract/messages.ts';
import type { Fault } from '../../../../contract/problems.ts';
import { MAX_REHEARSED, type MadeUp, type RehearsedStatus } from '../../../../contract/dashboard/rehearsals.ts';
import { newRecipientOf } from '../add-recipients.ts';
import type { RecipientInputRow } from '../recipient-input-row.ts';
import type { Db } from '../../../store/db.ts';
import { type EndUserFilter, listEndUsers } from '../../../store/end-users/search.ts';
import type { EndUserRow } from '../../../store/end-users/end-user-row.ts';
import type { Suppression } from '../../../store/end-users/suppression.ts';
import type { DueRecipient } from '../../../store/recipients/dispatch.ts';
import { planPage, type PlannedRecipient } from '../../../store/recipients/plan-page.ts';
import type { NewRecipient } from '../../../store/recipients/add-recipients.ts';
import { listWaiting } from '../../../store/recipients/review.ts';
import { templateVariables } from '../../../answering/template-variables.ts';
import { openingOf } from '../plan-dispatch.ts';

/** A person in a rehearsal, who is either enrolled or left out at the enrolment. */
export type Cast = {
  recipient: DueRecipient;
  ref: string | null;
  sendAt: Date | null;
  /** True: the person exists. */
  isKnown: boolean;
  text: string | null;
  left: { status: RehearsedStatus; reason: string | null } | null;
};

/** The campaign and the channel in which people would be enrolled. */
export type Enrolment = {
  db: Db;
  suppression: Suppression;
  orgId: string;
  campaignId: string;
  channelId: string;
  channelKind: string;
};
export type Place = Enrolment & {
  settings: CampaignSettings;
  /** Receives the names of variables without a value, for each message. */
  onEmpty(names: ReadonlySet<string>): void;
};

const PAGE = 500;
const MAX_TEXT = 160;

/** Yields the waiting recipients, oldest first. */
export async function* waitingPeople(place: Place): AsyncGenerator<Cast> {
  const { db, orgId, campaignId: id, channelId, channelKind } = place;
  for (let after = ''; ;) {
    const page = await listWaiting(db, { orgId, id, channelId, channelKind }, { after, limit: PAGE });
    for (const { ref, send_at: sendAt, ...due } of page)
      yield cast(place, { recipient: due, ref, sendAt, isKnown: true, left: null });
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** Yields the end users who match a filter, as an addition would add them, newest first. */
export async function* matchingPeople(place: Place, filter: EndUserFilter): AsyncGenerator<Cast> {
  for await (const one of planAudience(place, filter))
    yield cast(place, { ...one, ref: null, sendAt: null, isKnown: true });
}

type Planned = Pick<Cast, 'recipient' | 'left'>;

export async function* planAudience(place: Enrolment, filter: EndUserFilter): AsyncGenerator<Planned> {
  const before = { people: new Set<EndUserRow>(), enrolled: new Map() };
  for (let after: { id: string; createdAt: Date } | null = null; ;) {
    const { rows, hasMore } = await listEndUsers(place.db, place.orgId, filter, { limit: PAGE, after });
    const recipients = rows.map(({ id }) => ({ endUser: { id }, variables: {}, sendAt: null, ref: null }));
    for (const one of await plan(place, recipients, 'campaign', before))
      // A person who was erased between the two reads does not exist.
      if (one.person) yield plannedOf(place.channelKind, one as PlannedPerson, {});
    if (!hasMore) return;
    after = { id: rows.at(-1)!.id, createdAt: new Date(0) };
  }
}

/** Yields the rows of a file, in the form in which an addition would add them, with people who exist or are new. */
export async function* fileOnes(
  place: Place,
  rows: AsyncIterable<RecipientInputRow>,
  dedupe: 'campaign' | 'none',
): AsyncGenerator<Cast> {
  // A person in two rows is one person, so an opt-out after the first message also affects the second.
  const persons = new Map<string, DueRecipient['person']>();
  for await (const { errors: _, ...one } of planRows(place, rows, dedupe)) {
    if (one.left?.status === 'invalid') {
      yield { ...one, text: null };
      continue;
    }
    const shown = cast(place, one);
    const { id } = shown.recipient.person;
    shown.recipient.person = persons.get(id) ?? shown.recipient.person;
    persons.set(id, shown.recipient.person);
    yield shown;
  }
}

type PlannedRow = Omit<Cast, 'text'> & { errors: Fault[] };

/** Plans the rows of a file page by page. An invalid row has errors instead of a person. */
export async function* planRows(
  place: Enrolment,
  rows: AsyncIterable<RecipientInputRow> | Iterable<RecipientInputRow>,
  dedupe: 'campaign' | 'none',
): AsyncGenerator<PlannedRow> {
  const before = { people: new Set<EndUserRow>(), enrolled: new Map() };
  let page: RecipientInputRow[] = [];
  const flush = async function* (): AsyncGenerator<PlannedRow> {
    const recipients = page.map((row) => ('recipient' in row ? newRecipientOf(row) : null));
    const planned = await plan(
      place,
      recipients.filter((one) => one !== null),
      dedupe,
      before,
    );
    let next = 0;
    for (const [index, row] of page.entries()) {
      if ('errors' in row) yield invalidOne(row.ref, row.errors);
      else yield plannedRow(place, recipients[index]!, planned[next++]!);
    }
    page = [];
  };
  for await (const row of rows) {
    page.push(row);
    if (page.length === PAGE) yield* flush();
  }
  yield* flush();
}

const plan = (
  { db, suppression, orgId, campaignId, channelId, channelKind }: Enrolment,
  recipients: NewRecipient[],
  dedupe: 'campaign' | 'none',
  before: Parameters<typeof planPage>[3],
): Promise<PlannedRecipient[]> => {
  const unasked = { keyId: null, from: null, requestId: null, idempotency: null };
  const call = { ...unasked, orgId, campaignId, channelId, channelKind, dedupe, recipients };
  return planPage(db, call, suppression, before);
};

function plannedRow(place: Enrolment, recipient: NewRecipient, planned: PlannedRecipient): PlannedRow {
  const { outcome, person } = planned;
  const { ref, sendAt } = recipient;
  if (outcome.kind === 'invalid' || !person) return invalidOne(ref, outcome.kind === 'invalid' ? outcome.faults : []);
  const known = plannedOf(place.channelKind, planned as PlannedPerson, recipient.variables);
  return { ...known, ref, sendAt, isKnown: person.updated_at !== null, errors: [] };
}

type PlannedPerson = PlannedRecipient & {
  person: EndUserRow;
  outcome: { kind: 'pending' | 'duplicate' | 'suppressed' };
};

function plannedOf(
  channelKind: string,
  { outcome, person, address }: PlannedPerson,
  variables: Record<string, unknown>,
): Planned {
  const { id, external_id, name, email, phone, locale, time_zone, attributes, blocked } = person;
  const consent = (person.consent[channelKind] as { status?: string } | undefined)?.status ?? null;
  return {
    recipient: {
      id: outcome.id,
      variables,
      address,
      request_id: null,
      person: { id, external_id, name, email, phone, locale, time_zone, attributes, blocked, consent },
    },
    left: outcome.kind === 'pending' ? null : { status: outcome.kind, reason: outcome.reason },
  };
}

function invalidOne(ref: string | null, errors: Fault[]): PlannedRow {
  const left = { status: 'invalid' as const, reason: errors[0]?.code ?? 'invalid' };
  return { recipient: madeUp('', {}), ref, sendAt: null, isKnown: false, left, errors };
}

/**
 * Renders the text immediately and removes the data that only the text needs, because ten thousand people with all
 * attributes need too much memory.
 */
function cast(place: Place, { recipient, left, ...more }: Omit<Cast, 'text'>): Cast {
  const { person } = recipient;
  const empty = new Set<string>();
  const opening = left
    ? null
    : openingOf(place.settings, person.locale, templateVariables(recipient.variables, recipient.person), empty);
  if (empty.size > 0) place.onEmpty(empty);
  const lean = { ...recipient, variables: {}, person: { ...person, attributes: {} } };
  return { ...more, recipient: lean, left, text: opening && wordsOf(opening).slice(0, MAX_TEXT) };
}

function wordsOf(content: MessageContent): string {
  if (content.type === 'text') return content.text;
  if (content.type !== 'template') return '';
  return content.text ?? `${content.name}: ${Object.values(content.variables ?? {}).join(', ')}`;
}

const madeUp = (id: string, person: Partial<DueRecipient['person']>): DueRecipient => ({
  id,
  variables: {},
  address: id,
  request_id: null,
  person: {
    id,
    external_id: null,
    name: null,
    email: null,
    phone: null,
    locale: null,
    time_zone: null,
    attributes: {},
    blocked: false,
    consent: null,
    ...person,
  },
});

/** Selects every n-th item, so that each part of a list has the same share. */
const isIn = (percent: number, index: number): boolean =>
  Math.floor(((index + 1) * percent) / 100) > Math.floor((index * percent) / 100);

/** Yields made-up people. All properties are spread evenly, and are the same in each rehearsal. */
export async function* inventedPeople(place: Place, options: MadeUp): AsyncGenerator<Cast> {
  const { time_zones: zones = [null], locales = [null], opted_out: optedOut = 0, unnamed = 0 } = options;
  for (let index = 0; index < Math.min(options.count, MAX_REHEARSED); index++) {
    const name = `${index + 1}`;
    const inZone = Math.floor(index / zones.length);
    const recipient = madeUp(`made-up-${name}`, {
      name: isIn(unnamed, inZone) ? null : `Person ${name}`,
      time_zone: zones[index % zones.length]!,
      locale: locales[inZone % locales.length]!,
      consent: isIn(optedOut, inZone) ? 'opted_out' : null,
    });
    yield cast(place, { recipient, ref: name, sendAt: null, isKnown: false, left: null });
  }
}
