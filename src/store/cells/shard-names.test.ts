import { expect, test } from 'vitest';
import { withShards } from './shard-names.ts';

const SHARDS = new Map([
  ['run', 'cell_2.run_7'],
  ['message', 'cell_2.message_8'],
]);

test.each([
  ['SELECT id FROM run WHERE run.id = $1', 'SELECT id FROM cell_2.run_7 AS "run" WHERE run.id = $1'],
  ['UPDATE run r SET status = $1', 'UPDATE cell_2.run_7 r SET status = $1'],
  ['INSERT INTO message (id) SELECT id FROM go', 'INSERT INTO cell_2.message_8 AS "message" (id) SELECT id FROM go'],
  ['SELECT 1 FROM "run", message m', 'SELECT 1 FROM cell_2.run_7 AS "run", cell_2.message_8 m'],
  ['DELETE FROM public."run" USING message AS m', 'DELETE FROM cell_2.run_7 AS "run" USING cell_2.message_8 AS m'],
  ['WITH message AS (SELECT 1) SELECT * FROM message', 'WITH message AS (SELECT 1) SELECT * FROM message'],
  ['SELECT message, run FROM other', 'SELECT message, run FROM other'],
])('%s', (text, expected) => {
  expect(withShards(text, SHARDS)).toBe(expected);
});
