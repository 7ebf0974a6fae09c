import type { ErrorObject } from 'ajv';
import type { Fault } from '../../../contract/problems.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { FORMATS } from './formats.ts';

/** More faults help no one, and a hostile body could cause a hundred thousand faults. */
export const MAX_FAULTS = 50;
/** At most this many errors are examined, because the filter of alternatives compares errors with each other. */
const MAX_ERRORS = 1_000;
export const MAX_POINTER_CHARACTERS = 300;

/**
 * Converts Ajv's errors to readable faults, one for each mistake, in the order of the body, without repeating a value.
 */
export function faultsOf(errors: readonly ErrorObject[]): Fault[] {
  const faults = new Map<string, Fault>();
  for (const error of withoutAlternatives(errors.slice(0, MAX_ERRORS))) {
    const fault = faultOf(error);
    const key = `${fault.pointer} ${fault.code}`;
    if (!faults.has(key)) faults.set(key, fault);
    if (faults.size === MAX_FAULTS) break;
  }
  return [...faults.values()];
}

type Schema = Record<string, unknown>;

/**
 * A value that matches none of several alternatives fails all of them, with errors for each. The function reports only
 * the errors of the intended alternative. If the intended alternative is unclear, it reports a single error for the
 * whole value.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  let remaining = [...errors];
  // The outermost union comes first, because it decides which inner unions matter.
  const unions = errors
    .filter((error) => error.keyword === 'anyOf')
    .sort((a, b) => a.schemaPath.length - b.schemaPath.length);
  for (const union of unions) {
    if (!remaining.includes(union)) continue;
    const under = `${union.schemaPath}/`;
    const isInside = (error: ErrorObject): boolean =>
      error.schemaPath.startsWith(under) &&
      (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`));
    const meant = alternativeMeant(union);
    remaining = remaining.filter((error) =>
      meant === null
        ? !isInside(error)
        : error !== union && (!isInside(error) || error.schemaPath.startsWith(`${under}${meant}/`)),
    );
  }
  return remaining;
}

/**
 * Returns the index of the intended alternative, which has the same literal member or is the only alternative of its
 * JSON type.
 */
function alternativeMeant(union: ErrorObject): number | null {
  const alternatives = union.schema as Schema[];
  const tag = tagOf(alternatives);
  const value: unknown = union.data;
  if (tag !== null) {
    const given = isRecord(value) ? value[tag] : undefined;
    const index = alternatives.findIndex((each) => literalOf(each, tag) === given);
    return index === -1 ? null : index;
  }
  const sameType = alternatives.flatMap((each, index) =>
    'const' in each || each.type !== typeOf(value) ? [] : [index],
  );
  return sameType.length === 1 ? sameType[0]! : null;
}

/** Returns the member whose literal distinguishes the alternatives, such as `type` of a message's content. */
export function tagOf(alternatives: readonly Schema[]): string | null {
  const names = Object.keys((alternatives[0]?.properties as Schema | undefined) ?? {});
  return names.find((name) => alternatives.every((each) => literalOf(each, name) !== undefined)) ?? null;
}

const literalOf = (schema: Schema, name: string): unknown =>
  (schema.properties as Record<string, Schema> | undefined)?.[name]?.const;

function faultOf(error: ErrorObject): Fault {
  const { params, keyword, instancePath } = error;
  const at = (child: string | null, code: string, detail: string): Fault => ({
    pointer: (child === null ? instancePath : `${instancePath}/${escapePointer(child)}`).slice(
      0,
      MAX_POINTER_CHARACTERS,
    ),
    code,
    detail,
  });
  const limit = (params.limit as number | undefined)?.toLocaleString('en') ?? '';
  switch (keyword) {
    case 'required':
      return at(params.missingProperty as string, 'required', 'This field is required.');
    case 'additionalProperties':
      return at(params.additionalProperty as string, 'unknown_field', 'This field is not allowed here.');
    case 'propertyNames':
      return at(params.propertyName as string, 'name_invalid', 'The name of this field is not allowed here.');
    case 'type':
      return at(null, 'type', `Must be ${article(String(params.type))}.`);
    case 'format':
      return at(
        null,
        'format',
        FORMATS[params.format as string]?.says ?? `Must be in the format ${String(params.format)}.`,
      );
    case 'pattern':
      return at(null, 'format', patternSays(error));
    case 'maxLength':
      return at(null, 'too_long', `Must have at most ${limit} characters.`);
    case 'minLength':
      return at(
        null,
        'too_short',
        params.limit === 1 ? 'Must not be empty.' : `Must have at least ${limit} characters.`,
      );
    case 'maxItems':
    case 'maxProperties':
      return at(null, 'too_many', `Must have at most ${limit} entries.`);
    case 'minItems':
    case 'minProperties':
      return at(null, 'too_few', params.limit === 1 ? 'Must not be empty.' : `Must have at least ${limit} entries.`);
    case 'uniqueItems':
      return at(null, 'duplicate', 'Must not contain the same entry twice.');
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return at(null, 'out_of_range', `Must be ${COMPARISONS[params.comparison as string] ?? 'within'} ${limit}.`);
    case 'const':
      return at(null, 'not_allowed', `Must be ${JSON.stringify(params.allowedValue)}.`);
    case 'enum':
      return at(null, 'not_allowed', oneOf(params.allowedValues as unknown[]));
    case 'anyOf':
      return unionFault(error, at);
    default:
      return at(null, 'invalid', 'This value is not allowed here.');
  }
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '<=': 'at most',
  '>=': 'at least',
  '<': 'less than',
  '>': 'more than',
};

function unionFault(error: ErrorObject, at: (child: string | null, code: string, detail: string) => Fault): Fault {
  const alternatives = error.schema as Schema[];
  if (alternatives.every((each) => 'const' in each))
    return at(null, 'not_allowed', oneOf(alternatives.map((each) => each.const)));
  const tag = tagOf(alternatives);
  if (tag !== null && isRecord(error.data)) {
    if (!Object.hasOwn(error.data, tag)) return at(tag, 'required', 'This field is required.');
    return at(tag, 'not_allowed', oneOf(alternatives.map((each) => literalOf(each, tag))));
  }
  const types = [...new Set(alternatives.map((each) => each.type).filter((type) => typeof type === 'string'))];
  if (types.length === 0) return at(null, 'invalid', 'This value is not allowed here.');
  return at(null, 'type', `Must be ${types.map(article).join(' or ')}.`);
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `Must be ${String(values[0])}.` : `Must be one of: ${values.map(String).join(', ')}.`;

function patternSays({ parentSchema, schema }: ErrorObject): string {
  const id = /^\^([a-z]+)_\[0-7\]/.exec(String(schema));
  if (id) return `Must be an id that starts with ${id[1]}_.`;
  const description = parentSchema?.description;
  return typeof description === 'string' ? `Does not match the format: ${description}` : 'Does not match the format.';
}

const article = (type: string): string => (type === 'null' ? 'null' : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`);
const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
