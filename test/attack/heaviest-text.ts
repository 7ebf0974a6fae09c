import type { Making } from './making.ts';
import type { Schema } from './schema-fields.ts';

/** Texts as long as a schema allows, in the form that an attacker would write. */
export const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

export const spent = (making: Making, text: string): string => {
  const fitting = text.isWellFormed() ? text : text.slice(0, -1);
  making.bytes -= sizeOf(fitting);
  return fitting;
};

const FORMATS: Record<string, (making: Making, most: number) => string> = {
  'date-time': () => new Date(Date.now() + 86_400_000).toISOString().replace('Z', '456789+05:45'),
  date: () => '2036-11-21',
  email: () => `${'a'.repeat(64)}@${'b.'.repeat(60)}example`,
  phone: () => '+97430000000',
  locale: () => 'ar-Arab-QA',
  'time-zone': () => 'America/Argentina/ComodRivadavia',
  uri: ({ address }, most) => address.padEnd(Math.min(most, 2_048), 'x'),
};

/** The prefix of an ID in the pattern of its schema. */
const ID = /^\^([a-z]+)_\[/;
const MAX_UNBOUNDED = 32_000;

export function textOf({ pattern, format, maxLength = MAX_UNBOUNDED, minLength = 0 }: Schema, making: Making): string {
  const prefix = ID.exec(pattern ?? '')?.[1];
  if (prefix !== undefined) return making.ids[prefix] ?? `${prefix}_01k8v3m9e5f7rsm6z4n0q2x1ab`;
  if (format !== undefined && format !== 'line') {
    const make = FORMATS[format];
    if (make === undefined) throw new Error(`No text of the format ${format} is known (test/attack/heaviest-text.ts).`);
    return make(making, maxLength);
  }
  const room = Math.max(minLength, 1, Math.min(maxLength, Math.floor(maxLength * making.scale), making.bytes));
  if (format === 'line') return spent(making, making.filler.text(room).replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' '));
  if (pattern === undefined) return spent(making, making.filler.text(room));
  const found = [
    making.filler.text(room),
    // A place where a field of a result stores a value about the end user.
    `end_user.attributes.${'a'.repeat(64)}`,
    ...LENGTHS.filter((one) => one <= Math.max(room, SHORTEST)).flatMap(runs),
  ].find((text) => new RegExp(pattern).test(text));
  const text = found ?? example(pattern, 0);
  if (text === undefined) throw new Error(`No text for ${pattern} is known (test/attack/heaviest-text.ts).`);
  return spent(making, text);
}

/** A pattern may require some letters even if no size is left. */
const SHORTEST = 3;
const LENGTHS = [4_000, 2_000, 1_000, 500, 255, 253, 200, 128, 80, 64, 63, 32, 16, 6, 3, 2, 1];
const runs = (length: number): string[] => ['a', '0', '/'].map((sign) => sign.repeat(length));

/** Texts in formats that a series of one letter does not match. */
const EXAMPLES: readonly ((place: number) => string)[] = [
  () => 'USD',
  (place) => `https://a${place}.example`,
  () => `${'a'.repeat(64)}@example.com`,
  () => '#0b7a75',
  (place) => `0${place % 10}:30`,
  () => '0b7a7500-0000-4000-8000-000000000000',
  (place) => `attributes.${place}${'\u{fdfa}'.repeat(60)}`,
  () => `12345:${'a'.repeat(80)}`,
  () => `AC${'0'.repeat(32)}`,
  () => '+97430000000',
  () => `xoxb-${'a'.repeat(200)}`,
  () => `{{${'a'.repeat(64)}${`.${'b'.repeat(64)}`.repeat(4)}}}`,
  () => 'a'.repeat(43),
  () => `${'a'.repeat(64)}=${'\u{fdfa}'.repeat(60)}`,
];
export const example = (pattern: string, place: number): string | undefined =>
  EXAMPLES.map((make) => make(place)).find((text) => new RegExp(pattern).test(text));

/** The items of a list are different texts of the same length. */
export const marked = (text: string, place: number): string => {
  const mark = `${place}`;
  return text.length > mark.length ? text.slice(0, -mark.length).replace(/[\ud800-\udbff]$/, '') + mark : text + mark;
};
