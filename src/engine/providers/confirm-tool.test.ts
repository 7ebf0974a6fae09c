import { describe, expect, test } from 'vitest';
import { TURN_CONTEXT } from '../../../test/turn-context.ts';
import { NO_KNOWLEDGE, type TurnRequest } from '../provider.ts';
import { askFirst, confirmedTool, type PendingTool, readPending, withoutPending, withPending } from './confirm-tool.ts';

const NOW = new Date('2026-11-22T10:00:00Z');
const TOOL = {
  name: 'cancel_order',
  description: 'Cancels an order.',
  parameters: { type: 'object' },
  url: 'https://shop.test/cancel',
  confirm: { default: 'Cancel order {{arguments.order_id}}?', ar: 'إلغاء الطلب {{arguments.order_id}}؟' },
};
const PENDING: PendingTool = {
  tool: 'cancel_order',
  arguments: { order_id: 'A-1' },
  idempotency_key: 'key-1',
  text: 'Cancel order A-1?',
  at: NOW.getTime() - 60_000,
};

const asked = (answer: string, more: Partial<TurnRequest> = {}): TurnRequest => ({
  agent: { id: 'agent_1', name: 'Nour', definition: { tools: [TOOL] } },
  locale: 'en',
  variables: {},
  end_user: { id: 'enduser_1', name: null, locale: null },
  history: [
    { role: 'agent', text: PENDING.text },
    { role: 'end_user', text: answer },
  ],
  input: [answer],
  state: null,
  knowledge: NO_KNOWLEDGE,
  now: NOW,
  context: TURN_CONTEXT,
  signal: new AbortController().signal,
  ...more,
});

describe('the answer to a question before a call', () => {
  test.each(['Yes', 'yes!', 'ok', 'نعم', 'हाँ', '1', '1.', '١'])('the answer "%s" counts as agreement', (answer) => {
    expect(confirmedTool(PENDING, asked(answer))).toBe(TOOL);
  });

  test.each(['No', 'لا', '2', 'Yes, but the other one', 'Which order?', '', 'yes no'])(
    'the answer "%s" does not count as agreement',
    (answer) => {
      expect(confirmedTool(PENDING, asked(answer))).toBeNull();
    },
  );

  test('only the first message after the question counts', () => {
    expect(confirmedTool(PENDING, asked('Yes', { input: ['Yes', 'no wait'] }))).toBe(TOOL);
    expect(confirmedTool(PENDING, asked('no', { input: ['no', 'Yes'] }))).toBeNull();
  });

  test('a Yes to a question of a member, or to another question, does not count as agreement', () => {
    for (const role of ['member', 'agent'] as const) {
      const between = [
        { role: 'agent' as const, text: PENDING.text },
        { role, text: 'Shall I call you?' },
        { role: 'end_user' as const, text: 'Yes' },
      ];
      expect(confirmedTool(PENDING, asked('Yes', { history: between }))).toBeNull();
    }
  });

  test('a Yes is valid for a day, and only while the agent has the tool', () => {
    const old = { ...PENDING, at: NOW.getTime() - 25 * 3_600_000 };
    expect(confirmedTool(old, asked('Yes'))).toBeNull();
    const agent = { id: 'agent_1', name: 'Nour', definition: { tools: [{ ...TOOL, name: 'other' }] } };
    expect(confirmedTool(PENDING, asked('Yes', { agent }))).toBeNull();
  });
});

test('the question is in the language of the person and contains the arguments', () => {
  expect(askFirst(TOOL, { order_id: 'A-1' }, asked('Please cancel it'))).toEqual({
    type: 'choices',
    text: 'Cancel order A-1?',
    choices: [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No' },
    ],
  });
  const arabic = askFirst(TOOL, { order_id: 'A-1' }, asked('أريد إلغاء الطلب من فضلك', { locale: 'ar' }));
  expect(arabic).toMatchObject({ text: 'إلغاء الطلب A-1؟', choices: [{ label: 'نعم' }, { label: 'لا' }] });
});

test('the pending call is stored next to other state, and a damaged one is ignored', () => {
  const state = withPending({ misses: 1 }, PENDING);
  expect(readPending({ state })).toEqual(PENDING);
  expect(withoutPending(state)).toEqual({ misses: 1 });
  expect(withoutPending(withPending(null, PENDING))).toBeNull();
  for (const damaged of [null, {}, { pending_tool: 'x' }, { pending_tool: { ...PENDING, arguments: 'x' } }]) {
    expect(readPending({ state: damaged })).toBeNull();
  }
});
