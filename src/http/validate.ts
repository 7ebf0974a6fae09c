import { Ajv, type ValidateFunction } from 'ajv';
import { Type, type TSchema } from 'typebox';
import { Refusal } from '../../contract/problems.ts';
import { faultsOf } from './faults.ts';
import { FORMATS } from './formats.ts';

/** Throws 422 with a fault for each mistake. Never changes the value: no coercion, no defaults, nothing removed. */
export type Check = (value: unknown) => void;

export const EmptyObject = Type.Object({}, { additionalProperties: false });

/**
 * Row 14 of the order of checks. Good bodies pay for one check that stops at the first fault; only a bad one is looked at
 * again for all its faults, by a second function that is made when the first bad body comes.
 */
export function compileBody(schema: TSchema): Check {
  const wire = wireSchema(schema);
  const isValid = quick.compile(wire);
  let explain: ValidateFunction | null = null;
  return (value) => {
    if (isValid(value)) return;
    explain ??= thorough.compile(wire);
    explain(value);
    const errors = faultsOf(explain.errors ?? []);
    const count = errors.length === 1 ? 'One fault' : `${errors.length} faults`;
    throw new Refusal('validation_failed', `${count} in the request; "errors" names each.`, { errors });
  };
}

const OPTIONS = {
  strict: true,
  strictTypes: false,
  removeAdditional: false,
  coerceTypes: false,
  useDefaults: false,
  validateFormats: true,
} as const;
const quick = withFormats(new Ajv({ ...OPTIONS, allErrors: false }));
const thorough = withFormats(new Ajv({ ...OPTIONS, allErrors: true, verbose: true }));

function withFormats(ajv: Ajv): Ajv {
  for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: test });
  return ajv;
}

/**
 * The schema as it validates and as it is published. TypeBox writes "any key" as the pattern `^.*$`, in which the dot
 * leaves out line breaks: a value under such a key would be checked by nothing.
 */
export function wireSchema(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const patterns = (value as { patternProperties?: Record<string, unknown> } | null)?.patternProperties;
    if (!patterns || typeof patterns !== 'object' || !('^.*$' in patterns)) return value;
    const { patternProperties: _any, ...rest } = value as Record<string, unknown>;
    return { ...rest, additionalProperties: patterns['^.*$'] };
  }) as Record<string, unknown>;
}
