import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eq } from 'drizzle-orm';
import { message } from '../../store/schema/conversation.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { type ReplayResult, summarizeReplays } from '../../../contract/dashboard/replay.ts';
import { runCli } from '../../../cli/testing/run-cli.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { FAKE_MODEL_KEY, startFakeModel } from '../../../test/fakes/model.ts';
import { type SignedIn, signedInOwner } from '../../../test/signed-in.ts';

/** Conversations that have been, played on another definition. */
let parley: TestApp;
let call: SignedIn;
let orgId: string;
let key: string;
let at: string;
let home: string;

beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  key = (await parley.key(orgId)).value;
  home = mkdtempSync(path.join(tmpdir(), 'parley-replay-'));
  at = `/organizations/${orgId}/agents`;
});
afterAll(async () => {
  await parley?.stop();
  rmSync(home, { recursive: true, force: true });
});

const HOURS = 'We open at 9:00 and close at 18:00, every day except Friday.';
const RULES = [
  { name: 'parking', words: ['parking'], reply: { en: 'Park behind the shop.' } },
  { name: 'angry', words: ['lawyer'], action: 'hand_off' as const, reply: { en: 'A colleague comes.' } },
  { name: 'done', words: ['goodbye'], action: 'complete' as const, reply: { en: 'See you.' } },
];
const OPENING = { en: 'Hello {{end_user.name}}, your order is {{order}}.' };

const makeAgent = async (definition: Partial<AgentDefinition> = {}) => {
  const body = { name: 'Shop', definition: { opening: OPENING, rules: RULES, ...definition } };
  const made = await call(`POST ${at}`, body);
  expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
  const agent = made.body.id as string;
  await call(`POST ${at}/${agent}/documents`, { name: 'Opening hours', text: HOURS });
  const variables = [{ name: 'order', type: 'string' }];
  const trigger = await call(`POST /organizations/${orgId}/triggers`, { agent_id: agent, name: 'Order', variables });
  expect({ status: trigger.status, body: trigger.body }).toMatchObject({ status: 201 });
  return { agent, trigger: trigger.body.id as string };
};
type Made = Awaited<ReturnType<typeof makeAgent>>;

let people = 0;
/** Talks as a real person would; returns the conversation. */
async function talk({ agent, trigger }: Made, lines: readonly string[]): Promise<string> {
  const body = { end_user: { external_id: `p${people++}`, name: 'Asha' }, variables: { order: 'A-1' } };
  const headers = { prefer: 'wait=20' };
  const started = await parley.call('POST', `/api/triggers/${agent}/${trigger}`, { key, body, headers });
  expect(started.body).toMatchObject({ status: 'waiting_for_user' });
  const id = started.body.conversation_id as string;
  for (const text of lines) {
    const sent = await call(`POST /organizations/${orgId}/conversations/${id}/say`, { text });
    expect(sent.status).toBe(200);
  }
  return id;
}
const replay = async (agent: string, id: string, more: object = {}): Promise<ReplayResult> =>
  (await call(`POST ${at}/${agent}/replay`, { conversation_id: id, ...more })).body;
const draft = async (agent: string, definition: Partial<AgentDefinition>): Promise<void> => {
  const set = await call(`PATCH ${at}/${agent}`, {
    definition: { opening: OPENING, rules: RULES, ...definition },
    publish: false,
  });
  expect(set.status).toBe(200);
};
const changes = ({ turns, stopped }: ReplayResult) => ({
  turns: turns.map(({ changed, cause }) => (cause === null ? 'same' : `${cause}: ${changed.join(', ')}`)),
  stopped,
});

