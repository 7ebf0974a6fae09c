import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Type, type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { idPattern } from '../contract/ids.ts';
import type { Refusal } from '../contract/problems.ts';
import { inArabic, PIECES } from '../dashboard/src/language/fault-texts.ts';
import { FORMATS } from '../src/kernel/validation/formats.ts';
import { compileBody } from '../src/kernel/validation/validate.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/**
 * Checks that the sentence of every possible schema fault has an Arabic translation (src/kernel/validation/faults.ts).
 */
const closed = { additionalProperties: false };
const of = (field: TSchema): TSchema => Type.Object({ field }, closed);
const CASES: [schema: TSchema, value: unknown][] = [
  [of(Type.String()), {}],
  [of(Type.String()), { field: '', other: 1 }],
  [Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Number(), closed), { 'A 1': 1 }],
  ...['', 1, 1.5, true, [], {}, null].flatMap((value): [TSchema, unknown][] =>
    [
      Type.String(),
      Type.Number(),
      Type.Integer(),
      Type.Boolean(),
      Type.Array(Type.Null()),
      Type.Object({}),
      Type.Null(),
    ].map((type) => [of(type), { field: value }]),
  ),
  [of(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])), { field: 1 }],
  ...Object.keys(FORMATS).map((format): [TSchema, unknown] => [of(Type.String({ format })), { field: '\u0000' }]),
  [of(Type.String({ pattern: '^a$' })), { field: 'b' }],
  [of(Type.String({ pattern: '^a$', description: 'The letter a.' })), { field: 'b' }],
  [of(Type.String({ pattern: idPattern('agent') })), { field: 'b' }],
  [of(Type.String({ minLength: 1 })), { field: '' }],
  [of(Type.String({ minLength: 8, maxLength: 1_200 })), { field: 'b' }],
  [of(Type.String({ maxLength: 1_200 })), { field: 'b'.repeat(1_201) }],
  [of(Type.Array(Type.Number(), { minItems: 1 })), { field: [] }],
  [of(Type.Array(Type.Number(), { minItems: 2 })), { field: [1] }],
  [of(Type.Array(Type.Number(), { maxItems: 2, uniqueItems: true })), { field: [1, 1, 1] }],
  [of(Type.Number({ minimum: 1, maximum: 2_000 })), { field: 0 }],
  [of(Type.Number({ minimum: 1, maximum: 2_000 })), { field: 2_001 }],
  [of(Type.Number({ exclusiveMinimum: 1, exclusiveMaximum: 2 })), { field: 1 }],
  [of(Type.Number({ exclusiveMinimum: 1, exclusiveMaximum: 2 })), { field: 2 }],
  [of(Type.Literal('one')), { field: 'two' }],
  [of(Type.Union([Type.Literal('one'), Type.Literal('two')])), { field: 'three' }],
];

const sentences = new Set<string>();
for (const [schema, value] of CASES)
  try {
    compileBody(schema)(value);
  } catch (error) {
    for (const { detail } of (error as Refusal).extras.errors ?? []) sentences.add(detail);
  }

test('every fault of a schema has a sentence in Arabic', () => {
  expect(sentences.size).toBeGreaterThan(30);
  expect([...sentences].filter((sentence) => !/[\u0600-\u06ff]/.test(inArabic(sentence) ?? ''))).toEqual([]);
  expect(inArabic('Must be at most 2,000.')).toBe('يجب أن تكون القيمة 2,000 على الأكثر.');
  expect(inArabic('A sentence that no one has translated.')).toBeNull();
});

/** The longest part of a pattern that is a fixed text within one sentence. */
const fixedPart = ({ source }: RegExp): string =>
  source
    .slice(1, -1)
    .split(/\((?:[^()]|\([^()]*\))*\)\??|\\\. /)
    .map((part) => part.replaceAll(/\\(.)/g, '$1').trim())
    .reduce((longest, part) => (part.length > longest.length ? part : longest));

test('the server still sends each sentence that the dashboard translates', () => {
  const sources = globSync(['src/**/*.ts', 'contract/**/*.ts'], {
    cwd: ROOT,
    exclude: (name) => name.endsWith('.test.ts'),
  })
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .join('\n');
  const unknown = PIECES.map(([pattern]) => pattern).filter(
    (pattern) => ![...sentences].some((sentence) => pattern.test(sentence)) && !sources.includes(fixedPart(pattern)),
  );
  expect(unknown).toEqual([]);
});
