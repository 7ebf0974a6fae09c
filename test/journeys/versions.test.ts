import { eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { reviewRollouts } from '../../src/features/rollouts/review-rollouts.ts';
import { countArms } from '../../src/store/rollouts/count-versions.ts';
import { agentVersion } from '../../src/store/schema/agent.ts';
import { agentRollout } from '../../src/store/schema/agent-rollout.ts';
import { trigger } from '../../src/store/schema/trigger.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** Versions of an agent through the whole program: chosen by calls and triggers, and rolled out to a part of people. */
let parley: TestApp;
let endpoint: Receiver;
let call: SignedIn;
let orgId: string;
let key: string;

beforeAll(async () => {
  endpoint = await startReceiver();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  key = (await parley.key(orgId)).value;
  await call(`POST /organizations/${orgId}/webhooks`, { url: `${endpoint.url}/hook` });
});
afterAll(async () => {
  await parley?.stop();
  await endpoint?.stop();
});

const opening = (text: string, more: AgentDefinition = {}): AgentDefinition => ({
  opening: { default: text },
  rules: [{ name: 'Hours', words: ['hours'], reply: { default: 'From eight to five.' } }],
  ...more,
});

/** An agent whose first version is live, and whose second one is not. */
async function given(second: AgentDefinition = opening('two')) {
  const at = `/organizations/${orgId}/agents`;
  const { id: agentId } = (await call(`POST ${at}`, { name: 'Concierge', definition: opening('one') })).body;
  const draft = { definition: second, publish: false };
  await call(`PATCH ${at}/${agentId}`, draft);
  const added = await call(`POST ${at}/${agentId}/publish`, { live: false });
  expect(added.body).toMatchObject({ version: 1, newest_version: 2, published: opening('one') });
  const named = { agent_id: agentId, name: 'Order update' };
  const { id: triggerId } = (await call(`POST /organizations/${orgId}/triggers`, named)).body;
  const path = `/api/triggers/${agentId}/${triggerId}`;
  const post = (body: object): Promise<Answer> =>
    parley.call('POST', path, { key, body, headers: { prefer: 'wait=10' } });
  return {
    triggerId,
    path,
    post,
    /** The first words of the agent to a person. */
    hear: async (body: object = {}): Promise<string> => (await post(body)).body.messages[0].content.text,
    agent: `${at}/${agentId}`,
    rollout: (body: object) => call(`PUT ${at}/${agentId}/rollout`, body),
    end: (how: 'stop' | 'finish') => call(`POST ${at}/${agentId}/rollout/${how}`),
  };
}

const person = (number: number) => ({ end_user: { external_id: `person-${number}` } });

describe('a call and a trigger choose a version', () => {
  test('the version that the call chooses answers every turn of the run, and the run has its number', async () => {
    const { post, path } = await given(opening('two', { dont_know: { default: 'Not known to two.' } }));
    const { body } = await post({ agent_version: 2 });
    expect(body.messages[0].content.text).toBe('two');
    const sent = await call(`POST /organizations/${orgId}/conversations/${body.conversation_id}/say`, { text: 'Why?' });
    expect(sent.body.messages[0].content.text).toBe('Not known to two.');
    expect((await parley.call('GET', `${path}/runs/${body.id}`, { key })).body.agent_version).toBe(2);
  });

  test('the version of the trigger answers, unless the call names another one', async () => {
    const { triggerId, hear } = await given();
    const at = `/organizations/${orgId}/triggers/${triggerId}`;
    expect((await call(`PATCH ${at}`, { agent_version: 2 })).body.agent_version).toBe(2);
    expect([await hear(), await hear({ agent_version: 1 })]).toEqual(['two', 'one']);
    await call(`PATCH ${at}`, { agent_version: null });
    expect(await hear()).toBe('one');
    expect((await call(`PATCH ${at}`, { agent_version: 3 })).body.code).toBe('agent_version_not_found');
  });

  test('a dry run shows the first message of the chosen version', async () => {
    const { post } = await given();
    expect((await post({ dry_run: true, agent_version: 2 })).body.opening).toBe('two');
    expect((await post({ dry_run: true })).body.opening).toBe('one');
  });

  test('a version that was never published is refused, after the schema and before the state', async () => {
    const { post, triggerId } = await given();
    const codes = async (body: object) => {
      const { status, body: answer } = await post(body);
      return [status, answer.code];
    };
    await parley.db.update(trigger).set({ enabled: false }).where(eq(trigger.id, triggerId));
    expect(await codes({ agent_version: 0 })).toEqual([422, 'validation_failed']);
    expect(await codes({ agent_version: 3, end_user: { name: 'Asha' } })).toEqual([422, 'validation_failed']);
    expect(await codes({ agent_version: 3 })).toEqual([422, 'agent_version_not_found']);
  });

  test('a disabled trigger is refused although the version exists', async () => {
    const { post, triggerId } = await given();
    await call(`PATCH /organizations/${orgId}/triggers/${triggerId}`, { enabled: false });
    expect((await post({ agent_version: 2 })).body.code).toBe('trigger_disabled');
  });
});

describe('a rollout', () => {
  test('a person has one version in all conversations, also after the percentage grows', async () => {
    const { rollout, hear } = await given();
    const all = async () => Promise.all(Array.from({ length: 40 }, (_, number) => hear(person(number))));
    await rollout({ version: 2, percent: 40 });
    const first = await all();
    expect(new Set(first)).toEqual(new Set(['one', 'two']));
    expect(await all()).toEqual(first);
    await rollout({ version: 2, percent: 80 });
    const later = await all();
    expect(later.filter((words) => words === 'two').length).toBeGreaterThan(
      first.filter((words) => words === 'two').length,
    );
    expect(later.filter((words, number) => words === 'one' && first[number] === 'two')).toEqual([]);
  });

  test('stopping a rollout gives everyone the live version, and finishing it makes its version live', async () => {
    const { rollout, hear, end, agent } = await given();
    await rollout({ version: 2, percent: 100 });
    expect(await hear()).toBe('two');
    expect((await end('stop')).body).toMatchObject({
      status: 'stopped',
      reason: 'member',
      version: 2,
      base_version: 1,
    });
    expect(await hear()).toBe('one');
    expect((await end('stop')).body.code).toBe('rollout_not_active');
    await rollout({ version: 2, percent: 0 });
    expect(await hear()).toBe('one');
    expect((await end('finish')).body).toMatchObject({ status: 'finished', reason: null });
    expect(await hear()).toBe('two');
    expect((await call(`GET ${agent}`)).body).toMatchObject({
      version: 2,
      newest_version: 2,
      published: opening('two'),
    });
  });

  test('everyone else gets the newest earlier version that was live if the live version is rolled out', async () => {
    const { rollout, hear, agent } = await given();
    await call(`POST ${agent}/publish`);
    // Version 2 was never live.
    const { version } = (await call(`GET ${agent}`)).body;
    expect((await rollout({ version, percent: 0 })).body).toMatchObject({ version: 3, base_version: 1 });
    expect((await call(`GET ${agent}`)).body.version).toBe(1);
    expect(await hear(person(1))).toBe('one');
  });

  test('a version whose rollout was stopped does not become live when the version after it is rolled out', async () => {
    const { rollout, hear, agent, end } = await given();
    await rollout({ version: 2, percent: 100 });
    await end('stop');
    const { version } = (await call(`PATCH ${agent}`, { definition: opening('three') })).body;
    expect((await rollout({ version, percent: 0 })).body).toMatchObject({ version: 3, base_version: 1 });
    expect(await hear()).toBe('one');
  });

  test('a version that became live by a rollout becomes live again when the version after it is rolled out', async () => {
    const { rollout, agent, end } = await given();
    await rollout({ version: 2, percent: 0 });
    await end('finish');
    const { version } = (await call(`PATCH ${agent}`, { definition: opening('three') })).body;
    expect((await rollout({ version, percent: 0 })).body).toMatchObject({ version: 3, base_version: 2 });
  });

  test('the live version cannot change during a rollout, but a call can choose a version', async () => {
    const { rollout, hear, agent, end } = await given();
    await rollout({ version: 2, percent: 100 });
    expect(await hear({ agent_version: 1 })).toBe('one');
    expect((await call(`POST ${agent}/publish`)).body.code).toBe('rollout_active');
    expect((await call(`PATCH ${agent}`, { definition: opening('three') })).body.code).toBe('rollout_active');
    expect((await rollout({ version: 1, percent: 10 })).body.code).toBe('rollout_active');
    await end('stop');
    expect((await call(`PATCH ${agent}`, { definition: opening('three') })).body).toMatchObject({ version: 3 });
  });

  test('a rollout needs a published version that differs from the live one', async () => {
    const { rollout } = await given();
    expect((await rollout({ version: 9, percent: 10 })).body.code).toBe('agent_version_not_found');
    expect((await rollout({ version: 1, percent: 10 })).body.errors).toMatchObject([{ pointer: '/version' }]);
    expect((await rollout({ version: 2, percent: 101 })).status).toBe(422);
    expect((await rollout({ version: 2, percent: 10, stop_when: { worse_by: 2, confidence: 0.95 } })).status).toBe(422);
  });

  test('a change of the percentage keeps the limit, and null removes it', async () => {
    const { rollout } = await given();
    const limit = { worse_by: 0.05, confidence: 0.95 };
    await rollout({ version: 2, percent: 10, stop_when: limit });
    expect((await rollout({ version: 2, percent: 20 })).body).toMatchObject({ percent: 20, stop_when: limit });
    expect((await rollout({ version: 2, percent: 20, stop_when: null })).body.stop_when).toBeNull();
  });
});

describe('the automatic stop', () => {
  /** Version 2 hands every question about hours to the team. */
  const WORSE = opening('two', { rules: [{ name: 'Hours', words: ['hours'], action: 'hand_off' }] });
  const LIMIT = { worse_by: 0.05, confidence: 0.95 };
  const ask = { message: 'What are your hours?' };

  /** Nothing else makes a comparison due within a minute. */
  const review = async (agent: string) => {
    const id = agent.split('/').at(-1)!;
    await parley.db
      .update(agentRollout)
      .set({ checkAt: sql`now()` })
      .where(eq(agentRollout.agentId, id));
    await reviewRollouts(parley.db, 100);
  };

  test('a comparison that fails does not prevent the comparison of other rollouts', async () => {
    const started = async () => {
      const made = await given(WORSE);
      await made.rollout({ version: 2, percent: 50, stop_when: LIMIT });
      return { ...made, id: made.agent.split('/').at(-1)! };
    };
    // The database returns the due rollouts in any order, so one broken rollout is older and one is newer.
    const [older, { post, agent }, newer] = [await started(), await started(), await started()];
    const broken = [older.id, newer.id];
    await Promise.all(Array.from({ length: 60 }, () => post(ask)));
    await parley.db
      .update(agentVersion)
      .set({ definition: sql`'null'` })
      .where(inArray(agentVersion.agentId, broken));
    await parley.db.update(agentRollout).set({ checkAt: sql`now()` });
    await expect(reviewRollouts(parley.db, 100)).rejects.toThrow(/null/);
    await parley.db.update(agentRollout).set({ stopWhen: null }).where(inArray(agentRollout.agentId, broken));
    expect((await call(`GET ${agent}/rollout`)).body).toMatchObject({ status: 'stopped', reason: 'worse' });
  });

  test('a comparison that fails prevents neither a change nor the end of its rollout', async () => {
    const { rollout, end, agent } = await given();
    await rollout({ version: 2, percent: 50 });
    await parley.db
      .update(agentVersion)
      .set({ definition: sql`'null'` })
      .where(eq(agentVersion.agentId, agent.split('/').at(-1)!));
    expect(await rollout({ version: 2, percent: 0 })).toMatchObject({
      status: 200,
      body: { status: 'active', percent: 0, comparison: null },
    });
    expect(await end('stop')).toMatchObject({ status: 200, body: { status: 'stopped', comparison: null } });
    expect((await call(`GET ${agent}/rollout`)).body).toMatchObject({ status: 'stopped', comparison: null });
  });

  test('the comparison of a rollout reads a limited number of its newest runs', async () => {
    const { post, rollout } = await given();
    const { id } = (await rollout({ version: 2, percent: 100 })).body;
    for (const _ of [1, 2, 3]) await post(ask);
    expect(await countArms(parley.db, orgId, id, [])).toEqual([{ version: 2, n: 3, hits: 0 }]);
    expect(await countArms(parley.db, orgId, id, [], 2)).toEqual([{ version: 2, n: 2, hits: 0 }]);
  });

  test('a worse version is stopped, with an event, an audit record and the comparison', async () => {
    const { post, rollout, agent, hear } = await given(WORSE);
    await rollout({ version: 2, percent: 50, stop_when: LIMIT });
    await Promise.all(Array.from({ length: 60 }, () => post(ask)));
    // Those who have written twice count once.
    await Promise.all(Array.from({ length: 20 }, () => post({ ...ask, ...person(7) })));
    await review(agent);
    const { body } = await call(`GET ${agent}/rollout`);
    expect(body).toMatchObject({ status: 'stopped', reason: 'worse' });
    const { base, rolled_out: tried, worse_by: worse } = body.comparison;
    expect([base.end_users + tried.end_users, base.problems.count, tried.problems.count]).toEqual([
      61,
      0,
      tried.end_users,
    ]);
    expect(worse.low).toBeGreaterThan(LIMIT.worse_by);
    await expect
      .poll(() => endpoint.calls.map((sent) => JSON.parse(sent.body.toString()) as { type: string; data: object }))
      .toContainEqual(
        expect.objectContaining({
          type: 'agent.rollout_stopped',
          data: expect.objectContaining({ id: body.id, reason: 'worse', version: 2, comparison: body.comparison }),
        }),
      );
    expect(await hear(ask)).toBe('From eight to five.');
    const audit = await call(`GET /organizations/${orgId}/audit`);
    expect(audit.body.data).toContainEqual(
      expect.objectContaining({ action: 'agent.rollout_stopped', facts: { version: 2, percent: 50, reason: 'worse' } }),
    );
  });

  test('a rollout continues if its version is equal to the live one, or if it has no limit', async () => {
    const equal = await given();
    await equal.rollout({ version: 2, percent: 50, stop_when: LIMIT });
    const unlimited = await given(WORSE);
    await unlimited.rollout({ version: 2, percent: 50 });
    await Promise.all(Array.from({ length: 30 }, () => [equal.post(ask), unlimited.post(ask)]).flat());
    for (const { agent } of [equal, unlimited]) {
      await review(agent);
      expect((await call(`GET ${agent}/rollout`)).body.status).toBe('active');
    }
  });

  test('a run whose first turn fails counts for its version', async () => {
    const broken: AgentDefinition = { ...opening('two'), provider: 'openai_compatible', model: 'none', rules: [] };
    const { post, rollout, agent, path } = await given(broken);
    await rollout({ version: 2, percent: 100 });
    const { body } = await post(ask);
    await expect
      .poll(async () => (await parley.call('GET', `${path}/runs/${body.id}`, { key })).body)
      .toMatchObject({ status: 'failed', agent_version: 2 });
    const { comparison } = (await call(`GET ${agent}/rollout`)).body;
    expect(comparison.rolled_out).toMatchObject({ end_users: 1, problems: { count: 1 } });
  });
});

describe('the comparison', () => {
  test('the comparison counts the outcomes of the runs of each version, with intervals', async () => {
    const { post, rollout, agent } = await given(
      opening('two', { rules: [{ name: 'Hours', words: ['hours'], action: 'hand_off' }] }),
    );
    await rollout({ version: 2, percent: 50 });
    await Promise.all(Array.from({ length: 30 }, () => post({ message: 'What are your hours?' })));
    await Promise.all(Array.from({ length: 5 }, () => post({ message: 'Do you sell umbrellas?' })));
    await post({ agent_version: 1 });
    const { body } = await call(`GET ${agent}/versions/compare`);
    expect(body.rollout.version).toBe(2);
    const [two, one] = body.data;
    expect([two.version, one.version, two.runs + one.runs]).toEqual([2, 1, 35]);
    expect(two.handed_off.count + two.unanswered.count).toBe(two.runs);
    expect([one.handed_off.count, one.completed.count, one.result_complete]).toEqual([0, 0, null]);
    expect(one.unanswered.count + two.unanswered.count).toBe(5);
    expect(one.handed_off.part).toMatchObject({ value: 0, low: 0 });
    expect(one.handed_off.part.high).toBeLessThan(1);
    expect(two.cost).toEqual([]);
  });

  test('without a rollout, the runs of the last 30 days are compared', async () => {
    const { post, agent } = await given();
    await post({});
    await post({ agent_version: 2 });
    const { body } = await call(`GET ${agent}/versions/compare`);
    expect(body).toMatchObject({
      rollout: null,
      data: [
        { version: 2, runs: 1 },
        { version: 1, runs: 1 },
      ],
    });
  });
});
