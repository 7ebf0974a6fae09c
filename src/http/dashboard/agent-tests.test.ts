import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestCase } from '../../../contract/dashboard/test-cases.ts';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { FAKE_MODEL_KEY, startFakeModel } from '../../../test/fakes/model.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';

/** Tests of an agent: what they see, what they count for, and what publishing needs. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let member: Client;
let at: string;

const HOURS = 'We open at 9:00 and close at 18:00, every day except Friday.';
beforeAll(async () => {
  server = await startDashboard({ egressAllow: ['127.0.0.1'] });
  owner = await setUpOwner(server);
  member = (await addMember(server, owner.call, owner.orgId, 'member')).call;
  at = `/organizations/${owner.orgId}/agents`;
});
afterAll(() => server.stop());

const makeAgent = async (definition: object = {}): Promise<string> => {
  const made = await member(`POST ${at}`, { name: 'Shop', definition });
  expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
  await member(`POST ${at}/${made.body.id}/documents`, { name: 'Opening hours', text: HOURS });
  return made.body.id as string;
};
async function connectedModel() {
  const model = await startFakeModel();
  const set = await owner.call(`PUT /organizations/${owner.orgId}/models/openai_compatible`, {
    base_url: model.baseUrl('openai_compatible'),
    key: FAKE_MODEL_KEY,
  });
  expect({ status: set.status, body: set.body }).toMatchObject({ status: 200 });
  return model;
}
const run = async (agent: string, suiteCase: TestCase, more: object = {}) =>
  (await member(`POST ${at}/${agent}/test`, { case: suiteCase, ...more })).body;
const once = (say: string | undefined, expectation: object): TestCase => ({
  name: 'one',
  turns: [{ ...(say !== undefined && { say }), expect: expectation }],
});

describe('a test of an agent', () => {
  const QUESTION = 'When do you open?';
  test.each<[string, string | undefined, object, object]>([
    ['says', QUESTION, { says: ['9:00', 'EVERY  day'] }, { says: 'Sunday' }],
    ['says', QUESTION, { says: '18:00' }, { says: '8:00' }],
    ['says_not', QUESTION, { says_not: ['8:00', '19:0'] }, { says_not: '18:00' }],
    ['says_any', QUESTION, { says_any: ['nine', '9:00'] }, { says_any: ['nine', 'ten'] }],
    ['says_not', QUESTION, { says_not: 'closed' }, { says_not: ['closed', 'Friday'] }],
    ['cites', QUESTION, { cites: 'opening hours' }, { cites: 'Prices' }],
    ['knows', QUESTION, { knows: true }, { knows: false }],
    ['knows', 'Do you sell zebras in Oslo?', { knows: false }, { knows: true }],
    ['calls', QUESTION, { calls: [] }, { calls: [{ tool: 'order_status' }] }],
    ['hands_off', QUESTION, { hands_off: false }, { hands_off: true }],
    ['completes', QUESTION, { completes: false }, { completes: true }],
    ['opts_out', 'STOP', { opts_out: true }, { opts_out: false }],
    ['language', QUESTION, { language: 'en' }, { language: 'ar' }],
    ['max_messages', QUESTION, { max_messages: 1 }, { max_messages: 0 }],
  ])('%s after %s', async (name, say, holds, breaks) => {
    const agent = await makeAgent();
    expect(await run(agent, once(say, holds))).toMatchObject({ passed: true });
    const failed = await run(agent, once(say, breaks));
    expect(failed).toMatchObject({ passed: false, turns: [{ faults: [{ expectation: name }] }] });
  });

  test('a test begins with the agent’s first message, and two test runs are equal byte for byte', async () => {
    const agent = await makeAgent({ opening: { en: 'Table for 12? It is {{shop}}.' } });
    const suiteCase: TestCase = {
      name: 'opening',
      variables: { shop: 'Doha Books' },
      turns: [
        { expect: { says: [12, 'Doha Books'] } },
        { say: 'When do you open?', expect: { cites: 'Opening hours' } },
      ],
    };
    const first = await run(agent, suiteCase);
    expect(first).toMatchObject({ passed: true, turns: [{ said: ['Table for 12? It is Doha Books.'] }, {}] });
    expect(JSON.stringify(await run(agent, suiteCase))).toBe(JSON.stringify(first));
    const wrong = await run(agent, { ...suiteCase, turns: [{ expect: { says: 1 } }] });
    expect(wrong.passed).toBe(false);
  });

  test('a test fills the slots of steps, and a turn after the end of the conversation is a fault', async () => {
    const items = [
      { name: 'party', ask: { en: 'How many people?' }, type: 'number' },
      { name: 'day', ask: { en: 'Which day?' }, type: 'text' },
    ];
    const agent = await makeAgent({ steps: { items } });
    const suiteCase: TestCase = {
      name: 'booking',
      turns: [
        {},
        { say: '4', expect: { slots: { party: 4 } } },
        { say: 'Monday', expect: { slots: { day: 'MONDAY' } } },
      ],
    };
    expect(await run(agent, suiteCase)).toMatchObject({ passed: true });
    suiteCase.turns[1]!.expect = { slots: { party: 5 } };
    expect(await run(agent, suiteCase)).toMatchObject({
      passed: false,
      turns: [{}, { faults: [{ expectation: 'slots', expected: { party: 5 }, found: { party: 4 } }] }, {}],
    });
  });

  test('a test can expect result values that steps fill', async () => {
    const items = [{ name: 'party', ask: { en: 'How many people?' }, type: 'number' }];
    const fields = [
      { name: 'party', type: 'integer' },
      { name: 'day', type: 'date' },
    ];
    const agent = await makeAgent({ steps: { items }, result: { fields } });
    const turns = (day: string | null) => [{}, { say: '4', expect: { result: { party: 4, day } } }];
    expect(await run(agent, { name: 'booking', turns: turns(null) })).toMatchObject({ passed: true });
    expect(await run(agent, { name: 'booking', turns: turns('2026-11-24') })).toMatchObject({
      turns: [{}, { faults: [{ expectation: 'result', expected: { day: '2026-11-24' }, found: { party: 4 } }] }],
    });
  });

  test.each(['openai_compatible', 'openai', 'anthropic', 'google'] as const)(
    'a test can expect result values that a model of %s fills, recorded and replayed',
    async (provider) => {
      const model = await startFakeModel();
      const connection = `/organizations/${owner.orgId}/models/${provider}`;
      await owner.call(`PUT ${connection}`, { base_url: model.baseUrl(provider), key: FAKE_MODEL_KEY });
      const fields = [
        { name: 'day', type: 'date' },
        { name: 'size', type: 'choice', choices: ['s', 'l'] },
      ];
      const agent = await makeAgent({ provider, model: 'm', result: { fields } });
      const expected = { hands_off: true, result: { day: '2026-11-24', size: null } };
      const suiteCase: TestCase = { name: 'visit', turns: [{ say: 'A colleague on the 24th.', expect: expected }] };
      const handOff = { tool: 'hand_off_to_human', args: { reason: 'asked', message: 'A colleague comes.' } };
      model.script(handOff, { text: JSON.stringify({ day: '2026-11-24', size: null }) });
      const recorded = await run(agent, suiteCase, { record: true });
      expect(recorded).toMatchObject({ passed: true });
      await model.close();
      expect(await run(agent, suiteCase, { recorded: recorded.recorded })).toMatchObject({ passed: true });
    },
  );

  test.each(['openai_compatible', 'openai', 'anthropic', 'google'] as const)(
    'a test of %s is recorded and replayed without a model call, until instructions or model change',
    async (provider) => {
      const model = await startFakeModel();
      const connection = `/organizations/${owner.orgId}/models/${provider}`;
      const set = await owner.call(`PUT ${connection}`, { base_url: model.baseUrl(provider), key: FAKE_MODEL_KEY });
      expect({ status: set.status, body: set.body }).toMatchObject({ status: 200 });
      const parameters = { type: 'object', properties: { id: { type: 'string' }, max_tokens: { type: 'string' } } };
      const tool = { name: 'order_status', description: 'Status.', parameters, url: 'https://shop.example/t' };
      const definition = { provider, model: 'm', instructions: 'Be kind.', tools: [tool] };
      const agent = await makeAgent(definition);
      const suiteCase: TestCase = {
        name: 'order',
        tools: [{ tool: 'order_status', answer: { status: 'shipped' } }],
        turns: [{ say: 'Where is A-1?', expect: { says: 'shipped' } }, { say: 'Thanks' }],
      };
      model.script({ tool: 'order_status', args: { id: 'A-1' } }, { text: `Shipped. ${FAKE_MODEL_KEY}` });
      const { recorded, ...live } = await run(agent, suiteCase, { record: true });
      expect(live).toMatchObject({ passed: true });
      expect(Object.keys(recorded)).toHaveLength(3);
      expect(JSON.stringify(recorded)).not.toContain(FAKE_MODEL_KEY);
      await model.close();
      expect((await owner.call(`DELETE ${connection}`)).status).toBe(204);

      const again = await run(agent, suiteCase, { recorded });
      expect(again).toMatchObject({ passed: true, turns: [{ said: ['Shipped. [redacted]'] }, {}] });
      expect(JSON.stringify(await run(agent, suiteCase, { recorded }))).toBe(JSON.stringify(again));
      const renamed = { id: { type: 'string' }, max_tokens: { type: 'number' } };
      for (const change of [
        { instructions: 'Be short.' },
        { model: 'other' },
        { tools: [{ ...tool, parameters: { ...parameters, properties: renamed } }] },
      ]) {
        await member(`PATCH ${at}/${agent}`, { definition: { ...definition, ...change }, publish: false });
        expect((await run(agent, suiteCase, { recorded })).code, JSON.stringify(change)).toBe('answer_not_recorded');
      }
    },
  );

  test('a test answers the tool calls of a model itself: no tool is called, and a call without an answer fails', async () => {
    const model = await connectedModel();
    const parameters = { type: 'object', properties: { id: { type: 'string' } } };
    const tool = {
      name: 'order_status',
      description: 'Status of an order.',
      parameters,
      url: 'https://shop.example/t',
    };
    const agent = await makeAgent({ provider: 'openai_compatible', model: 'm', tools: [tool] });
    const suiteCase: TestCase = {
      name: 'order',
      tools: [{ tool: 'order_status', arguments: { id: 'A-1' }, answer: { status: 'shipped' } }],
      turns: [{ say: 'Where is A-1?', expect: { calls: [{ tool: 'order_status', arguments: { id: 'a-1' } }] } }],
    };
    model.script({ tool: 'order_status', args: { id: 'A-1' } }, { text: 'It has shipped.' });
    expect(await run(agent, suiteCase)).toMatchObject({
      passed: true,
      turns: [{ said: ['It has shipped.'], calls: [{ tool: 'order_status', arguments: { id: 'A-1' } }] }],
    });
    expect(JSON.stringify(model.calls.at(-1)!.body)).toContain('shipped');
    model.script({ tool: 'order_status', args: { id: 'B-2' } }, { text: 'I cannot say.' });
    expect(await run(agent, suiteCase)).toMatchObject({
      passed: false,
      turns: [{ faults: [{ expectation: 'calls' }] }],
    });
    expect(JSON.stringify(model.calls.at(-1)!.body)).toContain('The test has no answer');
    model.script({ status: 401 });
    expect(await run(agent, suiteCase)).toMatchObject({ code: 'provider_failed' });
    await model.close();
  });

  describe('a rubric', () => {
    const RUBRIC = 'It is polite.';
    const expected = (rubric: object | string, more: object = {}) => once('When do you open?', { rubric, ...more });

    test('the model of the agent judges a rubric by the conversation alone, and gives its reason', async () => {
      const model = await connectedModel();
      const agent = await makeAgent({ provider: 'openai_compatible', model: 'm', instructions: 'Sell books.' });
      model.script({ text: 'At 9:00, dear reader.' }, { text: 'Yes. It is kind.' });
      expect(await run(agent, expected(RUBRIC))).toMatchObject({
        passed: true,
        turns: [{ faults: [], judgment: { by: 'openai_compatible/m', met: true, why: 'It is kind.' } }],
      });
      const asked = model.calls.at(-1)!.body;
      const words = JSON.stringify(asked);
      for (const part of ['You judge', RUBRIC, 'At 9:00, dear reader.', 'When do you open?'])
        expect(words).toContain(part);
      for (const part of ['Sell books', HOURS]) expect(words).not.toContain(part);
      expect(asked.tools).toBeUndefined();

      model.script({ text: 'Nine.' }, { text: 'no: it is curt.' });
      expect(await run(agent, expected(RUBRIC))).toMatchObject({
        passed: false,
        turns: [
          { faults: [{ expectation: 'rubric', expected: RUBRIC, found: 'it is curt.' }], judgment: { met: false } },
        ],
      });
      model.script({ text: 'Nine.' }, { text: 'Notable answer!' });
      expect(await run(agent, expected(RUBRIC))).toMatchObject({
        passed: false,
        turns: [{ faults: [{ found: 'No verdict: Notable answer!' }] }],
      });
      await model.close();
    });

    test('no model judges a rubric if another expectation fails', async () => {
      const model = await connectedModel();
      const agent = await makeAgent({ provider: 'openai_compatible', model: 'm' });
      model.script({ text: 'Nine.' });
      const result = await run(agent, expected(RUBRIC, { says: '10:00' }));
      expect(result.turns[0].faults).toMatchObject([{ expectation: 'says' }]);
      expect(result.turns[0].judgment).toBeUndefined();
      expect(model.calls).toHaveLength(1);
      await model.close();
    });

    test('a rubric of an agent without a model must name its judge', async () => {
      const model = await connectedModel();
      const agent = await makeAgent();
      expect(await run(agent, expected(RUBRIC))).toMatchObject({
        code: 'validation_failed',
        errors: [{ code: 'required' }],
      });
      model.script({ text: 'yes' });
      const judge = { text: RUBRIC, provider: 'openai_compatible', model: 'judge-1' };
      expect(await run(agent, expected(judge, { says: '9:00' }))).toMatchObject({
        passed: true,
        turns: [{ judgment: { by: 'openai_compatible/judge-1' } }],
      });
      expect(model.calls[0]!.body.model).toBe('judge-1');
      await model.close();
    });

    test('the judgment of a rubric is recorded and replayed with the answers of the agent', async () => {
      const model = await connectedModel();
      const agent = await makeAgent({ provider: 'openai_compatible', model: 'm' });
      model.script({ text: 'At 9:00.' }, { text: 'Yes. Fine.' });
      const first = await run(agent, expected(RUBRIC), { record: true });
      expect(Object.keys(first.recorded)).toHaveLength(2);
      await model.close();
      const { recorded } = first;
      expect(await run(agent, expected(RUBRIC), { recorded })).toMatchObject({ passed: true });
      expect(await run(agent, expected('It rhymes.'), { recorded })).toMatchObject({ code: 'answer_not_recorded' });
    });
  });

  test('a test case with an empty later turn, a duplicate name or an agent of another organization is refused', async () => {
    const agent = await makeAgent();
    const silent = { name: 'x', turns: [{}, {}] };
    expect((await member(`POST ${at}/${agent}/test`, { case: silent })).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/case/turns/1/say' }],
    });
    const twice = { cases: [once('a', {}), once('b', {})] };
    expect((await member(`PUT ${at}/${agent}/suite`, twice)).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/cases/1/name', code: 'duplicate' }],
    });
    expect((await member(`POST ${at}/${agent}/test`, { case: once('a', {}), version: 9 })).body.code).toBe(
      'version_not_found',
    );
  });
});

describe('a case made from a conversation', () => {
  const made = (name: string, from?: string): TestCase => ({
    ...once('When do you open?', {}),
    name,
    ...(from && { from }),
  });
  const stored = async (agent: string) =>
    (await member(`GET ${at}/${agent}/suite`)).body.cases.map(({ name }: TestCase) => name);

  test('a case from a conversation is removed with its person, and does not return from a file', async () => {
    const [first, second, other] = [await makeAgent(), await makeAgent(), await makeAgent()];
    const { channelId } = await givenAgent(server.db, owner.orgId);
    const { endUserId: asha } = await givenConversation(server.db, owner.orgId, channelId);
    const { endUserId: omar } = await givenConversation(server.db, owner.orgId, channelId);
    const mixed = { cases: [made('a', asha), made('b'), made('c', omar), made('d', asha)] };
    expect((await member(`PUT ${at}/${first}/suite`, mixed)).status).toBe(200);
    await member(`PUT ${at}/${second}/suite`, { cases: [made('a', asha)], required: true });
    await member(`PUT ${at}/${other}/suite`, { cases: [made('b')] });
    expect(await stored(first)).toEqual(['a', 'b', 'c', 'd']);

    const erased = await owner.call(`DELETE /organizations/${owner.orgId}/end-users/${asha}`);
    expect(erased.status).toBe(204);
    expect([await stored(first), await stored(second), await stored(other)]).toEqual([['b', 'c'], [], ['b']]);
    expect((await member(`GET ${at}/${second}/suite`)).body).toMatchObject({ required: true, open: [] });
    const audit = (await owner.call(`GET /organizations/${owner.orgId}/audit?subject_id=${asha}`)).body.data;
    expect(audit[0]).toMatchObject({ action: 'end_user.erased', facts: { tests: 3 } });

    expect((await member(`PUT ${at}/${first}/suite`, mixed)).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/cases/0/from' }, { pointer: '/cases/3/from' }],
    });
    expect(await stored(first)).toEqual(['b', 'c']);
  });

  test('a case from a conversation names no one of another organization', async () => {
    const agent = await makeAgent();
    const elsewhere = await givenOrganization(server.db);
    const { channelId } = await givenAgent(server.db, elsewhere);
    const { endUserId } = await givenConversation(server.db, elsewhere, channelId);
    const set = await member(`PUT ${at}/${agent}/suite`, { cases: [made('a', endUserId)] });
    expect(set.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/cases/0/from', code: 'not_found' }],
    });
  });
});

describe('publishing that needs the tests', () => {
  const opens: TestCase = { name: 'Opens', turns: [{ expect: { says: 'Welcome' } }] };
  const hours: TestCase = { name: 'Hours', turns: [{ say: 'When do you open?', expect: { says: '9:00' } }] };
  const draft = (agent: string, opening: string) =>
    member(`PATCH ${at}/${agent}`, { definition: { opening: { en: opening } }, publish: false });
  const publish = async (agent: string, body?: object) => {
    const { status, body: answer } = await member(`POST ${at}/${agent}/publish`, body);
    return status === 200 ? 'published' : (answer.code as string);
  };
  const open = async (agent: string) => (await member(`GET ${at}/${agent}/suite`)).body.open;

  test('publishing is refused until each case has passed with exactly this definition', async () => {
    const agent = await makeAgent({ opening: { en: 'Hello' } });
    expect(await open(agent)).toEqual([]);
    await member(`PUT ${at}/${agent}/suite`, { cases: [opens, hours], required: true });
    await draft(agent, 'Good day');
    expect(await publish(agent)).toBe('tests_not_passed');
    expect(await run(agent, opens)).toMatchObject({ passed: false });
    expect(await run(agent, hours)).toMatchObject({ passed: true });
    expect(await open(agent)).toEqual(['Opens']);
    await draft(agent, 'Welcome!');
    // What passed on the former draft does not count for this one.
    expect(await run(agent, opens)).toMatchObject({ passed: true });
    expect(await open(agent)).toEqual(['Hours']);
    expect(await publish(agent)).toBe('tests_not_passed');
    await run(agent, hours);
    expect(await publish(agent)).toBe('published');
  });

  test('a pass does not count after a change of documents or case, or after a later failure', async () => {
    const agent = await makeAgent({ opening: { en: 'Welcome' } });
    await member(`PUT ${at}/${agent}/suite`, { cases: [hours], required: true });
    await run(agent, hours);
    expect(await open(agent)).toEqual([]);
    await member(`POST ${at}/${agent}/documents`, { name: 'More', text: 'We deliver in Doha.' });
    expect(await open(agent)).toEqual(['Hours']);
    // A case that is not stored counts for nothing, also when it is stored later.
    const easier = { ...hours, turns: [{ say: 'When do you open?' }] };
    await run(agent, easier);
    expect(await open(agent)).toEqual(['Hours']);
    await member(`PUT ${at}/${agent}/suite`, { cases: [easier] });
    expect(await open(agent)).toEqual(['Hours']);
    expect((await member(`GET ${at}/${agent}/suite`)).body.required).toBe(true);
  });

  test('each way to publish needs the tests, and the audit log has the reason that overrides them', async () => {
    const agent = await makeAgent({ opening: { en: 'Hello' } });
    await member(`PUT ${at}/${agent}/suite`, { cases: [opens], required: true });
    const direct = await member(`PATCH ${at}/${agent}`, { definition: { opening: { en: 'Good day' } } });
    expect([direct.status, direct.body.code]).toEqual([409, 'tests_not_passed']);
    const restored = await member(`POST ${at}/${agent}/versions/1/restore`);
    expect(restored.body.code).toBe('tests_not_passed');
    await draft(agent, 'Good day');
    expect(await publish(agent, { without_tests: 'The shop burns' })).toBe('published');
    const newest = (await member(`GET ${at}/${agent}/versions`)).body.data[0];
    expect(newest.without_tests).toBe('The shop burns');
    const { body } = await owner.call(`GET /organizations/${owner.orgId}/audit?limit=1`);
    expect(body.data[0]).toMatchObject({
      action: 'agent.published',
      facts: { without_tests: 'The shop burns', open_tests: 1 },
    });
  });

  test('a token with the verb push may change the tests, but not whether publishing requires them', async () => {
    const agent = await makeAgent();
    const made = await owner.call(`POST /organizations/${owner.orgId}/access-tokens`, {
      label: 'CI',
      verbs: ['read', 'test', 'push'],
    });
    const token: Client = (call, body) => server.as(null)(call, body, { authorization: `Bearer ${made.body.value}` });
    const set = (body: object) => token(`PUT ${at}/${agent}/suite`, body);
    expect((await set({ cases: [hours], required: true })).body.code).toBe('token_too_narrow');
    expect((await set({ cases: [hours] })).status).toBe(200);
    expect((await token(`POST ${at}/${agent}/test`, { case: hours })).body.passed).toBe(true);
  });
});
