import type { AgentDefinition, Step } from '../../../contract/agents.ts';
import { MAX_RESULT_TEXT, type ResultField, type ResultValue } from '../../../contract/results.ts';
import { FORMATS } from '../../kernel/validation/formats.ts';

/** The result fields of an agent, which are its declared fields, or else one field for each of its steps. */
export const resultFieldsOf = ({ result, steps }: AgentDefinition): readonly ResultField[] =>
  result?.fields ?? (steps?.items ?? []).map(fieldOfStep);

const fieldOfStep = ({ name, type, optional, choices }: Step): ResultField => ({
  name,
  type,
  required: optional !== true,
  ...(choices && { choices: choices.map(({ id }) => id) }),
});

/**
 * True if a value fits the field, so that it may be stored. A person, a model or a backend wrote the value, so it is
 * not trusted. A value that does not fit its field is omitted.
 */
export function fitsField({ type, choices = [] }: ResultField, value: unknown): value is ResultValue {
  if (type === 'yes_no') return typeof value === 'boolean';
  if (type === 'number') return Number.isFinite(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (typeof value !== 'string' || value === '' || value.length > MAX_RESULT_TEXT) return false;
  // The database stores neither a NUL nor half of a surrogate pair, and a model may write both.
  if (value.includes('\0') || !value.isWellFormed()) return false;
  if (type === 'choice') return choices.includes(value);
  return type === 'text' || FORMATS[type]!.test(value);
}
