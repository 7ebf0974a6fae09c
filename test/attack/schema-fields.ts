/**
 * Finds the fields of a JSON Schema by a walk, so new fields are included automatically. An unknown kind of schema ends
 * the walk with an error.
 */
export type Schema = {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  $ref?: string;
};

const KEYWORDS = new Set(
  `type const enum anyOf properties required patternProperties additionalProperties propertyNames items minItems maxItems
  uniqueItems minProperties maxProperties minLength maxLength minimum maximum pattern format $ref title description
  default`.split(/\s+/),
);
const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object', undefined]);

/** A field, identified by the schemas on the path to it. */
export type Field = { name: string; path: ReadonlySet<Schema>; leaf: Schema };

export type Refs = Record<string, Schema>;

export const resolved = (schema: Schema, refs: Refs): Schema => {
  const named = schema.$ref === undefined ? schema : refs[schema.$ref.split('/').at(-1)!];
  if (named === undefined) throw new Error(`Nothing is called ${schema.$ref}.`);
  return named;
};

export const isLiteral = ({ const: value }: Schema): boolean => value !== undefined;

/** Returns the members of a schema, with their places. All literals of a schema count as one field. */
function within({ properties, patternProperties, additionalProperties, items, anyOf }: Schema): [string, Schema][] {
  return [
    ...Object.entries(properties ?? {}).map(([key, value]): [string, Schema] => [`/${key}`, value]),
    ...Object.values(patternProperties ?? {}).map((value): [string, Schema] => ['/*', value]),
    ...(typeof additionalProperties === 'object' ? [['/*', additionalProperties] as [string, Schema]] : []),
    ...(items ? [['/0', items] as [string, Schema]] : []),
    ...(anyOf?.every(isLiteral) ? [] : (anyOf ?? [])).map((value): [string, Schema] => ['', value]),
  ];
}

export function fieldsOf(root: Schema, refs: Refs = {}): Field[] {
  const found: Field[] = [];
  const walk = (given: Schema, name: string, path: readonly Schema[]): void => {
    const schema = resolved(given, refs);
    const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
    if (unknown !== undefined || !TYPES.has(schema.type))
      throw new Error(`${name}: this walk does not know ${unknown ?? schema.type} (test/attack/schema-fields.ts).`);
    if (path.includes(schema) || schema.type === 'null') return;
    const here = [...path, schema];
    const inner = within(schema);
    if (inner.length === 0) found.push({ name: name || '/', path: new Set(here), leaf: schema });
    for (const [step, value] of inner) walk(value, name + step, here);
  };
  walk(root, '', []);
  return found;
}
