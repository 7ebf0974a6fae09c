import type pg from 'pg';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import { derivedId, newId } from '../../kernel/ids.ts';
import type { AdditionPage } from '../campaigns/addition-queue.ts';
import { accept, acceptingStatement, whyStopped } from '../fence/fence.ts';
import type { EndUserFields } from '../end-users/end-user-fields.ts';
import { planAndWrite } from '../queue/plan-and-write.ts';
import { PEOPLE, PEOPLE_LOST, peopleValues, WRITE_PEOPLE } from '../end-users/write-batch.ts';
import { rowsOf } from '../named-statement.ts';
import { EndUserBook, type Taken } from '../end-users/resolve.ts';
import { LATER } from '../queue/later.ts';
import type { EndUserRow } from '../end-users/end-user-row.ts';
import { readStoredAnswer } from '../idempotency/stored-answer.ts';
import type { Db } from '../db.ts';
import type { Suppression } from '../end-users/suppression.ts';
import { reasonNotToSend } from '../end-users/reason-not-to-send.ts';

/**
 * Accepts up to a thousand recipients with three round trips: the people, the existing enrolments, and one statement.
 * This one statement creates people and recipients and stores the response, all or nothing. The statement contains the
 * fence, which checks the key, the plan, and that the campaign is open.
 */
export type AddRecipientsCall = {
  orgId: string;
  /** Null: a member adds recipients in the dashboard. */
  keyId: string | null;
  /** The network address of the key's caller. The fence checks the address together with the key. */
  from: string | null;
  campaignId: string;
  channelKind: string;
  requestId: string | null;
  dedupe: 'campaign' | 'none';
  recipients: NewRecipient[];
  idempotency: { scope: Buffer; request: Buffer } | null;
  answer(outcomes: readonly AdditionOutcome[]): { status: number; body: string };
  /** Computes the counts that the list of additions shows. Null: nothing is counted. */
  tally: ((outcomes: readonly AdditionOutcome[]) => AdditionPage) | null;
  /**
   * The addition in the background to which the recipients belong. The statement also counts the page. If the addition
   * no longer has its lease, no one is added.
   */
  addition?: { id: string; lease: string };
};

export type NewRecipient = {
  endUser: EndUserFields;
  variables: Record<string, unknown>;
  sendAt: Date | null;
  ref: string | null;
};

export type AdditionOutcome =
  | { kind: 'pending' | 'duplicate' | 'suppressed'; id: string; reason: string | null; unchanged: readonly string[] }
  | { kind: 'invalid'; faults: Fault[] };

/** `isFirst`: true for the first call of its key on this day. */
export type AddRecipientsAnswer = { answer: { status: number; body: string }; replayed: boolean; isFirst: boolean };

const TRIES = 12;
/** People were erased, or people or recipients were created, after the planning. */
const RACES = ['23503', '23505'];

export const addRecipients = (
  db: Db,
  call: AddRecipientsCall,
  suppression: Suppression | null,
): Promise<AddRecipientsAnswer> =>
  planAndWrite(db.$client, {
    tries: TRIES,
    races: RACES,
    plan: (client) => planAddition(client, call, suppression),
    write: (client, plan) => writePlan(client, call, plan),
  });

/** The key of a campaign has only one permission, so the key does not have `end_users`. */
const FROM_CAMPAIGN_KEY = { together: true, fillsOnly: true };

export const isTaken = (taken: Taken | Refusal | typeof LATER): taken is Taken =>
  typeof taken === 'object' && 'row' in taken;

type Enrolment = { id: string; person: EndUserRow; enrolment: number; status: string; reason: string | null };
type Enrolled = { id: string; enrolments: number };
type Plan = {
  rows: EndUserRow[];
  people: (Taken | Refusal | typeof LATER)[];
  outcomes: AdditionOutcome[];
  made: (Enrolment & { given: NewRecipient })[];
  answer: { status: number; body: string };
  tally: AdditionPage | null;
};

/**
 * The results of earlier pages of a plan, with the people who would be created and the people who would be enrolled.
 */
