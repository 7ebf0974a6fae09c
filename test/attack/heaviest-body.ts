import type { Filler } from './fillers.ts';
import { example, marked, sizeOf, spent, textOf } from './heaviest-text.ts';
import { isLiteral, resolved, type Schema } from './schema-fields.ts';
import type { Making } from './making.ts';

/**
 * Creates a body from a JSON Schema. One field is as large as the schema allows, and so is every list and record that
 * contains it. The other required members of the body are small. The value `base` contains the parts that the schema
 * cannot express, which are members that give a field its meaning.
 */
export function heaviestBody(given: Schema, base: unknown, making: Making): unknown {
  const schema = resolved(given, making.refs);
  if (!making.field.path.has(schema)) return base ?? smallest(schema, making);
  if (schema.anyOf && !schema.anyOf.every(isLiteral))
    return heaviestBody(
      schema.anyOf.find((one) => making.field.path.has(resolved(one, making.refs)))!,
      base,
      making,
    );
  if (schema.type === 'array') return heaviestList(schema, base, making);
  if (schema.type === 'object' || schema.properties) return heaviestRecord(schema, base, making);
  return heaviestLeaf(schema, making);
}

function heaviestLeaf(schema: Schema, making: Making): unknown {
  const { type, enum: values, anyOf, maximum } = schema;
  if (isLiteral(schema)) return schema.const;
  if (values) return values.at(-1);
  if (anyOf) return anyOf.at(-1)!.const;
  if (type === 'string') return textOf(schema, making);
  if (type === 'integer' || type === 'number') return maximum ?? 1e15;
  if (type === 'boolean') return true;
  return { a: making.filler.json?.() ?? spent(making, making.filler.text(10_000)) };
}

function smallest(given: Schema, making: Making): unknown {
  const schema = resolved(given, making.refs);
  const { type, enum: values, anyOf, properties = {}, required = [], minItems = 0, minimum = 1 } = schema;
  if (isLiteral(schema)) return schema.const;
  if (values) return values[0];
  if (anyOf) return smallest(anyOf[0]!, making);
  const light = { ...making, filler: LETTERS, scale: 1 };
  if (type === 'string')
    return textOf(schema.pattern ? schema : { ...schema, maxLength: schema.minLength || 1 }, light);
  if (type === 'integer' || type === 'number') return minimum;
  if (type === 'boolean') return false;
  if (type === 'array') return Array.from({ length: minItems }, () => smallest(schema.items!, making));
  return Object.fromEntries(required.map((name) => [name, smallest(properties[name]!, making)]));
}

const LETTERS: Filler = { name: 'letters', text: (characters) => 'a'.repeat(characters) };

function heaviestList(schema: Schema, base: unknown, making: Making): unknown[] {
  const [example] = Array.isArray(base) ? base : [];
  const { minItems = 1, maxItems = 1_000, items = {} } = schema;
  const most = Math.max(1, minItems, Math.floor(maxItems * making.scale));
  const made: unknown[] = [];
  while (made.length < most && (made.length < minItems || made.length === 0 || hasRoom(making))) {
    const { bytes } = making;
    const item = distinct(heaviestBody(items, example, making), items, made.length);
    made.push(item);
    making.bytes = bytes - sizeOf(item);
    making.keys -= typeof item === 'object' ? JSON.stringify(item).split('":').length : 0;
  }
  return made;
}

const hasRoom = ({ bytes, keys }: Making): boolean => bytes > 1_000 && keys > 20;

/**
 * The entries of one list differ, because names and IDs must be unique and different texts are more expensive than one
 * repeated text.
 */
function distinct(value: unknown, schema: Schema, place: number): unknown {
  if (schema.enum) return schema.enum[place % schema.enum.length];
  if (typeof value === 'number' && schema.maximum !== undefined) return (schema.minimum ?? 0) + place;
  if (typeof value === 'string')
    return schema.pattern ? (example(schema.pattern, place) ?? value) : marked(value, place);
  if (typeof value !== 'object' || value === null) return value;
  const item = value as Record<string, unknown>;
  for (const name of ['id', 'name', 'external_id'])
    if (typeof item[name] === 'string') item[name] = marked(item[name], place);
  return item;
}

function heaviestRecord(schema: Schema, base: unknown, making: Making): Record<string, unknown> {
  const given = typeof base === 'object' && base !== null ? (base as Record<string, unknown>) : {};
  const made: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    const isOnPath = making.field.path.has(resolved(value, making.refs));
    if (isOnPath || (schema.required?.includes(name) && !(name in given)))
      made[name] = heaviestBody(value, given[name], making);
  }
  const [[pattern, value] = []] = Object.entries(schema.patternProperties ?? {});
  const { additionalProperties: more } = schema;
  const members = value ?? (typeof more === 'object' ? more : undefined);
  if (members === undefined || !making.field.path.has(resolved(members, making.refs))) return made;
  const most = Math.max(1, Math.floor((schema.maxProperties ?? 500) * making.scale));
  for (let count = 0; count < most && (count === 0 || hasRoom(making)); count++) {
    making.keys--;
    made[keyOf(schema, pattern, count, making)] = heaviestBody(members, undefined, making);
  }
  return made;
}

const letter = (place: number): string => String.fromCharCode(97 + (Math.floor(place) % 26));

function keyOf({ propertyNames }: Schema, pattern: string | undefined, count: number, making: Making): string {
  if (pattern?.includes('[a-z]{2,3}')) return letter(count) + letter(count / 26) + letter(count / 676);
  const { maxLength = 64 } = propertyNames ?? {};
  return spent(making, marked(making.filler.text(maxLength), count));
}
