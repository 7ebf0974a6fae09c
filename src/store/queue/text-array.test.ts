import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { textArray } from './text-array.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

it('every text is encoded without change', async () => {
  const words = [
    'NULL',
    'null',
    '',
    ' ',
    'a,b',
    '{}',
    '{"a":"\\"b\\\\"}',
    "it's",
    'قهوة',
    'हिंदी',
    '\n\t',
    '\\',
    '"',
    'x'.repeat(10_000),
    '2026-11-21T06:00:00.000Z',
    'run_01abc',
    '\\x00ff',
    null,
  ];
  const { rows } = await client.query('SELECT $1::text[] AS words', [textArray(words)]);
  expect(rows[0].words).toEqual(words);
});

it('a column without values becomes an empty array, and unnest fills it with NULL', async () => {
  expect(textArray([null, null])).toBe('{}');
  const { rows } = await client.query('SELECT * FROM unnest($1::text[], $2::text[]) AS t(a, b)', [
    textArray(['one', 'two']),
    textArray([null, null]),
  ]);
  expect(rows).toEqual([
    { a: 'one', b: null },
    { a: 'two', b: null },
  ]);
});

it('times and bytes are encoded', async () => {
  const at = new Date('2026-11-21T06:00:00.123Z');
  const { rows } = await client.query('SELECT ($1::timestamptz[])[1] AS at, ($2::bytea[])[1] AS bytes', [
    textArray([at.toISOString()]),
    textArray([String.raw`\x00ff`]),
  ]);
  expect(rows[0]).toEqual({ at, bytes: Buffer.from([0, 255]) });
});