export type PlannedBefore = { people: Set<EndUserRow>; enrolled: Map<string, Enrolled> };

/** The plan only reads. */
export async function planAddition(
  client: pg.PoolClient,
  call: AddRecipientsCall,
  suppression: Suppression | null,
  before: PlannedBefore = { people: new Set(), enrolled: new Map() },
): Promise<Plan> {
  const { orgId } = call;
  const named = call.recipients.map(({ endUser }) => ({ orgId, endUser }));
  const book = await EndUserBook.read(client, named, suppression, before.people);
  const people = call.recipients.map(({ endUser }) => book.take(orgId, endUser, FROM_CAMPAIGN_KEY));
  const enrolled = before.enrolled;
  for (const [id, known] of await readEnrolled(client, call, people)) if (!enrolled.has(id)) enrolled.set(id, known);
  const made: Plan['made'] = [];
  const outcomes = people.map((taken, index): AdditionOutcome => {
    if (taken === LATER) throw new Error('the people of an addition are resolved together');
    if (taken instanceof Refusal) return { kind: 'invalid', faults: faultsOf(taken) };
    const { row: person, unchanged } = taken;
    const known = enrolled.get(person.id);
    if (known && call.dedupe === 'campaign')
      return { kind: 'duplicate', id: known.id, reason: 'already_enrolled', unchanged };
    const reason = reasonFor(person, call.channelKind);
    const status = reason === null ? 'pending' : 'suppressed';
    const id = newId('rcpt');
    made.push({ id, person, enrolment: known?.enrolments ?? 0, status, reason, given: call.recipients[index]! });
    enrolled.set(person.id, { id: known?.id ?? id, enrolments: (known?.enrolments ?? 0) + 1 });
    return { kind: status, id, reason, unchanged };
  });
  const rows = people.filter(isTaken).map(({ row }) => row);
  for (const row of rows) if (row.updated_at === null) before.people.add(row);
  return { rows, people, outcomes, made, answer: call.answer(outcomes), tally: call.tally?.(outcomes) ?? null };
}

async function writePlan(client: pg.PoolClient, call: AddRecipientsCall, plan: Plan): Promise<AddRecipientsAnswer> {
  const { passed, is_first: isFirst } = await write(client, call, plan);
  if (passed) return { answer: plan.answer, replayed: false, isFirst };
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind === 'replayed') return { answer: stored.answer, replayed: true, isFirst: false };
  throw await whyStopped(client, NEEDS, call);
}

const faultsOf = (refusal: Refusal): Fault[] =>
  refusal.extras.errors ?? [{ pointer: '/end_user', code: refusal.code, detail: refusal.message }];

function reasonFor(person: EndUserRow, channelKind: string): string | null {
  const consent = person.consent[channelKind] as { status?: string } | undefined;
  return reasonNotToSend(person.blocked, consent?.status);
}

/**
 * The people who are already in the campaign, and the number of their enrolments. The query leaves out people who are
 * being created now.
 */
async function readEnrolled(
  client: pg.PoolClient,
  { orgId, campaignId }: AddRecipientsCall,
  people: readonly (Taken | Refusal | typeof LATER)[],
): Promise<Map<string, Enrolled>> {
  const known = new Set<string>();
  for (const { row } of people.filter(isTaken)) if (row.updated_at !== null) known.add(row.id);
  if (known.size === 0) return new Map();
  const found = await client.query<{ end_user_id: string; id: string; enrolments: number }>({
    name: 'read-enrolled',
    text: `SELECT r.end_user_id, min(r.id) AS id, max(r.enrolment) + 1 AS enrolments
      FROM unnest($3::text[]) AS w(id) JOIN recipient r ON r.org_id = $1 AND r.end_user_id = w.id AND r.campaign_id = $2
      GROUP BY r.end_user_id`,
    values: [orgId, campaignId, [...known]],
  });
  return new Map(found.rows.map((row) => [row.end_user_id, { id: row.id, enrolments: row.enrolments }]));
}

