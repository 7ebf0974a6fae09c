import { describe, expect, test } from 'vitest';
import { bugs, IMPATIENT } from './bugs.ts';
import { checkEdits, crashEdit, crashPoints } from './edits.ts';
import { scenarioNamed } from './suite.ts';

/**
 * The fault suite rewrites sources during loading. These tests report immediately if a source change has broken a
 * rewrite.
 */
describe('every planted bug', () => {
  for (const bug of bugs) {
    test(`the text and the scenario of the planted bug exist: ${bug.name}`, () => {
      expect(() => checkEdits(bug.edits)).not.toThrow();
      expect(scenarioNamed(bug.scenario).expects).not.toBe('');
    });
  }
});

test('the lease settings that the suite shortens exist in the sources', () => {
  expect(() => checkEdits(IMPATIENT)).not.toThrow();
});

test('every crash point has a unique name and can be armed', () => {
  const points = crashPoints();
  for (const room of ['accept', 'send', 'revoke', 'lease', 'worker', 'delivery'])
    expect(
      points.some(({ name }) => name.startsWith(`${room}:`)),
      room,
    ).toBe(true);
  expect(() => checkEdits(points.map(crashEdit))).not.toThrow();
});

test('an edit of the sources reports a missing text', () => {
  expect(() => checkEdits([{ file: 'src/main.ts', find: 'no such text', replace: '' }])).toThrow(
    /0 times in src\/main/,
  );
});