describe('a replay', () => {
  test(
    'a replay of 200 conversations shows exactly the planted change',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      const steps = { items: [{ name: 'size', ask: { en: 'Which size?' }, type: 'number' as const }] };
      const made = await makeAgent({
        steps: { ...steps, start: 'by_rule' as const },
        rules: [...RULES, { name: 'table', words: ['table'], action: 'start_steps' as const }],
      });
      const LINES = [
        'When do you open?',
        'Is there parking?',
        'A table please',
        '4',
        'ok',
        'Thanks!',
        'Do you sell zebras?',
        'متى تفتحون؟',
        'lawyer',
        'goodbye',
      ];
      const next = pseudoRandom(20_261_123);
      const talks = Array.from({ length: 200 }, () =>
        Array.from({ length: 1 + next(5) }, () => LINES[next(LINES.length)]!),
      );
      const ids = new Map<string, readonly string[]>();
      const left = [...talks];
      const one = async (): Promise<void> => {
        for (let lines = left.pop(); lines; lines = left.pop()) ids.set(await talk(made, lines), lines);
      };
      await Promise.all(Array.from({ length: 12 }, one));

      const env = await signedInEnv();
      const played = async () => {
        const { stdout, stderr, code } = await runCli(
          ['agents', 'replay', made.agent, '--last', '200', '--exit-code'],
          env,
        );
        expect({ stderr, code: code === 0 || code === 5 }).toMatchObject({ code: true });
        const lines = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        return { code, results: lines.slice(0, -1) as ReplayResult[], summary: lines.at(-1).summary };
      };
      const before = await played();
      expect(before.results.flatMap((result) => (result.turns.some(({ cause }) => cause) ? [result] : []))).toEqual([]);
      expect({ code: before.code, ...before.summary }).toMatchObject({ code: 0, played: 200, same: 200 });

      const rules = RULES.map((rule) =>
        rule.name === 'parking' ? { ...rule, reply: { en: 'Park in front.' } } : rule,
      );
      await draft(made.agent, {
        steps: { ...steps, start: 'by_rule' as const },
        rules: [...rules, { name: 'table', words: ['table'], action: 'start_steps' as const }],
      });
      const after = await played();
      const found = after.results.filter(({ turns }) => turns.some(({ cause }) => cause !== null));
      const planted = found.flatMap(({ turns }) => turns.filter(({ cause }) => cause !== null));
      expect(
        planted.filter(({ input, changed }) => input[0] !== 'Is there parking?' || changed.join() !== 'words'),
      ).toEqual([]);
      const asked = (result: ReplayResult) =>
        result.turns.some(({ recorded }) => recorded.said.join().includes('Park behind'));
      expect(found.map(({ conversation_id: id }) => id).toSorted()).toEqual(
        after.results
          .filter(asked)
          .map(({ conversation_id: id }) => id)
          .toSorted(),
      );
      expect(found.length).toBeGreaterThan(20);
      expect({ code: after.code, ...after.summary }).toMatchObject({
        code: 5,
        played: 200,
        changed: found.length,
        by: { words: found.length },
      });
    },
  );
});

