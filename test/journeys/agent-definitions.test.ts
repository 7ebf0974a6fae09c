import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { AgentDefinition } from '../../contract/agents.ts';
import { wireSchema } from '../../src/http/route/validate.ts';

/** docs/agent-definitions.md has each field of the schema, with its values, limits and default. */
const DOCUMENT = readFileSync(new URL('../../docs/agent-definitions.md', import.meta.url), 'utf8');

type Schema = {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  default?: unknown;
  [limit: string]: unknown;
};
const LIMITS = ['minimum', 'maximum', 'maxLength', 'minItems', 'maxItems', 'maxProperties'];

/** Each object of the schema with fixed members, in the order of the tables. */
function* objectsOf(schema: Schema): Generator<Schema> {
  if (schema.properties) {
    yield schema;
    for (const member of Object.values(schema.properties)) yield* objectsOf(member);
  }
  if (schema.items) yield* objectsOf(schema.items);
}

type Row = { field: string; value: string; fallback: string };
const tables: Row[][] = [...DOCUMENT.matchAll(/\| Field \|.*\n\|---.*\n((?:\|.*\n)+)/g)].map(([, rows]) =>
  rows!
    .trim()
    .split('\n')
    .map((line) => {
      const [field = '', value = '', fallback = ''] = line.slice('| '.length).split(' | ');
      return { field: field.replaceAll('`', ''), value, fallback };
    }),
);
const number = (value: unknown): string => Number(value).toLocaleString('en');

test('the page has a table for each object, and a row for each of its fields', () => {
  const objects = [...objectsOf(wireSchema(AgentDefinition) as Schema)];
  const names = (rows: string[]) => rows.toSorted().join(' ');
  const inSchema = objects.map(({ properties }) => names(Object.keys(properties!)));
  const inPage = tables.map((rows) => names(rows.map(({ field }) => field)));
  expect(inPage.toSorted()).toEqual(inSchema.toSorted());

  for (const { properties, required = [] } of objects) {
    const rows = tables.find((table) => names(table.map(({ field }) => field)) === names(Object.keys(properties!)))!;
    for (const { field, value, fallback } of rows) {
      const schema = properties![field]!;
      expect([field, fallback === 'required']).toEqual([field, required.includes(field)]);
      for (const one of [...(schema.enum ?? []), ...(schema.anyOf ?? []).map((each) => each.const)])
        if (value.startsWith('`'))
          expect([field, value]).toEqual([field, expect.stringContaining(`\`${String(one)}\``)]);
      for (const limit of LIMITS)
        if (schema[limit] !== undefined && !/localized/.test(value) && !value.startsWith('list of `'))
          expect([field, limit, value]).toEqual([field, limit, expect.stringContaining(number(schema[limit]))]);
      if (schema.default !== undefined && typeof schema.default !== 'object')
        expect(fallback.replaceAll(/[`,]/g, '')).toBe(String(schema.default));
    }
  }
});

test('the example of the page is a valid definition', () => {
  const example: unknown = JSON.parse(/```json\n([^]*?)```/.exec(DOCUMENT)![1]!);
  expect([...Compile(AgentDefinition as TSchema).Errors(example)]).toEqual([]);
});
