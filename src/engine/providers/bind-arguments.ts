import type { Tool } from '../../../contract/agents.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { lookUp, type Variables } from '../templates.ts';

/** Converts `{{end_user.external_id}}` to `end_user.external_id`. */
const nameIn = (expression: string): string => expression.replace(/^\{\{\s*|\s*\}\}$/g, '');

/** Returns the schema without bound arguments, so that the model does not see these arguments. */
export function schemaForModel({ parameters, bound = {} }: Tool): Tool['parameters'] {
  if (Object.keys(bound).length === 0) return parameters;
  const { properties, required } = parameters;
  return {
    ...parameters,
    ...(isRecord(properties) && { properties: without(properties, bound) }),
    ...(Array.isArray(required) && { required: required.filter((name) => !Object.hasOwn(bound, String(name))) }),
  };
}

/**
 * Returns the model's arguments, in which bound arguments replace the model's own values. `missing`: the bound
 * arguments without a value in this conversation.
 */
export function bindArguments(
  { bound = {} }: Tool,
  given: unknown,
  variables: Variables,
): { arguments: Record<string, unknown>; missing: string[] } {
  const values = Object.entries(bound).map(
    ([name, expression]) => [name, lookUp(nameIn(expression), variables)] as const,
  );
  return {
    arguments: { ...(isRecord(given) && given), ...Object.fromEntries(values) },
    missing: values.filter(([, value]) => value === undefined || value === null || value === '').map(([name]) => name),
  };
}

/** Returns the arguments of a call that the model may read. */
export const withoutBound = (args: Record<string, unknown>, { bound = {} }: Tool): Record<string, unknown> =>
  without(args, bound);

/** A sentence for the model, and for the author who tries the tool. */
export const noValueFor = (names: readonly string[]): string =>
  `The tool was not called: this conversation has no value for ${names.join(', ')}.`;

const without = (record: Record<string, unknown>, names: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !Object.hasOwn(names, name)));
