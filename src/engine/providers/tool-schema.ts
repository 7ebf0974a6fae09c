import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isDeeperThan } from '../../kernel/nesting.ts';

/**
 * The JSON Schemas of tools. Members and MCP servers write the schemas of tools, so each limit in this file is a
 * protection.
 */
export type ToolSchema = Record<string, unknown>;

/** A model reads the whole schema in every turn. */
export const MAX_SCHEMA_CHARACTERS = 16_000;
/** A schema with more levels is designed to exhaust the stack. */
export const MAX_SCHEMA_DEPTH = 24;

/**
 * Returns the reason why a schema cannot be used, or null. The check compares the schema with its meta-schema and does
 * not compile it, so the check is cheap.
 */
export function schemaFault(schema: ToolSchema): string | null {
  if (isDeeperThan(MAX_SCHEMA_DEPTH, schema)) return `It has more than ${MAX_SCHEMA_DEPTH} levels.`;
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) {
    return `It has more than ${MAX_SCHEMA_CHARACTERS.toLocaleString('en')} characters.`;
  }
  if (schema['$async'] !== undefined) return 'It uses "$async", which is not part of JSON Schema.';
  const ajv = metaOf(schema);
  if (ajv.validateSchema(withoutDialect(schema)) === true) {
    const faulty = patternsOf(schema).find((pattern) => !isExpression(pattern));
    return faulty === undefined ? null : `It has a pattern that is not a regular expression: ${faulty.slice(0, 100)}`;
  }
  const [{ instancePath, message } = { instancePath: '', message: 'is not valid' }] = ajv.errors ?? [];
  return `It is not a valid JSON Schema: ${instancePath || 'the schema'} ${message}.`;
}

/**
 * Creates a validator for one schema. Each call creates a new instance, because the `$id` of one schema must not affect
 * another schema.
 */
export const validatorFor = (schema: ToolSchema): Ajv =>
  new (dialectOf(schema))({ ...OPTIONS, meta: false, validateSchema: false, allErrors: true });

/** MCP and the model providers use draft 2020-12. A schema that names an older draft is read as draft-07. */
const dialectOf = ({ $schema }: ToolSchema): typeof Ajv | typeof Ajv2020 =>
  typeof $schema === 'string' && /draft-0[3-7]/.test($schema) ? Ajv : Ajv2020;

export const withoutDialect = ({ $schema: _dialect, ...schema }: ToolSchema): ToolSchema => schema;

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // In JSON Schema, formats are annotations.
  validateFormats: false,
  code: { regExp: Object.assign((pattern: string) => expressionOf(pattern), { code: 'expressionOf' }) },
};

/** Many schemas have patterns that are valid only without the flag `u`, such as `[\w-.]`. */
function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/** The values of the listed keywords are values of arguments, not schemas. */
const VALUES = new Set(['default', 'const', 'enum', 'examples']);

/** Ajv does not compare the formats of a meta-schema. */
const patternsOf = (value: unknown): string[] =>
  Object.entries(Object(value)).flatMap(([keyword, part]: [string, unknown]): string[] => {
    if (VALUES.has(keyword) || (typeof part !== 'object' && keyword !== 'pattern')) return [];
    if (typeof part === 'string') return [part];
    return [...(keyword === 'patternProperties' ? Object.keys(Object(part)) : []), ...patternsOf(part)];
  });

const isExpression = (pattern: string): boolean => {
  try {
    return expressionOf(pattern) !== null;
  } catch {
    return false;
  }
};

const metas = new Map<typeof Ajv | typeof Ajv2020, Ajv>();

function metaOf(schema: ToolSchema): Ajv {
  const Dialect = dialectOf(schema);
  const known = metas.get(Dialect);
  if (known) return known;
  const made = new Dialect(OPTIONS);
  metas.set(Dialect, made);
  return made;
}
