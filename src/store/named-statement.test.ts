import { expect, expectTypeOf, test } from 'vitest';
import { named, rowsOf } from './named-statement.ts';

const ADD = named('add', { many: 'int', org: 'text' }, 'UPDATE t SET n = n + :many, at = now()::date WHERE id = :org');

test('named parameters become numbers with their types, wherever and however often they occur', () => {
  expect(ADD({ org: 'org_1', many: 2 })).toEqual({
    name: 'add',
    text: 'UPDATE t SET n = n + $1::int, at = now()::date WHERE id = $2::text',
    values: [2, 'org_1'],
  });
  const twice = named('twice', { id: 'text' }, `SELECT :id, ':' || :id, a[1:2]`);
  expect(twice({ id: 1 })).toEqual({ name: 'twice', text: `SELECT $1::text, ':' || $1::text, a[1:2]`, values: [1] });
});

test('a missing or unknown name is a type error', () => {
  expectTypeOf(ADD).parameter(0).toEqualTypeOf<Readonly<Record<'many' | 'org', unknown>>>();
  // @ts-expect-error -- org is missing
  expect(ADD({ many: 1 }).values).toEqual([1, undefined]);
  // @ts-expect-error -- there is no "orgs"
  expect(ADD({ many: 1, org: 'org_1', orgs: 2 }).values).toEqual([1, 'org_1']);
});

test('a statement that does not match its names fails when it is created', () => {
  expect(() => named('a', { one: 'int' }, 'SELECT :one, :two')).toThrow('has no parameter "two"');
  expect(() => named('b', { one: 'int', two: 'int' }, 'SELECT :one')).toThrow('does not use: two');
});

test('a statement gets its rows as one named array for each column', () => {
  const said = rowsOf('s', { id: 'text', n: 'int' }, 'said_');
  expect(said.types).toEqual({ said_id: 'text[]', said_n: 'int[]' });
  const query = named('rows', said.types, `SELECT * FROM ${said.from}`);
  expect(query({ said_id: ['a'], said_n: [1] })).toMatchObject({
    text: 'SELECT * FROM unnest($1::text[], $2::int[])\n    AS s(id, n)',
    values: [['a'], [1]],
  });
});
