import { Ajv, type ValidateFunction } from 'ajv';
import { Type, type TSchema } from 'typebox';
import { Refusal } from '../../../contract/problems.ts';
import { faultsOf } from './faults.ts';
import { FORMATS } from './formats.ts';

/**
 * The check throws 422 with one fault for each mistake. The validation never changes the value, so it has no coercion
 * and no defaults and removes nothing.
 */
export type Check = (value: unknown) => void;

export const EmptyObject = Type.Object({}, { additionalProperties: false });

/**
 * The check is row 14 of the order of checks (docs/security.md). A valid body needs one check, which stops at the first
 * fault. The first body compiles the check, because a node receives requests for only a few of its routes. Only an
 * invalid body is checked again for all its faults, by a second function that the first invalid body compiles. The
 * second function does not stop at a list that is too long, so it receives only the first entries of each list. The
 * fault from the quick check is reported in any case. Routes with the same schema share one check.
 */
export function compileBody(schema: TSchema): Check {
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = createCheck(schema)));
  return check;
}

const checks = new WeakMap<TSchema, Check>();

function createCheck(schema: TSchema): Check {
  let wire: Record<string, unknown> | null = null;
  let isValid: ValidateFunction | null = null;
  let explain: ValidateFunction | null = null;
  return (value) => {
    wire ??= wireSchema(schema);
    isValid ??= quick.compile(wire);
    if (isValid(value)) return;
    const first = isValid.errors ?? [];
    explain ??= thorough.compile(wire);
    explain(withFewerEntries(value));
    const errors = faultsOf([...(explain.errors ?? []), ...first]);
    throw new Refusal('validation_failed', undefined, { errors });
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
const quick = withFormats(new Ajv({ ...OPTIONS, allErrors: false, verbose: true }));
const thorough = withFormats(new Ajv({ ...OPTIONS, allErrors: true, verbose: true }));

/**
 * At most this many list entries are examined for faults, over all lists of a body. At most fifty faults are reported.
 */
const MAX_EXPLAINED_ENTRIES = 500;

function withFewerEntries(value: unknown, left = { entries: MAX_EXPLAINED_ENTRIES }): unknown {
  if (Array.isArray(value)) {
    const remaining: unknown[] = [];
    for (const entry of value) {
      if (left.entries-- <= 0) break;
      remaining.push(withFewerEntries(entry, left));
    }
    // If a list were emptied, it could cause a fault that the body does not have.
    return remaining.length > 0 ? remaining : value.slice(0, 1);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFewerEntries(member, left)]));
}

function withFormats(ajv: Ajv): Ajv {
  for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: test });
  return ajv;
}

/**
 * Converts a schema to the form for validation and for the reference. TypeBox writes a record as a pattern of its keys,
 * and JSON Schema does not check a value whose key matches no pattern. TypeBox writes "any key" as the pattern `^.*$`,
 * in which the dot excludes line breaks.
 */
export function wireSchema(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const { patternProperties: patterns, ...rest } = (value ?? {}) as { patternProperties?: Record<string, unknown> };
    if (!patterns || typeof patterns !== 'object') return value;
    if ('^.*$' in patterns) return { ...rest, additionalProperties: patterns['^.*$'] };
    return { additionalProperties: false, ...rest, patternProperties: patterns };
  }) as Record<string, unknown>;
}