describe('what a replay tells', () => {
  const person = ['When do you open?', 'Is there parking?', 'I call my lawyer', 'Hello?'];

  test('a replay shows the person, each turn, and that the team answered after the hand-off', async () => {
    const made = await makeAgent();
    const id = await talk(made, person);
    const result = await replay(made.agent, id);
    expect(result.turns.map(({ recorded }) => recorded)).toEqual([
      { said: ['Hello Asha, your order is A-1.'], cites: [], calls: [], next: 'waiting_for_user' },
      { said: [HOURS], cites: ['Opening hours'], calls: [], next: 'waiting_for_user' },
      { said: ['Park behind the shop.'], cites: [], calls: [], next: 'waiting_for_user' },
      { said: ['A colleague comes.'], cites: [], calls: [], next: 'handed_off' },
    ]);
    expect(changes(result)).toEqual({ turns: ['same', 'same', 'same', 'same'], stopped: null });
  });

  test('a replay shows each kind of change, and a draft that hands off ends the conversation', async () => {
    const made = await makeAgent();
    const id = await talk(made, person);
    await draft(made.agent, { opening: { en: 'Hi {{end_user.name}}.' } });
    expect(changes(await replay(made.agent, id)).turns).toEqual(['draft: words', 'same', 'same', 'same']);
    await draft(made.agent, { rules: RULES.filter(({ name }) => name !== 'angry') });
    expect(changes(await replay(made.agent, id)).turns.at(-1)).toMatch(/^draft: .*hand_off/);
    const early = { name: 'hours', words: ['open'], action: 'hand_off' as const, reply: { en: 'A colleague comes.' } };
    await draft(made.agent, { rules: [early] });
    const result = changes(await replay(made.agent, id));
    expect(result).toEqual({ turns: ['same', 'draft: words, sources, hand_off'], stopped: 'ended' });
    expect(changes(await replay(made.agent, id, { version: 1 })).turns).toEqual(['same', 'same', 'same', 'same']);
    const done = { name: 'hours', words: ['open'], action: 'complete' as const, reply: { en: HOURS } };
    await draft(made.agent, { rules: [done] });
    expect(changes(await replay(made.agent, id)).turns[1]).toBe('draft: sources, end');
  });

  test('a later change of a document or a version does not count as a change of the draft', async () => {
    const made = await makeAgent();
    const id = await talk(made, ['When do you open?', 'Is there parking?']);
    const { data } = (await call(`GET ${at}/${made.agent}/documents`)).body;
    await call(`DELETE ${at}/${made.agent}/documents/${data[0].id}`);
    await call(`POST ${at}/${made.agent}/documents`, { name: 'Hours', text: 'We open at 10:00 every day.' });
    await draft(made.agent, { rules: RULES.slice(1) });
    const result = await replay(made.agent, id);
    expect(changes(result).turns).toEqual(['same', 'earlier: words, sources', expect.stringMatching(/^draft: words/)]);
    expect(summarizeReplays([result])).toMatchObject({ played: 1, changed: 1, earlier: 0 });
    await call(`POST ${at}/${made.agent}/publish`);
    expect(summarizeReplays([await replay(made.agent, id)])).toMatchObject({ same: 0, changed: 0, earlier: 1 });
  });

  test("a member's answer ends the replay, and conversations of others are not found", async () => {
    const made = await makeAgent();
    const id = await talk(made, ['When do you open?']);
    const members = `/organizations/${orgId}/conversations/${id}`;
    await call(`POST ${members}/reply`, { text: 'Hello, Ben here.' });
    await call(`POST ${members}/hand-back`);
    await call(`POST ${members}/say`, { text: 'Is there parking?' });
    expect(changes(await replay(made.agent, id))).toEqual({ turns: ['same', 'same'], stopped: 'people' });
    const other = await makeAgent();
    expect(await replay(other.agent, id)).toMatchObject({ code: 'conversation_not_found' });
    expect(await replay(made.agent, id, { version: 7 })).toMatchObject({ code: 'version_not_found' });
    const counted = await parley.db.$count(message, eq(message.conversationId, id));
    await replay(made.agent, id);
    expect(await parley.db.$count(message, eq(message.conversationId, id))).toBe(counted);
  });

  test('a model gets the recorded tool results, and no tool is called', async () => {
    const model = await startFakeModel();
    const called: string[] = [];
    const shop = createServer((request, response) => {
      called.push(request.url!);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"shipped"}');
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/orders`;
    await call(`PUT /organizations/${orgId}/models/openai_compatible`, {
      base_url: model.baseUrl('openai_compatible'),
      key: FAKE_MODEL_KEY,
    });
    const parameters = { type: 'object', properties: { id: { type: 'string' } } };
    const definition = {
      provider: 'openai_compatible' as const,
      model: 'm',
      tools: [{ name: 'order_status', description: 'Status.', parameters, url }],
    };
    const made = await makeAgent(definition);
    const ask = { tool: 'order_status', args: { id: 'A-1' } };
    model.script(ask, { text: 'It has shipped.' });
    const id = await talk(made, ['Where is A-1?']);
    expect(called).toHaveLength(1);
    model.script(ask, { text: 'It has shipped.' });
    expect(changes(await replay(made.agent, id)).turns).toEqual(['same', 'same']);
    expect(JSON.stringify(model.calls.at(-1)!.body)).toContain('shipped');
    model.script({ tool: 'order_status', args: { id: 'B-2' } }, { text: 'It has shipped.' }, ask, {
      text: 'It has shipped.',
    });
    const before = model.calls.length;
    expect(changes(await replay(made.agent, id)).turns).toEqual(['same', 'draft: tools']);
    expect(JSON.stringify(model.calls[before + 1]!.body)).toContain('No answer of order_status');
    model.script({ status: 401 });
    expect(await replay(made.agent, id)).toMatchObject({ code: 'provider_failed' });
    expect(called).toHaveLength(1);
    shop.close();
    await model.close();
  });

  test('a replay sends the model the earlier messages that an OpenAI client sent', async () => {
    const model = await startFakeModel();
    const settings = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
    await call(`PUT /organizations/${orgId}/models/openai_compatible`, settings);
    const { agent } = await makeAgent({ provider: 'openai_compatible', model: 'm' });
    const messages = [
      { role: 'user', content: 'My order is A-7.' },
      { role: 'assistant', content: 'Thank you.' },
      { role: 'user', content: 'When does it ship?' },
    ];
    const answered = await parley.call('POST', '/api/openai/v1/chat/completions', {
      key,
      body: { model: agent, messages },
    });
    const before = JSON.stringify(model.calls.at(-1)!.body.messages.slice(-3));
    expect(before).toContain('A-7');
    const report = await replay(agent, answered.body.parley.conversation_id);
    expect([changes(report).turns, model.calls.length]).toEqual([['same'], 2]);
    expect(JSON.stringify(model.calls.at(-1)!.body.messages.slice(-3))).toBe(before);
    await model.close();
  });
});

/** The command line, signed in. */
async function signedInEnv(): Promise<Record<string, string>> {
  const env = { PARLEY_URL: parley.url, PARLEY_CONFIG_DIR: home };
  const login = await runCli(
    ['login', '--email', 'asha@example.com', '--password-stdin'],
    env,
    'correct horse battery\n',
  );
  expect(login).toMatchObject({ code: 0 });
  return env;
}

/** A small generator: the same talks each time. */
function pseudoRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
