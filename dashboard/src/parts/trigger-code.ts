import { type CodeSample, samplesOf } from '../../../contract/code-samples.ts';
import type { TriggerRecord } from '../../../contract/dashboard/triggers.ts';
import type { VariableDeclaration } from '../../../contract/triggers.ts';

/** Returns a body that this trigger accepts, with a person and a value for each declared variable. */
export function exampleBody(variables: readonly VariableDeclaration[]): Record<string, unknown> {
  return {
    end_user: { external_id: 'crm-42', name: 'Asha' },
    ...(variables.length > 0 && {
      variables: Object.fromEntries(variables.map((one) => [one.name, one.default ?? EXAMPLES[one.type](one.name)])),
    }),
  };
}

const EXAMPLES: Record<VariableDeclaration['type'], (name: string) => unknown> = {
  string: (name) => (/order|id$/i.test(name) ? 'A-1043' : 'text'),
  number: () => 12.5,
  integer: () => 3,
  boolean: () => true,
  date: () => '2026-12-01',
  object: () => ({}),
  array: () => [],
};

export const codeOfTrigger = ({ path, variables }: TriggerRecord, baseUrl: string): CodeSample[] =>
  samplesOf({ method: 'POST', path, body: exampleBody(variables), idempotent: true }, baseUrl);
