import { expect, test } from 'vitest';
import type { AgentDefinition } from '../contract/agents.ts';
import { changesOf, ORDER } from '../dashboard/src/pages/agents/definition-changes.ts';

/** The differences between two versions of an agent, as the dashboard shows them. */
const BEFORE: AgentDefinition = {
  instructions: 'Be kind.\nAnswer in one sentence.',
  opening: { default: 'Hello', ar: 'مرحبًا' },
  steps: { items: [{ name: 'order', type: 'text', ask: { default: 'Which order?' } }] },
  rules: [
    { name: 'Complaint', words: ['angry', 'refund'], action: 'hand_off' },
    { name: 'Hours', words: ['open'], reply: { default: 'At nine.' } },
  ],
  hand_off: { on_request: true },
};
const of = (after: Partial<AgentDefinition>) =>
  changesOf(BEFORE, { ...BEFORE, ...after }).map(({ path, before, after: now }) => [path.join('/'), before, now]);

test('equal definitions have no difference, regardless of the order of their fields', () => {
  expect(of({})).toEqual([]);
  expect(of({ opening: { ar: 'مرحبًا', default: 'Hello' } })).toEqual([]);
});

test('the comparison uses the text in the same language', () => {
  expect(of({ opening: { default: 'Hi', hi: 'नमस्ते' } })).toEqual([
    ['opening/default', 'Hello', 'Hi'],
    ['opening/hi', null, 'नमस्ते'],
    ['opening/ar', 'مرحبًا', null],
  ]);
  expect(of({ instructions: undefined })).toEqual([['instructions', BEFORE.instructions, null]]);
});

test('the comparison matches items by their names, not by their position', () => {
  const [complaint, hours] = BEFORE.rules!;
  expect(of({ rules: [hours!, { ...complaint!, words: ['angry'] }] })).toEqual([
    ['rules/“Complaint”/words', 'angry\nrefund', 'angry'],
    [`rules/${ORDER}`, 'Complaint\nHours', 'Hours\nComplaint'],
  ]);
  const added = { name: 'tag', tag: 'new' };
  expect(of({ rules: [complaint!, added] })).toEqual([
    ['rules/“tag”', null, JSON.stringify(added, null, 2)],
    ['rules/“Hours”', JSON.stringify(hours, null, 2), null],
  ]);
  expect(of({ rules: undefined }).map(([path]) => path)).toEqual(['rules/“Complaint”', 'rules/“Hours”']);
  const [step] = BEFORE.steps!.items;
  expect(of({ steps: { items: [{ ...step!, optional: true }] } })).toEqual([['steps/“order”/optional', null, 'true']]);
});

test('the comparison treats a schema as one text', () => {
  const tool = { name: 'find', description: 'Finds.', url: 'https://x.example', parameters: { type: 'object' } };
  const changes = changesOf(
    { tools: [tool] },
    { tools: [{ ...tool, parameters: { type: 'object', required: ['id'] } }] },
  );
  expect(changes.map(({ path }) => path)).toEqual([['tools', '“find”', 'parameters']]);
});

test('both items are compared if two have the same name', () => {
  const twice = [
    { name: 'a', tag: 'x' },
    { name: 'a', tag: 'y' },
  ];
  expect(changesOf({ rules: twice }, { rules: [twice[0]!, { name: 'a', tag: 'z' }] })).toEqual([
    { path: ['rules', '“a (2)”', 'tag'], before: 'y', after: 'z' },
  ]);
});
