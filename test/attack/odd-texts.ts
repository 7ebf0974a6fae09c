import type { Random } from '../faults/random.ts';
import { FILLERS, type Filler } from './fillers.ts';

/** Creates random texts, some unusual, and some as attackers write them. */

const many = (random: Random, most: number, make: () => string): string =>
  Array.from({ length: random.between(0, most) }, make).join('');

const ATOMS = ['a', '.', '\\w', '\\b', '\\p{Lu}', '[^\\s]', '[a-z0-9]', '(?:)', '^', '$', '\u0633', '\\u{1f600}', '\\'];
const REPEATS = ['', '', '*', '+', '?', '{3}', '{0,9}', '{100}', '{2,}', '*?', '{'];

export function oddPattern(random: Random, depth = 4): string {
  return many(random, 4, () => {
    const atom =
      depth > 0 && random.chance(0.4)
        ? `(${random.pick(['', '?:', '?=', '?<n>'])}${oddPattern(random, depth - 1)}${random.chance(0.3) ? '|a' : ''})`
        : random.pick(ATOMS);
    return atom + random.pick(REPEATS);
  });
}

const TAGS = ['{{a}}', '{{end_user.name}}', '{{{a}}}', '{{#a}}', '{{/a}}', '{{^a}}', '{{', '}}', '{{!', '{{=<% %>=}}'];
const NAMES = ['{{__proto__}}', '{{constructor.constructor}}', '{{> a}}', '{{&a}}', '{{a.b.c.d.e}}', '{{toString}}'];

export const oddTemplate = (random: Random): string =>
  many(random, 20, () => random.pick([...TAGS, ...NAMES, ' words ', '\n', '\u202e']));

const PIECES = [
  '\u0627\u0644\u0633\u0644\u0627\u0645 ',
  '\u0928\u092e\u0938\u094d\u0924\u0947 ',
  '\u200d\u200f\u202e',
  'e\u0301\u0301\u0301',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\ufeff',
  '\u2028',
  "'; DROP TABLE message; --",
  '<script>alert(1)</script>',
  '../../../etc/passwd',
  '%00',
  '%s%n',
  '1e309',
  'STOP',
  'people please',
  '\u0660\u0661\u0662',
  'on 31 February',
];

export function oddText(random: Random, most: number): string {
  const kind = random.between(0, 5);
  if (kind === 0) return oddPattern(random).slice(0, most);
  if (kind === 1) return oddTemplate(random).slice(0, most);
  if (kind === 2) return random.pick(FILLERS).text(random.between(1, Math.max(1, most)));
  return many(random, 12, () => random.pick(PIECES)).slice(0, most);
}

/** The function for heaviest-body returns a different text in each call, and never an empty text. */
export const oddFiller = (random: Random): Filler => ({
  name: 'odd',
  text: (most) => wellFormed(oddText(random, most)) || 'x',
  json: () => random.pick(FILLERS.flatMap(({ json }) => json?.() ?? [])),
});

const wellFormed = (text: string): string =>
  text.isWellFormed() ? text : text.toWellFormed().replaceAll('\ufffd', '');

export function oddDocument(random: Random): string {
  const cell = (): string => oddText(random, 30).replaceAll('\n', ' ');
  const parts = [
    () => `${'#'.repeat(random.between(1, 9))} ${oddText(random, 80)}`,
    () => `|a|b|c|\n|-|-|-|\n${many(random, 2_000, () => `|${cell()}|${cell()}|\n`)}`,
    () => many(random, 300, () => `${' '.repeat(random.between(0, 60))}- ${cell()}\n`),
    () => random.pick(FILLERS).text(random.between(1, 60_000)),
    () => '>'.repeat(random.between(1, 5_000)),
    () => `\`\`\`\n${oddText(random, 4_000)}`,
  ];
  return wellFormed(Array.from({ length: random.between(1, 6) }, () => random.pick(parts)()).join('\n\n')) || 'x';
}

/** Creates the bytes of a file that claims to be CSV. */
export function oddCsv(random: Random): Buffer {
  const separator = random.pick([',', ';', '\t', '|']);
  const fields = ['external_id', 'name', 'email', 'phone', 'tags', 'a', 'a', '', oddText(random, 40)];
  const columns = random.chance(0.1) ? 500 : random.between(1, 12);
  const cell = (): string => {
    const text = oddText(random, 60);
    return random.chance(0.4)
      ? `"${text.replaceAll('"', random.pick(['""', '"']))}` + random.pick(['"', '"', ''])
      : text;
  };
  const row = (make: () => string): string => Array.from({ length: columns }, make).join(separator);
  const rows = Array.from({ length: random.between(0, columns > 100 ? 20 : 400) }, () => row(cell));
  const text = [row(() => random.pick(fields)), ...rows].join(random.pick(['\n', '\r\n', '\r']));
  const bytes = random.chance(0.2) ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text);
  const noise = Buffer.from([0, 0xff, 0xc3, 0x28]);
  return random.chance(0.3) ? Buffer.concat([bytes, noise, bytes]).subarray(0, 1024 * 1024) : bytes;
}
