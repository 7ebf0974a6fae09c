import type { OpenApiDocument } from './openapi.ts';

export type Schema = { readonly [keyword: string]: unknown };
export type Field = {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
};

/** Deeper than any of our schemas; a limit in case schemas refer to themselves one day. */
const MAX_DEPTH = 6;

/** The members of an object, including those of nested objects and lists: `end_user.phone`, `results[].status`. */
export function fieldsOf(schema: Schema, document: OpenApiDocument, prefix = '', depth = 0): Field[] {
  const {
    properties,
    required = [],
    anyOf,
  } = resolve(schema, document) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
    anyOf?: readonly Schema[];
  };
  if (depth > MAX_DEPTH) return [];
  if (anyOf)
    return joined(
      anyOf.map((each) => ({ kind: kindOf(each, document), fields: fieldsOf(each, document, prefix, depth + 1) })),
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

type Alternative = { kind: string | null; fields: readonly Field[] };

/**
 * Members of alternatives, each once, with all its types; if `type` distinguishes the alternatives, also with those
 * that have it.
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
    const kinds = having.map(({ kind }) => kind);
    const only = !isEverywhere && !kinds.includes(null) ? `With type ${kinds.join(', ')}.` : '';
    const says = having.find(({ field }) => field.description !== '')?.field.description ?? '';
    return {
      name,
      type: [...new Set(having.map(({ field }) => field.type))].join(' | '),
      required: having.every(({ field }) => field.required) && (isEverywhere || only !== ''),
      description: [only, says].filter(Boolean).join(' '),
    };
  });
}

/** What distinguishes an alternative from the others: the only value of its `type`. */
function kindOf(schema: Schema, document: OpenApiDocument): string | null {
  const { properties } = resolve(schema, document) as { properties?: Record<string, Schema> };
  const value = properties?.['type']?.const;
  return typeof value === 'string' ? value : null;
}

/** Its own description, or that of its non-null alternative. */
function descriptionOf(schema: Schema): string {
  if (typeof schema.description === 'string') return schema.description;
  const inner = Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [];
  return inner.map((each) => each.description).find((each) => typeof each === 'string') ?? '';
}

function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;
  return name === null ? schema : ((document.components.schemas[name] ?? {}) as Schema);
}

/** A schema in a few words: `string (email)`, `integer 1–100`, `continue | new | reject`. */
export function typeSays(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (Array.isArray(schema.anyOf)) return [...new Set((schema.anyOf as Schema[]).map(typeSays))].join(' | ');
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
