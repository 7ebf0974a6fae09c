import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Tool } from '../../../contract/agents.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { cpuMs, TooSlow, withinTime } from '../../kernel/within-time.ts';
import { type ToolSchema, validatorFor, withoutDialect } from './tool-schema.ts';

/**
 * The arguments that a model wrote, against the schema of the tool. A model may write anything, and a person can tell it
 * what to write, so a receiver must be able to rely on its schema. Compiling and checking take from the processor
 * time of the turn: a schema may be made to take for ever.
 */
export type Allowance = { ms: number };

const MAX_VIOLATIONS = 20;
const MAX_VIOLATION_CHARACTERS = 300;

/** The model, and an author who tries the tool, read this. */
export const notFitting = (violations: readonly string[]): string =>
  `The tool was not called: the arguments do not fit its schema. ${violations.join('; ')}`;

/** What the arguments violate; empty: they fit. */
export function violationsOf({ parameters, bound = {} }: Tool, args: unknown, allowance: Allowance): string[] {
  const began = cpuMs();
  try {
    return withinTime(allowance.ms, () => {
      const validate = compiled(parameters);
      if (validate(args)) return [];
      // The model neither sees nor sets bound arguments.
      const own = (validate.errors ?? []).filter(({ instancePath }) => !Object.hasOwn(bound, firstOf(instancePath)));
      return [...new Set(own.map(sentenceOf))].slice(0, MAX_VIOLATIONS);
    });
  } catch (error) {
    return [error instanceof TooSlow ? TOO_SLOW : UNUSABLE];
  } finally {
    allowance.ms -= cpuMs() - began;
  }
}

const TOO_SLOW = 'The schema of the tool takes too long to check.';
const UNUSABLE = 'The schema of the tool cannot be used.';

/** By the object of the definition, which a node keeps while the agent is unchanged. */
const validators = new WeakMap<object, ValidateFunction>();

function compiled(parameters: ToolSchema): ValidateFunction {
  const known = validators.get(parameters);
  if (known) return known;
  const validate = validatorFor(parameters).compile(closed(withoutDialect(parameters)));
  if ('$async' in validate) throw new TypeError('An asynchronous schema always passes.');
  validators.set(parameters, validate);
  return validate;
}

/** These may declare arguments beside `properties`. */
const DECLARES = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'dependencies',
];

/** An argument that the schema does not declare is a violation, unless the schema decides this itself. */
const closed = (schema: ToolSchema): ToolSchema =>
  isRecord(schema['properties']) && !DECLARES.some((keyword) => Object.hasOwn(schema, keyword))
    ? { ...schema, additionalProperties: false }
    : schema;

const firstOf = (pointer: string): string => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');

/** Names of members and values of the schema; never a value that the model wrote. */
function sentenceOf({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): string {
  const more =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
      ? `: ${String(params['additionalProperty'] ?? params['unevaluatedProperty'])}`
      : keyword === 'enum'
        ? `: ${JSON.stringify(params['allowedValues'])}`
        : keyword === 'const'
          ? `: ${JSON.stringify(params['allowedValue'])}`
          : '';
  return `${instancePath || 'the arguments'} ${message}${more}`.slice(0, MAX_VIOLATION_CHARACTERS);
}
