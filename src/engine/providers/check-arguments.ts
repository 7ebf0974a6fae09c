import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Tool } from '../../../contract/agents.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { cpuMs, TooSlow, withinTime } from '../../kernel/within-time.ts';
import { type ToolSchema, validatorFor, withoutDialect } from './tool-schema.ts';

/**
 * Checks the arguments that a model wrote against the schema of the tool. A model may write any arguments, and a person
 * can influence the model, so the receiver must be able to rely on its schema. Compiling and checking count against the
 * processor time of the turn, because a schema may be designed to run for ever.
 */
export type Allowance = { ms: number };

const MAX_VIOLATIONS = 20;
const MAX_VIOLATION_CHARACTERS = 300;

/** A sentence for the model, and for an author who tries the tool. */
export const notFitting = (violations: readonly string[]): string =>
  `The tool was not called: the arguments do not fit its schema. ${violations.join('; ')}`;

/** Lists the violations of the schema by the arguments. Empty: the arguments fit. */
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

/** The key is the object of the definition, which a node caches while the agent is unchanged. */
const validators = new WeakMap<object, ValidateFunction>();

function compiled(parameters: ToolSchema): ValidateFunction {
  const known = validators.get(parameters);
  if (known) return known;
  const validate = validatorFor(parameters).compile(closed(withoutDialect(parameters)));
  if ('$async' in validate) throw new TypeError('An asynchronous schema always passes.');
  validators.set(parameters, validate);
  return validate;
}

/** Keywords that may declare arguments outside of `properties`. */
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

/** An undeclared argument is a violation, unless the schema allows or refuses such arguments itself. */
const closed = (schema: ToolSchema): ToolSchema =>
  isRecord(schema['properties']) && !DECLARES.some((keyword) => Object.hasOwn(schema, keyword))
    ? { ...schema, additionalProperties: false }
    : schema;

const firstOf = (pointer: string): string => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');

/** The text contains names of members and values of the schema, but no value that the model wrote. */
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
