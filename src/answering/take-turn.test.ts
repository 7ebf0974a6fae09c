import { expect, test } from 'vitest';
import type { TurnResult } from '../engine/provider.ts';
import { newId } from '../kernel/ids.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { LoadedAgent } from './load-agent.ts';
import { completedTurn, openingTurn } from './take-turn.ts';

const loaded = { agent: { definition: {}, version: 1 } } as unknown as LoadedAgent;

test('an answer comes after its message, even if a node with a fast clock stored the message', () => {
  const asked = newId('msg', Date.now() + 60_000);
  const history = [{ id: asked, role: 'end_user', content: { type: 'text', text: 'hello?' } }];
  const run = { history, tags: [], unanswered: [asked], input: {}, end_user: {}, turns: 1 } as unknown as ClaimedRun;
  const text = { content: { type: 'text' as const, text: 'Hi' }, sources: [] };
  const result = { messages: [text, text], tags: [], next: 'waiting_for_user' } as unknown as TurnResult;
  const ids = [asked, ...completedTurn(run, loaded, result).messages.map(({ id }) => id)];
  expect(ids).toEqual(ids.toSorted());
  expect(openingTurn(run, loaded, text.content).messages[0]!.id > asked).toBe(true);
});

test('a turn adds tags up to the limit of a conversation, and removes none', () => {
  const tagged = (tags: string[], added: string[]) =>
    completedTurn(
      { history: [], tags, unanswered: [], input: {}, end_user: {}, turns: 1, approvals: [] } as unknown as ClaimedRun,
      loaded,
      { messages: [], tags: added, next: 'waiting_for_user' } as unknown as TurnResult,
    ).tags;
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `t${from + n}`);
  expect(tagged(['vip'], ['vip', 'new'])).toEqual(['vip', 'new']);
  expect(tagged(names(0, 15), names(10, 30))).toEqual(names(0, 20));
  expect(tagged(names(0, 25), ['new'])).toEqual(names(0, 25));
});

test('an answer counts as delivered at once only on the sandbox, and waits on an unknown kind of channel', () => {
  const on = (channel_kind: string) =>
    openingTurn(
      {
        history: [],
        tags: [],
        unanswered: [],
        input: {},
        end_user: {},
        turns: 0,
        channel_kind,
      } as unknown as ClaimedRun,
      loaded,
      { type: 'text', text: 'Hi' },
    ).messageStatus;
  expect(['sandbox', 'email', 'of-a-later-version'].map(on)).toEqual(['delivered', 'queued', 'queued']);
});

test('choices that a channel shows as text are split if the text is too long, and stay choices elsewhere', () => {
  const choices = Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, label: `Option ${n} ${'x'.repeat(100)}` }));
  const message = { content: { type: 'choices', text: 'Which one?', choices }, sources: [] };
  const on = (channel_kind: string) => {
    const run = {
      history: [],
      tags: [],
      unanswered: [],
      input: {},
      end_user: {},
      turns: 1,
      approvals: [],
      channel_kind,
    };
    const result = { messages: [message], tags: [], next: 'waiting_for_user' } as unknown as TurnResult;
    return completedTurn(run as unknown as ClaimedRun, loaded, result).messages.map(({ content }) => content);
  };
  const texts = on('sms').map((content) => (content.type === 'text' ? content.text : ''));
  expect(texts.map((text) => text.length > 0 && text.length <= 1_600)).toEqual([true, true]);
  expect(texts.join('\n').split('\n')).toEqual([
    'Which one?',
    ...choices.map(({ label }, index) => `${index + 1}. ${label}`),
  ]);
  expect(on('sandbox')).toEqual([message.content]);
});
