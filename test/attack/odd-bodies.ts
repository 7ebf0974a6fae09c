import type { Random } from '../faults/random.ts';
import { heaviestBody } from './heaviest-body.ts';
import { oddFiller, oddText } from './odd-texts.ts';
import type { Operation } from './operations.ts';
import { type Field, fieldsOf, type Refs, type Schema } from './schema-fields.ts';

/** Creates random bodies that are valid, nearly valid, or not JSON. */
export type Surroundings = { refs: Refs; ids: Record<string, string>; address: string };

const fields = new WeakMap<Schema, Field[]>();

/** The body has several fields, each with a random allowed value. */
export function validBody(operation: Operation, base: unknown, random: Random, around: Surroundings): unknown {
  const schema = operation.body!;
  const all = fields.get(schema) ?? fieldsOf(schema, around.refs);
  fields.set(schema, all);
  const chosen = random.shuffle(all).slice(0, random.between(1, 6));
  const path = new Set(chosen.flatMap((field) => [...field.path]));
  const isLarge = random.chance(0.1);
  return heaviestBody(schema, base, {
    ...around,
    field: { name: '', path, leaf: schema },
    filler: oddFiller(random),
    bytes: isLarge ? operation.maxBytes * 0.9 : 20_000,
    keys: isLarge ? operation.maxKeys - 50 : 200,
    scale: isLarge ? 1 : random.pick([1 / 4, 1 / 16, 1 / 64]),
  });
}

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  2 ** 53,
  -1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'true',
  [],
  [[]],
  {},
  { $ref: '#' },
  { toString: 1 },
  { constructor: { prototype: {} } },
];

/** Returns the given body with one random fault. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15))
    return random.chance(0.3) ? oddText(random, 2_000) : random.pick(JUNK);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...value, ...value, random.pick(JUNK)];
    const place = random.between(0, value.length - 1);
    return value.with(place, mutated(value[place], random));
  }
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.2)) return { ...value, [oddText(random, 40)]: random.pick(JUNK) };
  const name = random.pick(names);
  if (random.chance(0.2)) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  return { ...value, [name]: mutated((value as Record<string, unknown>)[name], random) };
}

/** The text is JSON that JSON.stringify would not write. */
export function brokenJson(text: string, random: Random): Buffer {
  const broken = [
    () => text.replace('{', '{"__proto__":{"a":1},'),
    () => text.replace('{', '{"name":"x","name":"y",'),
    () => text.replace(/:[^,}]*/, ':1e999'),
    () => text.replace(/"[^"]*"/, '"\\u0000\\ud800"'),
    () => text.slice(0, random.between(0, text.length)),
    () => `\ufeff${text}`,
    () => text + text,
    () => '['.repeat(random.between(1, 100_000)),
    () => '{"a":'.repeat(random.between(1, 20_000)),
    () => `[${'0,'.repeat(random.between(1, 130_000))}0]`,
    () => `{${Array.from({ length: 3_000 }, (_, at) => `"k${at}":0`).join(',')}}`,
    () => `"${'\\'.repeat(random.between(1, 100_000))}`,
    () => '',
  ];
  const bytes = Buffer.from(random.pick(broken)());
  if (random.chance(0.2) && bytes.length > 0) bytes[random.between(0, bytes.length - 1)] = 0xff;
  return bytes;
}
