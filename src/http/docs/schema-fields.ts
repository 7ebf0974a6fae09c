import type { OpenApiDocument } from '../openapi.ts';

export type Schema = { readonly [keyword: string]: unknown };
export type Field = {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
};

/** Deeper than any schema of ours; a bound, because schemas may one day refer to themselves. */
const MAX_DEPTH = 6;

/** The members of an object, those of its objects and lists below it: `end_user.phone`, `results[].status`. */
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
  // Alternatives that share members show them once.
  if (anyOf) return unique(anyOf.flatMap((each) => fieldsOf(each, document, prefix, depth + 1)));
  return Object.entries(properties ?? {}).flatMap(([key, child]) => {
    const name = prefix + key;
    const known = resolve(child, document);
    const items = known.items ? resolve(known.items as Schema, document) : null;
    const field = {
      name,
      type: typeSays(known),
      required: required.includes(key),
      description: typeof known.description === 'string' ? known.description : '',
    };
    return [
      field,
      ...(items
        ? fieldsOf(items, document, `${name}[].`, depth + 1)
        : fieldsOf(known, document, `${name}.`, depth + 1)),
    ];
  });
}

const unique = (fields: readonly Field[]): Field[] => [...new Map(fields.map((field) => [field.name, field])).values()];

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
