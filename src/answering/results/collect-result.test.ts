import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { ResultField, RunResult } from '../../../contract/results.ts';
import { collectResult } from './collect-result.ts';
import { fitsField } from './result-fields.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const step = (name: string, optional = false) => ({ name, type: 'text' as const, ask: { default: '?' }, optional });
const steps = (...items: ReturnType<typeof step>[]): AgentDefinition => ({ steps: { items } });
const state = (slots: Record<string, unknown>, done = false) => ({ slots, steps_done: done, step: done ? null : 1 });
const turn = (
  definition: AgentDefinition,
  before: { state?: unknown; result?: RunResult | null },
  after: { state?: unknown; isOver?: boolean; found?: Record<string, unknown> | null },
) =>
  collectResult(
    definition,
    { state: before.state ?? null, result: before.result ?? null },
    { state: after.state ?? null, isOver: after.isOver ?? false, ...('found' in after && { found: after.found }) },
    NOW,
  );

describe('steps fill the result', () => {
  test('an agent without result fields returns all its slots', () => {
    const agent = steps(step('day'), step('note', true));
    const first = turn(agent, {}, { state: state({ day: 'Monday' }) });
    expect(first).toEqual({ status: 'partial', data: { day: 'Monday' }, missing: [], updated_at: NOW.toISOString() });
    const last = turn(agent, { state: state({ day: 'Monday' }), result: first }, { state: state({ day: 'Monday', note: null }, true) }); // prettier-ignore
    expect(last).toMatchObject({ status: 'complete', data: { day: 'Monday' } });
  });

  test('declared fields are filled by steps of the same name, and missing fields are listed', () => {
    const agent = { ...steps(step('day')), result: { fields: [text('day'), { ...text('reason'), required: true }] } };
    const result = turn(agent, {}, { state: state({ day: 'Monday', other: 'x' }, true), isOver: true });
    expect(result).toMatchObject({ status: 'partial', data: { day: 'Monday' }, missing: ['reason'] });
  });

  test('the result of a later run does not contain the answers of an earlier run', () => {
    const done = state({ day: 'Monday' }, true);
    expect(turn(steps(step('day')), { state: done }, { state: done }).data).toEqual({});
    const again = turn(steps(step('day')), { state: done }, { state: state({ day: 'Friday' }, true) });
    expect(again).toMatchObject({ status: 'complete', data: { day: 'Friday' } });
  });

  test('a run that continues unfinished steps has the answers of the run before it', () => {
    const agent = steps(step('day'), step('time'));
    const result = turn(
      agent,
      { state: state({ day: 'Monday' }) },
      { state: state({ day: 'Monday', time: '8' }, true) },
    );
    expect(result).toMatchObject({ status: 'complete', data: { day: 'Monday', time: '8' } });
  });

  test('steps that begin again lose their earlier answers', () => {
    const before = { state: state({ day: 'Monday' }, true), result: partial({ day: 'Monday' }) };
    expect(turn(steps(step('day')), before, { state: state({}) })).toMatchObject({ status: 'none', data: {} });
  });
});

describe('what a model found', () => {
  const agent: AgentDefinition = {
    result: {
      fields: [
        { ...text('city'), required: true },
        { name: 'people', type: 'integer' },
      ],
    },
  };

  test('a value that a model found is stored only if it fits its field', () => {
    const result = turn(agent, {}, { isOver: true, found: { city: 'Doha', people: 'four', constructor: 'x' } });
    expect(result).toMatchObject({ status: 'complete', data: { city: 'Doha' }, missing: [] });
    expect(Object.keys(result.data)).toEqual(['city']);
  });

  test('a value that a model found never replaces an answer of a step, and stays in later turns', () => {
    const both = { ...steps(step('city')), ...agent };
    const first = turn(both, {}, { state: state({ city: 'Doha' }), isOver: true, found: { city: 'Paris', people: 4 } });
    expect(first.data).toEqual({ city: 'Doha', people: 4 });
    expect(turn(both, { state: state({ city: 'Doha' }), result: first }, { state: state({ city: 'Doha' }) }).data).toEqual(first.data); // prettier-ignore
  });

  test('the result fails if the model could not fill the fields, unless no field is missing', () => {
    expect(turn(agent, {}, { isOver: true, found: null })).toMatchObject({ status: 'failed', missing: ['city'] });
    const full = turn(agent, { result: partial({ city: 'Doha' }) }, { isOver: true, found: null });
    expect(full.status).toBe('complete');
  });
});

test('a turn that changes no value does not change the time of the result', () => {
  const result = { ...partial({ day: 'Monday' }), status: 'complete' as const };
  const done = state({ day: 'Monday' }, true);
  expect(turn(steps(step('day')), { state: done, result }, { state: done })).toBe(result);
});

test.each<[ResultField['type'], unknown[], unknown[]]>([
  ['text', ['x'], ['', 'x'.repeat(2_001), 'a\0b', '\ud800', 1, null, {}, ['x']]],
  ['number', [1.5, 0], [Number.NaN, Infinity, '1']],
  ['integer', [3], [1.5, 2 ** 60, '3']],
  ['yes_no', [true, false], ['yes', 1]],
  ['date', ['2026-11-21'], ['2026-02-30', '21.11.2026']],
  ['choice', ['a'], ['c', 'toString', 0]],
  ['email', ['asha@example.qa'], ['asha@', 'a b@example.qa']],
  ['phone', ['+97430000000'], ['0123', '+1']],
])('a field of type %s accepts only its values', (type, fitting, others) => {
  const field = { name: 'f', type, ...(type === 'choice' && { choices: ['a', 'b'] }) };
  expect(fitting.filter((value) => !fitsField(field, value))).toEqual([]);
  expect(others.filter((value) => fitsField(field, value))).toEqual([]);
});

function text(name: string): ResultField {
  return { name, type: 'text' };
}
function partial(data: RunResult['data']): RunResult {
  return { status: 'partial', data, missing: [], updated_at: '2026-11-21T05:00:00.000Z' };
}
