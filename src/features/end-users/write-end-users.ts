import {
  type BulkResult,
  type CreateEndUser,
  type EndUser,
  type UpdateEndUser,
  type UpsertEndUser,
} from '../../../contract/end-users.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { EndUserFields } from '../../store/end-users/end-user-fields.ts';
import {
  type EndUserQueue,
  faultsOf,
  type PersonOutcome,
  planEndUsers,
  type UpsertCall,
} from '../../store/end-users/upsert.ts';
import type { EndUsersDeps, Writer } from './deps.ts';
import { presentWritten } from './present-end-user.ts';

export type WrittenAnswer = { status: number; body: string; replayed: boolean };

type Deps = Pick<EndUsersDeps, 'endUserQueue' | 'guard'>;

/** Creates or changes the person with the caller's own ID. A repeated call has no second effect. */
export async function upsertEndUser(
  { endUserQueue }: Deps,
  caller: Writer,
  externalId: string,
  fields: UpsertEndUser,
): Promise<{ created: boolean; endUser: EndUser }> {
  const endUser = await writeOne(endUserQueue, caller, { ...(fields as EndUserFields), external_id: externalId });
  return { created: endUser.kind === 'created', endUser: presentWritten(endUser.row, endUser.written) };
}

export async function updateEndUser(
  { endUserQueue }: Deps,
  caller: Writer,
  id: string,
  fields: UpdateEndUser,
): Promise<EndUser> {
  const endUser = await writeOne(endUserQueue, caller, { ...(fields as EndUserFields), id });
  return presentWritten(endUser.row, endUser.written);
}

/**
 * Creates a person, and never changes one. The call is refused if another person has an identifier, and the refusal
 * names this person.
 */
export function createEndUser(
  { endUserQueue, guard }: Deps,
  caller: Writer,
  fields: CreateEndUser,
): Promise<WrittenAnswer> {
  return answered({ endUserQueue, guard }, caller, {
    mode: 'create',
    people: [fields],
    answer: ([endUser]) => ({
      status: 201,
      body: JSON.stringify(endUser!.kind === 'refused' ? null : presentWritten(endUser!.row, null)),
    }),
  });
}

/** One row of a bulk call, with its content or its faults. */
export type BulkRow = { person: CreateEndUser & { from_file?: true } } | { errors: Fault[] };

/** Creates or changes the person of every valid row. The results have the same order as the rows. */
export function bulkUpsert(
  { endUserQueue, guard }: Deps,
  caller: Writer,
  rows: readonly BulkRow[],
): Promise<WrittenAnswer> {
  const checked = rows.map(named);
  return answered({ endUserQueue, guard }, caller, {
    mode: 'bulk',
    people: peopleOf(checked),
    answer: (outcomes) => ({ status: 200, body: JSON.stringify({ results: resultsOf(checked, outcomes) }) }),
  });
}

/** Returns the response of `bulkUpsert` without writing. */
export async function bulkDryRun(
  { db, suppression }: Pick<EndUsersDeps, 'db' | 'suppression'>,
  orgId: string,
  rows: readonly BulkRow[],
): Promise<BulkResult[]> {
  const checked = rows.map(named);
  const outcomes = await planEndUsers(db, orgId, peopleOf(checked), suppression);
  return resultsOf(checked, outcomes);
}

const named = (row: BulkRow): BulkRow => ('person' in row && !hasIdentifier(row.person) ? { errors: [NAMELESS] } : row);

const peopleOf = (rows: readonly BulkRow[]): EndUserFields[] =>
  rows.flatMap((row) => ('person' in row ? [row.person as EndUserFields] : []));

function resultsOf(rows: readonly BulkRow[], outcomes: readonly PersonOutcome[]): BulkResult[] {
  let next = 0;
  return rows.map((row, index) =>
    'errors' in row ? { index, status: 'invalid', id: null, errors: row.errors } : resultOf(index, outcomes[next++]!),
  );
}

const NAMELESS: Fault = {
  pointer: '',
  code: 'required',
  detail: 'Name the person by external_id, email or phone: without one, the next import would create a duplicate.',
};

const hasIdentifier = (fields: CreateEndUser): boolean =>
  [fields.external_id, fields.email, fields.phone].some((value) => value !== undefined && value !== null);

const resultOf = (index: number, outcome: PersonOutcome): BulkResult =>
  outcome.kind === 'refused'
    ? { index, status: 'invalid', id: null, errors: faultsOf(outcome.refusal, '') }
    : { index, status: outcome.kind, id: outcome.row.id, errors: [] };

async function writeOne(queue: EndUserQueue, { orgId, keyId, from }: Writer, fields: EndUserFields) {
  const call = { orgId, keyId, from, mode: 'upsert' as const, people: [fields], idempotency: null };
  const outcome = await queue.upsert(call).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'validation_failed' ? asBody(error) : error;
  });
  const endUser = outcome.kind === 'written' ? outcome.people[0]! : null;
  if (endUser === null || endUser.kind === 'refused') throw new Error('a single upsert is written or throws');
  return endUser;
}

/** Converts a fault of the person for a request that contains only the person. */
function asBody(refusal: Refusal): Refusal {
  const errors = faultsOf(refusal, '');
  if (errors.some(({ pointer }) => pointer === '/id')) return new Refusal('end_user_not_found');
  return new Refusal('validation_failed', undefined, { errors });
}

function answered(
  { endUserQueue, guard }: Deps,
  { idempotency = null, ...caller }: Writer,
  call: Pick<UpsertCall, 'mode' | 'people' | 'answer'>,
): Promise<WrittenAnswer> {
  return guard({ orgId: caller.orgId, idempotency }, async () => {
    const outcome = await endUserQueue.upsert({ ...caller, idempotency, ...call });
    return { ...outcome.answer!, replayed: outcome.kind === 'replayed' };
  });
}
