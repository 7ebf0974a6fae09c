import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { ResultField } from '../../../contract/results.ts';
import { Refusal } from '../../../contract/problems.ts';
import { checkDefinition } from './check-definition.ts';

const ask = { default: '?' };
const faultsOf = (fields: ResultField[], more: AgentDefinition = {}): string[] => {
  try {
    checkDefinition({ ...more, result: { fields } });
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.extras.errors!.map(({ pointer, code }) => `${pointer} ${code}`);
  }
};
const at = (rest: string) => [`/definition/result/fields/${rest}`];

test('result fields of all types are accepted, even if steps have the same names', () => {
  const steps = { items: [{ name: 'size', type: 'choice' as const, ask, choices: [{ id: 's', label: ask }] }] };
  const fields: ResultField[] = [
    { name: 'size', type: 'choice', choices: ['s', 'm'], required: true },
    { name: 'mail', type: 'email', save_to: 'end_user.email' },
    { name: 'tier', type: 'text', save_to: 'end_user.attributes.tier' },
  ];
  expect(faultsOf(fields, { steps })).toEqual([]);
});

test.each<[string, ResultField, string]>([
  ['a choice without choices', { name: 'a', type: 'choice' }, '0/choices required'],
  ['choices of another type', { name: 'a', type: 'text', choices: ['x'] }, '0/choices conflict'],
  ['a choice twice', { name: 'a', type: 'choice', choices: ['x', 'x'] }, '0/choices/1 duplicate'],
  ['a name that every object has', { name: 'constructor', type: 'text' }, '0/name conflict'],
  ['a phone number as e-mail', { name: 'a', type: 'phone', save_to: 'end_user.email' }, '0/save_to conflict'],
])('refuses %s', (_, field, fault) => {
  expect(faultsOf([field])).toEqual(at(fault));
});

test('two result fields with the same name, or with the same target in the end user, are refused', () => {
  const save_to = 'end_user.name';
  const twins: ResultField[] = [
    { name: 'a', type: 'text', save_to },
    { name: 'b', type: 'text', save_to },
    { name: 'a', type: 'text' },
  ];
  expect(faultsOf(twins)).toEqual([...at('1/save_to duplicate'), ...at('2/name duplicate')]);
});

test('a result field is refused if the answers of its step never have its type', () => {
  const items = [{ name: 'day', type: 'date' as const, ask }];
  expect(faultsOf([{ name: 'day', type: 'number' }], { steps: { items } })).toEqual(at('0/type conflict'));
});
