import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { decideBeforeModel } from './before-model.ts';
import { embeddedProvider } from './embedded/provider.ts';
import { NO_KNOWLEDGE } from './provider.ts';
import { TURN_CONTEXT } from '../../test/turn-context.ts';

const request = (definition: AgentDefinition, input: string[], state: unknown = {}) => ({
  agent: { id: 'agent_1', name: 'Mira', definition },
  locale: 'en',
  variables: {},
  end_user: { id: 'enduser_1', name: null, locale: null },
  history: [],
  input,
  state,
  knowledge: NO_KNOWLEDGE,
  now: new Date(0),
  context: TURN_CONTEXT,
  signal: AbortSignal.timeout(1_000),
});

describe('before a model is asked', () => {
  test('stop words opt the person out', async () => {
    expect((await decideBeforeModel(request({ provider: 'openai' }, ['STOP']))).turn).toMatchObject({
      opted_out: true,
      next: 'completed',
    });
    const burst = ['STOP', ...Array.from({ length: 30 }, () => 'Hello?')];
    expect((await decideBeforeModel(request({ provider: 'openai' }, burst))).turn?.opted_out).toBe(true);
  });

  test('a request for a human causes a hand-off, unless the agent has no hand-offs', async () => {
    expect((await decideBeforeModel(request({}, ['I want to talk to a human']))).turn?.next).toBe('handed_off');
    expect(
      (await decideBeforeModel(request({ hand_off: { on_request: false } }, ['I want to talk to a human']))).turn,
    ).toBeNull();
  });

  test('a rule of the agent has priority over a request for a human, with and without a model, and while a step waits', async () => {
    const rule = { name: 'support', words: ['support'], reply: { default: 'Support is at desk 4.' } };
    const items = [{ name: 'day', type: 'text' as const, ask: { default: 'Which day?' } }];
    const asked = ['I want to talk to support'];
    const turns = [
      (await decideBeforeModel(request({ rules: [rule] }, asked))).turn,
      await embeddedProvider.turn(request({ rules: [rule] }, asked)),
      await embeddedProvider.turn(request({ rules: [rule], steps: { items } }, asked, { step: 0 })),
    ];
    for (const turn of turns) {
      expect(turn?.next).toBe('waiting_for_user');
      expect(turn?.messages[0]?.content).toEqual({ type: 'text', text: 'Support is at desk 4.' });
    }
    expect(turns[2]?.messages.at(-1)?.content).toMatchObject({ text: 'Which day?' });
  });

  test('a matching rule of the agent answers, and the model is not called', async () => {
    const definition = { rules: [{ name: 'hours', words: ['opening hours'], reply: { default: 'Nine to five.' } }] };
    const { turn } = await decideBeforeModel(request(definition, ['What are your opening hours?']));
    expect(turn?.messages[0]?.content).toEqual({ type: 'text', text: 'Nine to five.' });
  });

  test('a rule that only adds a label does not replace the answer of the model, and the label stays', async () => {
    const definition = { rules: [{ name: 'sales', words: ['price'], tag: 'sales' }] };
    const decided = await decideBeforeModel(request(definition, ['What is the price?']));
    expect(decided).toEqual({ turn: null, tags: ['sales'] });
  });

  test('the model answers everything else', async () => {
    expect((await decideBeforeModel(request({}, ['Where is my order?']))).turn).toBeNull();
    expect((await decideBeforeModel(request({ opening: { default: 'Hi' } }, [], null))).turn).toBeNull();
  });
});
