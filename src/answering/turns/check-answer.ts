import { hash } from 'node:crypto';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { ResultField } from '../../../contract/results.ts';
import { TurnAnswer } from '../../../contract/turns.ts';
import { compileBody } from '../../kernel/validation/validate.ts';
import { fitsField } from '../results/result-fields.ts';
import { escapePointer } from '../../kernel/validation/faults.ts';

type AskedField = Pick<ResultField, 'name' | 'type' | 'choices'>;

const checkShape = compileBody(TurnAnswer);

/**
 * The function throws `validation_failed` with the place of each fault. Null means that a result field has no value.
 */
export function checkAnswer(answer: unknown, fields: readonly AskedField[]): asserts answer is TurnAnswer {
  checkShape(answer);
  const errors = faultsOfResult((answer as TurnAnswer).result ?? {}, fields);
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

function faultsOfResult(result: Readonly<Record<string, unknown>>, fields: readonly AskedField[]): Fault[] {
  return Object.entries(result).flatMap(([name, value]): Fault[] => {
    const pointer = `/result/${escapePointer(name)}`;
    const field = fields.find((one) => one.name === name);
    if (!field) return [{ pointer, code: 'unknown_field', detail: 'The agent has no result field of this name.' }];
    if (value === null || fitsField(field, value)) return [];
    return [{ pointer, code: 'format', detail: `This is not a value of the type "${field.type}".` }];
  });
}

/** Computes a hash that identifies an answer, whatever the order of its members. */
export const printOf = (answer: TurnAnswer): string => hash('sha256', JSON.stringify(sorted(answer)), 'base64url');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}
