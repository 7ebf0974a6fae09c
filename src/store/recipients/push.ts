import type pg from 'pg';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { accept, acceptingStatement, whyStopped } from '../fence/fence.ts';
import type { EndUserFields } from '../runs/accept-call.ts';
import { planAndWrite } from '../queue/plan-and-write.ts';
import { PERSON_COLUMNS, peopleLost, peopleOf, personColumns, writePeople } from '../end-users/rows.ts';
import { EndUserBook, LATER, type EndUserRow, type Taken } from '../end-users/resolve.ts';
import { readStoredAnswer } from '../idempotency/stored-answer.ts';
import type { Db } from '../db.ts';
import type { Suppression } from '../end-users/suppression.ts';

/**
 * Accepts up to a thousand recipients with three round trips: who is meant, who is enrolled already, and one statement
 * that creates people and recipients and stores the answer, all or nothing. It contains the fence: the key, the plan,
 * and that the campaign is open at this moment.
 */
export type PushCall = {
  orgId: string;
  keyId: string;
  /** The network address of the key's caller, checked by the fence with it. */
  from: string | null;
  campaignId: string;
  channelKind: string;
  requestId: string;
  dedupe: 'campaign' | 'none';
  recipients: PushedRecipient[];
  idempotency: { scope: Buffer; request: Buffer } | null;
  answer(outcomes: readonly PushOutcome[]): { status: number; body: string };
};

export type PushedRecipient = {
  endUser: EndUserFields;
  variables: Record<string, unknown>;
  sendAt: Date | null;
  ref: string | null;
};

export type PushOutcome =
  | { kind: 'pending' | 'duplicate' | 'suppressed'; id: string; reason: string | null; unchanged: readonly string[] }
  | { kind: 'invalid'; faults: Fault[] };

export type PushAnswer = { answer: { status: number; body: string }; replayed: boolean };

const TRIES = 12;
/** After the plan, people were erased, or people or recipients were created. */
const RACES = ['23503', '23505'];

export const pushRecipients = (db: Db, call: PushCall, suppression: Suppression | null): Promise<PushAnswer> =>
  planAndWrite(db.$client, {
    tries: TRIES,
    races: RACES,
    plan: (client) => planPush(client, call, suppression),
    write: (client, plan) => writePlan(client, call, plan),
  });

/** The key of a campaign has no other permission, also not `end_users`. */
const FROM_CAMPAIGN_KEY = { together: true, fillsOnly: true };

const isTaken = (taken: Taken | Refusal | typeof LATER): taken is Taken => typeof taken === 'object' && 'row' in taken;

type NewRecipient = { id: string; person: EndUserRow; enrolment: number; status: string; reason: string | null };
type Enrolled = { id: string; enrolments: number };
type Plan = {
  rows: EndUserRow[];
  made: (NewRecipient & { pushed: PushedRecipient })[];
  answer: { status: number; body: string };
};

async function planPush(client: pg.PoolClient, call: PushCall, suppression: Suppression | null): Promise<Plan> {
  const { orgId } = call;
  const named = call.recipients.map(({ endUser }) => ({ orgId, endUser }));
  const book = await EndUserBook.read(client, named, suppression);
  const people = call.recipients.map(({ endUser }) => book.take(orgId, endUser, FROM_CAMPAIGN_KEY));
  const enrolled = await readEnrolled(client, call, people);
  const made: Plan['made'] = [];
  const outcomes = people.map((taken, index): PushOutcome => {
    if (taken === LATER) throw new Error('a push is planned together');
    if (taken instanceof Refusal) return { kind: 'invalid', faults: faultsOf(taken) };
    const { row: person, unchanged } = taken;
    const known = enrolled.get(person.id);
    if (known && call.dedupe === 'campaign')
      return { kind: 'duplicate', id: known.id, reason: 'already_enrolled', unchanged };
    const reason = silenceReason(person, call.channelKind);
    const status = reason === null ? 'pending' : 'suppressed';
    const id = newId('rcpt');
    made.push({ id, person, enrolment: known?.enrolments ?? 0, status, reason, pushed: call.recipients[index]! });
    enrolled.set(person.id, { id: known?.id ?? id, enrolments: (known?.enrolments ?? 0) + 1 });
    return { kind: status, id, reason, unchanged };
  });
  const rows = people.filter(isTaken).map(({ row }) => row);
  return { rows, made, answer: call.answer(outcomes) };
}

async function writePlan(client: pg.PoolClient, call: PushCall, plan: Plan): Promise<PushAnswer> {
  if (await write(client, call, plan)) return { answer: plan.answer, replayed: false };
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind === 'replayed') return { answer: stored.answer, replayed: true };
  throw await whyStopped(client, PUSH, call);
}