const RECIPIENT = rowsOf(
  'r',
  {
    id: 'text',
    end_user_id: 'text',
    enrolment: 'int',
    ref: 'text',
    status: 'text',
    reason: 'text',
    variables: 'text',
    send_at: 'timestamptz',
  },
  'new_',
);
const CALL = {
  org_id: 'text',
  campaign_id: 'text',
  key_id: 'text',
  came_from: 'text',
  scope: 'bytea',
  request: 'bytea',
  status: 'int',
  body: 'text',
  now: 'timestamptz',
  end_user_ids: 'text[]',
  request_id: 'text',
  addition_id: 'text',
  addition_lease: 'text',
  push_id: 'text',
  push_rows: 'int',
  push_accepted: 'int',
  push_duplicates: 'int',
  push_opted_out: 'int',
  push_blocked: 'int',
  push_invalid: 'int',
  push_faults: 'jsonb',
  push_after: 'text',
};

/** The records on which an addition depends. */
const NEEDS = { campaign: 'on' } as const;

export const ADD_RECIPIENTS = acceptingStatement(
  'push-recipients',
  { ...CALL, ...RECIPIENT.types, ...PEOPLE },
  {
    rows: `(SELECT :org_id AS org_id, :campaign_id AS campaign_id, :key_id AS key_id, :came_from AS came_from
      WHERE :addition_id IS NULL OR :addition_lease IN (SELECT lease FROM campaign_push WHERE org_id = :org_id
        AND campaign_id = :campaign_id AND id = :addition_id)) AS g`,
    needs: NEEDS,
    paidPlanFor: 'everybody',
    columns: `campaign.org_id, campaign.id, (campaign.settings ->> 'starts_at')::timestamptz AS starts_at`,
  },
  `idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
  SELECT org_id, :scope, :request, :status, :body, :now FROM gate
  WHERE :scope IS NOT NULL
  ON CONFLICT DO NOTHING RETURNING org_id
), pass AS MATERIALIZED (
  SELECT gate.* FROM gate WHERE :scope IS NULL OR EXISTS (SELECT 1 FROM idem)
), go AS MATERIALIZED (
  SELECT u.end_user_id FROM unnest(:end_user_ids) AS u(end_user_id) WHERE EXISTS (SELECT 1 FROM pass)
), ${WRITE_PEOPLE}, enrolled AS (
  INSERT INTO recipient (org_id, campaign_id, id, end_user_id, enrolment, ref, status, reason, variables,
    send_at, due_at, request_id, created_at, updated_at)
  SELECT pass.org_id, pass.id, r.id, r.end_user_id, r.enrolment, r.ref, r.status, r.reason, r.variables::jsonb,
    r.send_at,
    CASE WHEN r.status = 'pending' THEN greatest(r.send_at, pass.starts_at, :now) END,
    :request_id, :now, :now
  FROM pass, ${RECIPIENT.from}
  WHERE (SELECT count(*) FROM made) >= 0
  ON CONFLICT DO NOTHING RETURNING id
), tallied AS (
  INSERT INTO campaign_push (org_id, campaign_id, id, state, source, done, accepted, duplicates, opted_out, blocked,
    invalid, faults, created_by, request_id, created_at, finished_at)
  SELECT pass.org_id, pass.id, :push_id, 'done', 'api', :push_rows, :push_accepted, :push_duplicates, :push_opted_out,
    :push_blocked, :push_invalid, :push_faults, :key_id, :request_id, :now, :now
  -- The row of a key is written last, so that calls that wait for it hold no lock that its owner needs.
  FROM pass WHERE :push_id IS NOT NULL AND (SELECT count(*) FROM enrolled) >= 0
  ON CONFLICT (org_id, campaign_id, id) DO UPDATE SET done = campaign_push.done + excluded.done,
    accepted = campaign_push.accepted + excluded.accepted,
    duplicates = campaign_push.duplicates + excluded.duplicates,
    opted_out = campaign_push.opted_out + excluded.opted_out, blocked = campaign_push.blocked + excluded.blocked,
    invalid = campaign_push.invalid + excluded.invalid,
    faults = jsonb_path_query_array(excluded.faults || campaign_push.faults, '$[0 to ${MAX_NAMED - 1}]'),
    finished_at = excluded.finished_at
  RETURNING created_at = :now AS is_first
), counted AS (
  -- An erasure locks the person before the addition, so this statement also locks the addition last.
  UPDATE campaign_push SET done = done + :push_rows, accepted = accepted + :push_accepted,
    duplicates = duplicates + :push_duplicates, opted_out = opted_out + :push_opted_out,
    blocked = blocked + :push_blocked, invalid = invalid + :push_invalid, after = :push_after,
    faults = jsonb_path_query_array(faults || :push_faults, '$[0 to ${MAX_NAMED - 1}]')
  WHERE org_id = :org_id AND campaign_id = :campaign_id AND id = :addition_id AND lease = :addition_lease
    AND EXISTS (SELECT 1 FROM pass) AND (SELECT count(*) FROM changed) >= 0 AND (SELECT count(*) FROM enrolled) >= 0
  RETURNING id
)
SELECT EXISTS (SELECT 1 FROM pass) AS passed,
  coalesce((SELECT is_first FROM tallied), false) AS is_first,
  CASE WHEN EXISTS (SELECT 1 FROM pass) AND (${PEOPLE_LOST}
    OR (SELECT count(*) FROM enrolled) <> cardinality(:new_id)
    OR (SELECT count(*) FROM counted) <> (:addition_id IS NOT NULL)::int) THEN parley_lost_race() END AS lost`,
);

