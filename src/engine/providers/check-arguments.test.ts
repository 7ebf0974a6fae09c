import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../contract/agents.ts';
import { violationsOf } from './check-arguments.ts';
import { CHECK_MS } from './run-tool.ts';
import { schemaFault, type ToolSchema } from './tool-schema.ts';

const tool = (parameters: ToolSchema, more: Partial<Tool> = {}): Tool => ({
  name: 'cancel_order',
  description: 'Cancels an order.',
  parameters,
  url: 'https://shop.test/cancel',
  ...more,
});
const check = (parameters: ToolSchema, args: unknown, more: Partial<Tool> = {}) =>
  violationsOf(tool(parameters, more), args, { ms: CHECK_MS });

const ORDER = {
  type: 'object',
  properties: {
    order_id: { type: 'string', pattern: '^[A-Z]-[0-9]+$' },
    amount: { type: 'integer', minimum: 1, maximum: 50 },
    reason: { enum: ['late', 'broken'] },
  },
  required: ['order_id'],
};

describe('arguments', () => {
  test('arguments that match the schema have no violations', () => {
    expect(check(ORDER, { order_id: 'A-1', amount: 50, reason: 'late' })).toEqual([]);
  });

  test('each violation is named, without values', () => {
    expect(check(ORDER, { order_id: { $ne: null }, amount: 51, reason: 'secret', admin: true })).toEqual([
      'the arguments must NOT have additional properties: admin',
      '/order_id must be string',
      '/amount must be <= 50',
      '/reason must be equal to one of the allowed values: ["late","broken"]',
    ]);
    expect(check(ORDER, {})).toEqual(["the arguments must have required property 'order_id'"]);
    expect(check(ORDER, ['A-1'])).toEqual(['the arguments must be object']);
  });

  test('undeclared arguments are violations, unless the schema allows them', () => {
    expect(check({ type: 'object', properties: { a: {} } }, { b: 1 })).toHaveLength(1);
    expect(check({ type: 'object', properties: { a: {} }, additionalProperties: true }, { b: 1 })).toEqual([]);
    expect(check({ type: 'object' }, { b: 1 })).toEqual([]);
    const parts = { type: 'object', properties: { a: {} }, allOf: [{ properties: { b: {} } }] };
    expect(check(parts, { b: 1 })).toEqual([]);
  });

  test('arguments that Parley fills are not checked, because the model cannot correct them', () => {
    const parameters = { type: 'object', properties: { customer: { type: 'integer' }, note: { type: 'string' } } };
    const bound = { customer: '{{end_user.external_id}}' };
    expect(check(parameters, { customer: 'crm-7', note: 'x' }, { bound })).toEqual([]);
    expect(check(parameters, { customer: 'crm-7', note: 1 }, { bound })).toEqual(['/note must be string']);
  });

  test('arguments are checked by the draft that the schema names', () => {
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    const pair = { properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } } };
    expect(check({ ...draft7, ...pair }, { pair: ['a', 'b'] })).toEqual(['/pair/1 must be number']);
    const newer = { type: 'object', properties: { pair: { prefixItems: [{ type: 'string' }] } } };
    expect(check(newer, { pair: [1] })).toEqual(['/pair/0 must be string']);
    const local = { type: 'object', properties: { a: { $ref: '#/$defs/text' } }, $defs: { text: { type: 'string' } } };
    expect(check(local, { a: 1 })).toEqual(['/a must be string']);
  });
});

describe('a schema that is made to do harm', () => {
  const longAs = `${'a'.repeat(60)}!`;
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `d${n}`,
      { allOf: Array.from({ length: 2 }, () => ({ $ref: `#/$defs/d${n + 1}` })) },
    ]),
  );
  test.each<[string, ToolSchema, object]>([
    ['with a pattern that backtracks', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, { a: longAs }],
    ['with references that double', { $ref: '#/$defs/d0', $defs: { ...doubling, d60: {} } }, { a: 1 }],
    ['with a reference to itself', { allOf: [{ $ref: '#' }] }, { a: 1 }],
    ['with a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }, { a: 1 }],
    ['that is asynchronous, which always passes', { $async: true, properties: { a: { type: 'string' } } }, { a: 1 }],
  ])('a schema %s permits no call, and the check ends in time', (_, schema, args) => {
    const allowance = { ms: CHECK_MS };
    const parameters = { type: 'object', ...schema };
    expect(violationsOf(tool(parameters), args, allowance)).toEqual([
      expect.stringMatching(/takes too long|cannot be/),
    ]);
    // The next check of the turn has only the rest.
    expect(allowance.ms).toBeLessThan(CHECK_MS);
  });

  test('a schema with the `$id` of another schema does not replace it', () => {
    const named = (type: string) => ({ $id: 'https://shop.test/s', type: 'object', properties: { a: { type } } });
    expect([check(named('string'), { a: 1 }), check(named('number'), { a: 1 })]).toEqual([['/a must be string'], []]);
  });
});

test.each<[string, ToolSchema, RegExp]>([
  ['a type that does not exist', { type: 'object', properties: { a: { type: 'text' } } }, /\/properties\/a\/type/],
  ['a pattern that is none', { type: 'object', properties: { a: { pattern: '(' } } }, /regular expression: \(/],
  ['a minimum that is no number', { type: 'object', properties: { a: { minimum: '1' } } }, /\/minimum/],
  ['too many characters', { type: 'object', description: 'x'.repeat(16_000) }, /16,000 characters/],
  ['$async', { type: 'object', $async: true }, /\$async/],
])('a schema with %s is refused when it is saved', (_, schema, fault) => {
  expect(schemaFault(schema)).toMatch(fault);
});

test.each<[string, ToolSchema]>([
  ['of 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', $defs: { a: {} } }],
  ['of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', definitions: { a: {} } }],
  ['with a pattern without the flag u', { type: 'object', properties: { a: { pattern: '[\\w-.]+' } } }],
  ['with keywords of others', { type: 'object', 'x-order': 1, properties: { a: { format: 'email', nullable: true } } }],
])('a schema %s is accepted', (_, schema) => expect(schemaFault(schema)).toBeNull());