const faultsOf = (refusal: Refusal): Fault[] =>
  refusal.extras.errors ?? [{ pointer: '/end_user', code: refusal.code, detail: refusal.message }];

function silenceReason(person: EndUserRow, channelKind: string): string | null {
  if (person.blocked) return 'blocked';
  const consent = person.consent[channelKind] as { status?: string } | undefined;
  return consent?.status === 'opted_out' ? 'opted_out' : null;
}

/**
 * Which of these people are in the campaign already, and how often; people who are just being created are not looked
 * up.
 */
async function readEnrolled(
  client: pg.PoolClient,
  { orgId, campaignId }: PushCall,
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

const MADE = 18;
const CHANGED = MADE + PERSON_COLUMNS;

/** The records that a push depends on. */
const PUSH = { campaign: 'on' } as const;

export const PUSH_RECIPIENTS = acceptingStatement<{ passed: boolean }>(
  'push-recipients',
  {
    rows: `(SELECT $1::text AS org_id, $2::text AS campaign_id, $3::text AS key_id,
      $${CHANGED + PERSON_COLUMNS + 1}::text AS came_from) AS g`,
    needs: PUSH,
    paidPlanFor: 'everybody',
    columns: `campaign.org_id, campaign.id, (campaign.settings ->> 'starts_at')::timestamptz AS starts_at`,
  },
  `idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
  SELECT org_id, $4::bytea, $5::bytea, $6::int, $7::text, $8::timestamptz FROM gate WHERE $4::bytea IS NOT NULL
  ON CONFLICT DO NOTHING RETURNING org_id
), pass AS MATERIALIZED (
  SELECT gate.* FROM gate WHERE $4::bytea IS NULL OR EXISTS (SELECT 1 FROM idem)
), go AS MATERIALIZED (
  SELECT u.end_user_id FROM unnest($9::text[]) AS u(end_user_id) WHERE EXISTS (SELECT 1 FROM pass)
), ${writePeople(MADE, CHANGED)}, enrolled AS (
  INSERT INTO recipient (org_id, campaign_id, id, end_user_id, enrolment, ref, status, reason, variables,
    send_at, due_at, request_id, created_at, updated_at)
  SELECT pass.org_id, pass.id, r.id, r.end_user_id, r.enrolment, r.ref, r.status, r.reason, r.variables::jsonb,
    r.send_at,
    CASE WHEN r.status = 'pending' THEN greatest(r.send_at, pass.starts_at, $8::timestamptz) END,
    $17::text, $8::timestamptz, $8::timestamptz
  FROM pass, unnest($10::text[], $11::text[], $12::int[], $13::text[], $14::text[], $15::text[], $16::timestamptz[],
    $${CHANGED + PERSON_COLUMNS}::text[]) AS r(id, end_user_id, enrolment, ref, status, variables, send_at, reason)
  WHERE (SELECT count(*) FROM made) >= 0
  ON CONFLICT DO NOTHING RETURNING id
)
SELECT EXISTS (SELECT 1 FROM pass) AS passed,
  CASE WHEN EXISTS (SELECT 1 FROM pass) AND (${peopleLost(MADE, CHANGED)}
    OR (SELECT count(*) FROM enrolled) <> cardinality($10::text[])) THEN parley_lost_race() END AS lost`,
);

async function write(
  client: pg.PoolClient,
  call: PushCall,
  {
    rows,
    made,
    answer,
  }: {
    rows: EndUserRow[];
    made: (NewRecipient & { pushed: PushedRecipient })[];
    answer: { status: number; body: string };
  },
): Promise<boolean> {
  const now = new Date();
  const people = peopleOf(rows);
  const written = await accept(client, PUSH_RECIPIENTS, [
    call.orgId,
    call.campaignId,
    call.keyId,
    call.idempotency?.scope ?? null,
    call.idempotency?.request ?? null,
    answer.status,
    answer.body,
    now,
    [...new Set(rows.map((row) => row.id))],
    made.map((row) => row.id),
    made.map((row) => row.person.id),
    made.map((row) => row.enrolment),
    made.map((row) => row.pushed.ref),
    made.map((row) => row.status),
    made.map((row) => JSON.stringify(row.pushed.variables)),
    made.map((row) => row.pushed.sendAt),
    call.requestId,
    ...personColumns(people.made, () => now),
    ...personColumns(people.changed, (row) => row.updated_at),
    made.map((row) => row.reason),
    call.from,
  ]);
  return written.rows[0]!.passed;
}
