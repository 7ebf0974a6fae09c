import type { OpenApiDocument } from './openapi.ts';

export type Schema = { readonly [keyword: string]: unknown };
export type Field = {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
};

/**
 * The limit is deeper than any of our schemas. The limit prevents endless recursion if schemas refer to themselves in
 * the future.
 */
const MAX_DEPTH = 6;

/**
 * Lists the members of an object, with members of nested objects and lists, such as `end_user.phone` and
 * `results[].status`.
 */
export function fieldsOf(schema: Schema, document: OpenApiDocument, prefix = '', depth = 0): Field[] {
  const {
    properties,
    required = [],
    anyOf,
    oneOf = anyOf,
  } = resolve(schema, document) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
    anyOf?: readonly Schema[];
    oneOf?: readonly Schema[];
  };
  if (depth > MAX_DEPTH) return [];
  if (oneOf)
    return joined(
      oneOf.map((each) => ({ kind: kindOf(each, document), fields: fieldsOf(each, document, prefix, depth + 1) })),
    );
  return Object.entries(properties ?? {}).flatMap(([key, child]) => {
    const name = prefix + key;
    const known = resolve(child, document);
    const items = known.items ? resolve(known.items as Schema, document) : null;
    const field = {
      name,
      type: typeSays(known),
      required: required.includes(key),
      description: descriptionOf(known),
    };
    return [
      field,
      ...(items
        ? fieldsOf(items, document, `${name}[].`, depth + 1)
        : fieldsOf(known, document, `${name}.`, depth + 1)),
    ];
  });
}

type Kind = { name: string; value: string };
type Alternative = { kind: Kind | null; fields: readonly Field[] };

/**
 * Lists the members of alternatives, each member once, with all its types. If a literal distinguishes the alternatives,
 * each member also lists the alternatives that have it.
 */
function joined(alternatives: readonly Alternative[]): Field[] {
  const withMembers = alternatives.filter(({ fields }) => fields.length > 0);
  const names = [...new Set(withMembers.flatMap(({ fields }) => fields.map(({ name }) => name)))];
  return names.map((name) => {
    const having = withMembers.flatMap(({ kind, fields }) => {
      const field = fields.find((one) => one.name === name);
      return field ? [{ kind, field }] : [];
    });
    const isEverywhere = having.length === withMembers.length;
    const kinds = having.flatMap(({ kind }) => kind ?? []);
    const isListed = !isEverywhere && kinds.length === having.length;
    const only = isListed ? `With ${kinds[0]!.name} ${kinds.map(({ value }) => value).join(', ')}.` : '';
    const says = having.find(({ field }) => field.description !== '')?.field.description ?? '';
    return {
      name,
      type: [...new Set(having.map(({ field }) => field.type))].join(' | '),
      required: having.every(({ field }) => field.required) && (isEverywhere || only !== ''),
      description: [only, says].filter(Boolean).join(' '),
    };
  });
}

/** Returns the value that distinguishes an alternative, which is the only value of its `type` or `outcome`. */
function kindOf(schema: Schema, document: OpenApiDocument): Kind | null {
  const { properties } = resolve(schema, document) as { properties?: Record<string, Schema> };
  const name = ['type', 'outcome'].find((each) => typeof properties?.[each]?.const === 'string');
  return name === undefined ? null : { name, value: String(properties![name]!.const) };
}

/** The schema's own description, or the description of its non-null alternative. */
function descriptionOf(schema: Schema): string {
  if (typeof schema.description === 'string') return schema.description;
  const alternatives = schema.oneOf ?? schema.anyOf;
  const inner = Array.isArray(alternatives) ? (alternatives as Schema[]) : [];
  return inner.map((each) => each.description).find((each) => typeof each === 'string') ?? '';
}

function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;
  return name === null ? schema : ((document.components.schemas[name] ?? {}) as Schema);
}

/** Describes a schema in a few words, such as `string (email)`, `integer 1–100`, or `continue | new | reject`. */
export function typeSays(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(alternatives)) return [...new Set((alternatives as Schema[]).map(typeSays))].join(' | ');
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  const type = typeof schema.type === 'string' ? schema.type : 'any';
  return `${type}${typeof schema.format === 'string' ? ` (${schema.format})` : ''}${boundsSay(schema)}`;
}

function boundsSay({ minimum, maximum, maxLength, maxItems }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` ${minimum}–${maximum}`;
  if (typeof maxLength === 'number') return `, at most ${maxLength.toLocaleString('en')} characters`;
  if (typeof maxItems === 'number') return `, at most ${maxItems.toLocaleString('en')}`;
  return '';
}
