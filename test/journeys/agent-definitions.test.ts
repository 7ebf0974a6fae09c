import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { AgentDefinition } from '../../contract/agents.ts';
import { wireSchema } from '../../src/kernel/validation/validate.ts';

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
  default?: string | number | boolean | string[];
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

/** The facts that are missing in the row of a field. */
function faultsOf({ field, value, fallback }: Row, schema: Schema, isRequired: boolean): string[] {
  const faults = (fallback === 'required') === isRequired ? [] : [`${field}: required`];
  const values = [...(schema.enum ?? []), ...(schema.anyOf ?? []).map((each) => each.const)].map(String);
  // A fallback may be any provider. The limits of a text per language are in their own paragraph.
  const listed = value.startsWith('`') ? values : [];
  const limits = /localized|^list of `/.test(value) ? [] : LIMITS.filter((limit) => schema[limit] !== undefined);
  faults.push(...listed.filter((one) => !value.includes(`\`${one}\``)).map((one) => `${field}: ${one}`));
  faults.push(...limits.filter((limit) => !value.includes(number(schema[limit]))).map((limit) => `${field}: ${limit}`));
  const { default: preset } = schema;
  const isShown = preset === undefined || fallback.replaceAll(/[`,]/g, '') === [preset].flat().join(' ');
  return isShown ? faults : [...faults, `${field}: default`];
}

test('the documentation has a table for each object, and a row for each of its fields', () => {
  const objects = [...objectsOf(wireSchema(AgentDefinition))];
  const names = (rows: string[]) => rows.toSorted().join(' ');
  const inSchema = objects.map(({ properties }) => names(Object.keys(properties!)));
  const inPage = tables.map((rows) => names(rows.map(({ field }) => field)));
  expect(inPage.toSorted()).toEqual(inSchema.toSorted());

  const missing = objects.flatMap(({ properties = {}, required = [] }) => {
    const rows =
      tables.find((table) => names(table.map(({ field }) => field)) === names(Object.keys(properties))) ?? [];
    return rows.flatMap((row) => faultsOf(row, properties[row.field]!, required.includes(row.field)));
  });
  expect(missing).toEqual([]);
});

test('the example in the documentation is a valid definition', () => {
  const example: unknown = JSON.parse(/```json\n([^]*?)```/.exec(DOCUMENT)![1]!);
  expect([...Compile(AgentDefinition as TSchema).Errors(example)]).toEqual([]);
});
