import type { ResultField, ResultValue, RunResult } from '../../../contract/results.ts';
import { UpsertEndUser } from '../../../contract/end-users.ts';
import { Refusal } from '../../../contract/problems.ts';
import { compileBody } from '../../kernel/validation/validate.ts';
import type { EndUserQueue } from '../../store/end-users/upsert.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { LoadedAgent } from '../load-agent.ts';

type Person = ClaimedRun['end_user'];
type Fields = Partial<Record<string, ResultValue>> & { attributes?: Record<string, ResultValue> };

const checkPerson = compileBody(UpsertEndUser);

/**
 * Stores new values of a result in the record of the person, for fields with `save_to`. The rules of the API apply:
 * each value fits its field, and an address belongs to one person. E-mail and phone only fill an empty field, because a
 * person may write another person's address. The values are stored before the turn, so that a crash between the two
 * writes loses no value.
 */
export async function saveValues(
  queue: Pick<EndUserQueue, 'upsert'>,
  run: ClaimedRun,
  { agent }: Pick<LoadedAgent, 'agent'>,
  result: RunResult | null,
): Promise<void> {
  if (result === null) return;
  const isNew = ({ name }: ResultField): boolean =>
    Object.hasOwn(result.data, name) && result.data[name] !== run.result?.data[name];
  const fields = (agent.definition.result?.fields ?? []).filter(isNew);
  const collected = personOf(fields, result.data, run.end_user);
  if (Object.keys(collected).length === 0) return;
  const write = (person: Fields) =>
    queue.upsert({
      orgId: run.org_id,
      keyId: null,
      from: null,
      mode: 'upsert',
      people: [{ ...person, id: run.end_user.id }],
      idempotency: null,
    });
  try {
    await write(collected);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The refusal means that another person has the address, or that the person was erased. If the address is refused,
    // the other values are stored, if possible.
    const { email: _, phone: __, ...rest } = collected;
    if (Object.keys(rest).length > 0) await write(rest).catch(onlyRefusals);
  }
}

/** Converts the values to fields of a person. Values that the API would refuse are omitted. */
function personOf(fields: readonly ResultField[], data: RunResult['data'], known: Person): Fields {
  const values: Fields = {};
  for (const { name, save_to: saveTo = '' } of fields) {
    const [, field = '', attribute] = saveTo.split('.');
    const value = data[name]!;
    if (attribute !== undefined) values.attributes = { ...values.attributes, [attribute]: value };
    else if (!isFilled(field, known) && fits(field, value)) values[field] = value;
  }
  return values;
}

const isFilled = (field: string, { email, phone }: Person): boolean =>
  field === '' || (field === 'email' && email !== null) || (field === 'phone' && phone !== null);

function fits(field: string, value: ResultValue): boolean {
  try {
    checkPerson({ [field]: value });
    return true;
  } catch {
    return false;
  }
}

function onlyRefusals(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}