async function write(
  client: pg.PoolClient,
  call: AddRecipientsCall,
  { rows, made, answer, tally }: Pick<Plan, 'rows' | 'made' | 'answer' | 'tally'>,
): Promise<{ passed: boolean; is_first: boolean }> {
  const now = new Date();
  const query = ADD_RECIPIENTS({
    org_id: call.orgId,
    campaign_id: call.campaignId,
    key_id: call.keyId,
    came_from: call.from,
    scope: call.idempotency?.scope ?? null,
    request: call.idempotency?.request ?? null,
    status: answer.status,
    body: answer.body,
    now,
    end_user_ids: [...new Set(rows.map((row) => row.id))],
    request_id: call.requestId,
    addition_id: call.addition?.id ?? null,
    addition_lease: call.addition?.lease ?? null,
    ...tallyValues(call, tally, now),
    new_id: made.map((row) => row.id),
    new_end_user_id: made.map((row) => row.person.id),
    new_enrolment: made.map((row) => row.enrolment),
    new_ref: made.map((row) => row.given.ref),
    new_status: made.map((row) => row.status),
    new_reason: made.map((row) => row.reason),
    new_variables: made.map((row) => JSON.stringify(row.given.variables)),
    new_send_at: made.map((row) => row.given.sendAt),
    ...peopleValues(rows, now),
  });
  const written = await accept<{ passed: boolean; is_first: boolean }>(client, query);
  return written.rows[0]!;
}

const DAY_MS = 86_400_000;

/**
 * All calls of a key on one day (UTC) share one row, whose ID follows from the key and the day. The ID contains the end
 * of the day, so that the row is among the newest of the list.
 */
const tallyValues = ({ campaignId, keyId, addition }: AddRecipientsCall, tally: AdditionPage | null, now: Date) => ({
  push_id:
    tally && !addition
      ? derivedId('push', Math.ceil(now.getTime() / DAY_MS) * DAY_MS - 1, `${campaignId} ${keyId}`)
      : null,
  push_rows: tally?.rows ?? 0,
  push_accepted: tally?.accepted ?? 0,
  push_duplicates: tally?.duplicates ?? 0,
  push_opted_out: tally?.opted_out ?? 0,
  push_blocked: tally?.blocked ?? 0,
  push_invalid: tally?.invalid ?? 0,
  push_faults: JSON.stringify(tally?.faults ?? []),
  push_after: tally?.next ?? null,
});
