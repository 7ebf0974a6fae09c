import { expect, test } from 'vitest';
import { NO_KNOWLEDGE, type Provider, ProviderError, type TurnResult } from '../../engine/provider.ts';
import type { LoadAgent } from '../../answering/load-agent.ts';
import { playOnce, refusing } from './play-turn.ts';
import { limitTries } from './try-limit.ts';

const AGENT = { id: 'agent_1', name: 'Concierge', revision: 1, definition: {} };
const TALK = { history: [], input: ['When?'], state: null, variables: {}, locale: null };
const SAID: TurnResult = {
  messages: [],
  state: null,
  next: 'waiting_for_user',
  tags: [],
  opted_out: false,
  trace: { provider: 'fake', steps: [] },
};

function givenPlay(turn: Provider['turn'], timeoutMs?: number) {
  const provider: Provider = { name: 'fake', turn };
  const knowledge = NO_KNOWLEDGE;
  const loadAgent: LoadAgent = async () => ({
    agent: { ...AGENT, version: 1, edition: null, rollout: null, bytes: 0 },
    knowledge,
    provider,
  });
  const deps = { loadAgent, findProvider: async () => provider, ...(timeoutMs && { timeoutMs }) };
  return (orgId: string) => limitTries(orgId, () => refusing(playOnce(deps, orgId, AGENT, TALK)));
}

test('an organization can run eight playground turns at a time, and does not affect other organizations', async () => {
  const waiting: (() => void)[] = [];
  const play = givenPlay(() => new Promise((resolve) => waiting.push(() => resolve(SAID))));
  const eight = Array.from({ length: 8 }, () => play('org_1'));
  await expect(play('org_1')).rejects.toMatchObject({ code: 'rate_limited' });
  const other = play('org_2');
  await expect.poll(() => waiting.length).toBe(9);
  for (const answer of waiting) answer();
  expect(await Promise.all([...eight, other])).toHaveLength(9);
  const next = play('org_1');
  await expect.poll(() => waiting.length).toBe(10);
  waiting.at(-1)!();
  expect(await next).toEqual(SAID);
});

test('a playground turn that waits too long for its documents gets the response "later"', async () => {
  const play = givenPlay(() => new Promise(() => {}), 50);
  await expect(play('org_1')).rejects.toMatchObject({ code: 'unavailable', status: 503 });
});

test('documents that cannot be searched are not reported as a fault of the provider', async () => {
  const play = givenPlay(() => Promise.reject(new ProviderError('knowledge_failed', 'Too much.', { retryable: true })));
  await expect(play('org_1')).rejects.toMatchObject({ code: 'unavailable', message: 'Too much.' });
});
