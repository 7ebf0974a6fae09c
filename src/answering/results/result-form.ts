import type { ResultField, ResultType } from '../../../contract/results.ts';

/**
 * Describes how each type is written in JSON. Not all providers support the formats of JSON Schema, so the description
 * states the format.
 */
const TYPES: Record<ResultType, { type: string; as?: string }> = {
  text: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  yes_no: { type: 'boolean' },
  date: { type: 'string', as: 'A date, as YYYY-MM-DD.' },
  choice: { type: 'string' },
  email: { type: 'string', as: 'An e-mail address.' },
  phone: { type: 'string', as: 'A phone number with its country code, such as +97430000000.' },
};

/**
 * Returns the JSON Schema of the result fields. All members are required, with null for an unknown value, because some
 * providers refuse optional members.
 */
export const formOf = (fields: readonly ResultField[]): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, memberOf(field)])),
  required: fields.map(({ name }) => name),
  additionalProperties: false,
});

function memberOf({ type, description, choices }: ResultField): Record<string, unknown> {
  const { type: json, as } = TYPES[type];
  const meaning = [description, as].filter(Boolean).join(' ');
  return {
    type: [json, 'null'],
    ...(meaning && { description: meaning }),
    ...(choices && { enum: [...choices, null] }),
  };
}
