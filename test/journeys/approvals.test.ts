import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tool } from '../../contract/agents.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { type FakeMcpServer, type McpRequest, startMcpServer } from '../fakes/mcp-server.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { accepts, json, type OwnCode, says, startOwnCode } from '../fakes/own-code.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** Approval of tool calls: a model requests a call, the team decides, and the worker makes the call once. */
let parley: TestApp;
let owner: Owner;
let model: FakeModel;
let shop: Receiver;
let key: string;
let keyId: string;
let agentId: string;
let path: string;

beforeAll(async () => {
  [model, shop] = [await startFakeModel(), await startReceiver()];
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  const account = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  await owner.call('PUT /models/openai_compatible', account);
  ({ id: keyId, value: key } = await parley.key(owner.orgId));
});
afterAll(async () => {
  await parley.stop();
  await Promise.all([model.close(), shop.stop()]);
});

const tool = (more: Partial<Tool> = {}): Tool => ({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
  url: `${shop.url}/refund`,
  approval: { timeout_minutes: 60 },
  ...more,
});
const definition = (...tools: Tool[]) => ({ provider: 'openai_compatible' as const, model: 'local', tools });
const publish = (...tools: Tool[]) => owner.call(`PATCH /agents/${agentId}`, { definition: definition(...tools) });

beforeEach(async () => {
  shop.answer = () => ({ json: { status: 'refunded' } });
  shop.calls.splice(0);
  ({ agentId } = await givenAgent(parley.db, owner.orgId, { definition: definition(tool()) }));
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, owner.orgId, agentId)}`;
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
type Json = Record<string, any>;
type Run = { id: string; conversation_id: string; end_user_id: string; status: string };

/** A conversation whose agent requested a call and told the person that it waits. */
async function requested(args: Record<string, unknown> = { order_id: 'A-1' }): Promise<Run & { approvalId: string }> {
  model.script({ tool: 'refund', args }, { text: 'I have asked a colleague.' });
  const body = { message: 'Refund my order', conversation: { key: newId('conv') } };
  const { body: run } = await parley.call('POST', path, { key, body, headers: { prefer: 'wait=15' } });
  expect(run.messages[0].content.text).toBe('I have asked a colleague.');
  const [approval] = await approvalsOf(run.conversation_id);
  return { ...run, approvalId: approval!.id };
}
const approvalsOf = async (conversationId: string): Promise<Json[]> =>
  (await owner.call(`GET /conversations/${conversationId}`)).body.approvals;
const statusOf = async ({ id }: Run) => (await parley.call('GET', `${path}/runs/${id}`, { key })).body.status;
const decide = (id: string, body: unknown, by = key) => parley.call('POST', `/api/approvals/${id}`, { key: by, body });
const textsOf = async ({ conversation_id: id }: Run): Promise<string[]> =>
  (await owner.call(`GET /conversations/${id}`)).body.messages.map(
    ({ content }: { content: { text: string } }) => content.text,
  );
const say = (run: Run, text: string) => owner.call(`POST /conversations/${run.conversation_id}/say`, { text });
const seenByModel = () => JSON.stringify(model.calls.at(-1)!.body);

describe('a call that needs an approval', () => {
  test('the tool is not called before the approval, and the run shows that the call waits', async () => {
    const run = await requested();
    expect(run.status).toBe('waiting_for_approval');
    expect(await statusOf(run)).toBe('waiting_for_approval');
    expect(shop.calls).toHaveLength(0);
    const { body } = await parley.call('GET', '/api/approvals?status=pending', { key });
    expect(body.data[0]).toEqual({
      id: run.approvalId,
      status: 'pending',
      agent_id: agentId,
      run_id: run.id,
      conversation_id: run.conversation_id,
      tool: 'refund',
      arguments: { order_id: 'A-1' },
      reason: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      decided_at: null,
    });
    const minutes = (Date.parse(body.data[0].expires_at) - Date.parse(body.data[0].created_at)) / 60_000;
    expect(minutes).toBeCloseTo(60, 1);
  });

  test('the trace shows a decision once, also if the model fills the result at the hand-off', async () => {
    const result = { fields: [{ name: 'city', type: 'text' as const }] };
    await owner.call(`PATCH /agents/${agentId}`, { definition: { ...definition(tool()), result } });
    const run = await requested();
    const handOff = { tool: 'hand_off_to_human', args: { reason: 'asked', message: 'A colleague comes.' } };
    model.script(handOff, { text: '{"city":"Doha"}' });
    await decide(run.approvalId, { decision: 'deny' });
    await expect.poll(() => statusOf(run)).toBe('handed_off');
    const { rows } = await parley.db.execute<{ steps: Json[] }>(sql`SELECT trace -> 'steps' AS steps FROM message
      WHERE conversation_id = ${run.conversation_id} AND role = 'agent' ORDER BY id DESC LIMIT 1`);
    expect(rows[0]!.steps.filter(({ kind }) => kind === 'tool_denied')).toHaveLength(1);
  });

  test('the call is made once after the approval, and the agent reads the result and the reason', async () => {
    const run = await requested();
    model.script({ text: 'The refund is done.' });
    const { status, body } = await decide(run.approvalId, { decision: 'approve', reason: 'A regular customer.' });
    expect([status, body.status, body.reason]).toEqual([200, 'approved', 'A regular customer.']);
    await expect.poll(() => textsOf(run)).toContain('The refund is done.');
    expect(shop.calls).toHaveLength(1);
    expect(JSON.parse(shop.calls[0]!.body.toString())).toMatchObject({
      tool: 'refund',
      arguments: { order_id: 'A-1' },
      context: { conversation_id: run.conversation_id, run_id: run.id, try: false },
    });
    for (const part of ['approved', 'A regular customer.', 'refunded']) expect(seenByModel()).toContain(part);
    expect(await statusOf(run)).toBe('waiting_for_user');
    const [{ outcome, decided_by: by }] = (await approvalsOf(run.conversation_id)) as [Record<string, unknown>];
    expect([outcome, by]).toEqual([{ error: null }, keyId]);
  });

  test.each([
    ['with NUL', () => ({ text: 'refunded\u0000' })],
    ['that is cut inside of a surrogate pair', () => ({ text: `refunded ${'x'.repeat(990)}\u{1f600}` })],
  ])('the call is made once, even if its result is a text %s', async (_, answer) => {
    shop.answer = answer;
    const run = await requested();
    model.script({ text: 'The refund is done.' });
    await decide(run.approvalId, { decision: 'approve' });
    await expect.poll(() => textsOf(run)).toContain('The refund is done.');
    expect(shop.calls).toHaveLength(1);
    expect(seenByModel()).toContain('refunded');
  });

  test('the call is not made after a denial, and the agent reads the reason', async () => {
    const run = await requested();
    model.script({ text: 'Sorry, that is not possible.' });
    await decide(run.approvalId, { decision: 'deny', reason: 'Too old.' });
    await expect.poll(() => textsOf(run)).toContain('Sorry, that is not possible.');
    expect(shop.calls).toHaveLength(0);
    for (const part of ['denied', 'Too old.']) expect(seenByModel()).toContain(part);
  });

  test('a call whose arguments violate the schema is not requested', async () => {
    model.script({ tool: 'refund', args: { order: 1 } }, { text: 'Which order?' });
    const answer = await parley.call('POST', path, { key, body: { message: 'x' }, headers: { prefer: 'wait=15' } });
    expect(await approvalsOf(answer.body.conversation_id)).toEqual([]);
  });

  test('the agent cannot request the same call twice while it waits', async () => {
    const run = await requested();
    model.script({ tool: 'refund', args: { order_id: 'A-1' } }, { text: 'It still waits.' });
    await say(run, 'And now?');
    expect(await textsOf(run)).toContain('It still waits.');
    expect(await approvalsOf(run.conversation_id)).toHaveLength(1);
    expect(await statusOf(run)).toBe('waiting_for_approval');
  });

  test('the person gets answers while the call waits, and the approval stays pending', async () => {
    const run = await requested();
    model.script({ text: 'We are open until nine.' });
    await say(run, 'When do you close?');
    expect(seenByModel()).toContain('pending');
    expect(await statusOf(run)).toBe('waiting_for_approval');
    model.script({ text: 'The refund is done.' });
    await decide(run.approvalId, { decision: 'approve' });
    await expect.poll(() => textsOf(run)).toContain('The refund is done.');
    expect(shop.calls).toHaveLength(1);
  });

  test('a tool that is gone or has another address is not called, although the call was approved', async () => {
    for (const tools of [[], [tool({ url: `${shop.url}/other` })]]) {
      await publish(tool());
      const run = await requested();
      await publish(...tools);
      // Without the tool, the model can read neither the call nor its result.
      if (tools.length > 0) model.script({ text: 'That did not work.' });
      await decide(run.approvalId, { decision: 'approve' });
      await expect.poll(() => statusOf(run)).toBe('waiting_for_user');
      expect((await approvalsOf(run.conversation_id))[0]!.outcome.error).toContain('Not called');
    }
    expect(shop.calls).toHaveLength(0);
  });

  test('the person confirms the call before an approval is requested', async () => {
    await publish(tool({ confirm: { default: 'Refund {{arguments.order_id}}?' } }));
    model.script({ tool: 'refund', args: { order_id: 'A-1' } });
    const body = { message: 'Refund my order', conversation: { key: 'both' } };
    const { body: run } = await parley.call('POST', path, { key, body, headers: { prefer: 'wait=15' } });
    expect(await approvalsOf(run.conversation_id)).toEqual([]);
    model.script({ text: 'I have asked a colleague.' });
    await say(run, 'Yes');
    expect(await approvalsOf(run.conversation_id)).toMatchObject([{ status: 'pending' }]);
  });
});

describe('decisions', () => {
  test('a repeated decision is accepted, and a different one is refused', async () => {
    const run = await requested();
    model.script({ text: 'Done.' });
    expect((await decide(run.approvalId, { decision: 'approve' })).status).toBe(200);
    const again = await decide(run.approvalId, { decision: 'approve', reason: 'later' });
    expect([again.status, again.body.reason]).toEqual([200, null]);
    const other = await decide(run.approvalId, { decision: 'deny' });
    expect([other.status, other.body.code]).toEqual([409, 'approval_decided']);
    await expect.poll(() => textsOf(run)).toContain('Done.');
    expect(shop.calls).toHaveLength(1);
  });

  test('only one of many simultaneous decisions takes effect', async () => {
    const run = await requested();
    model.script({ text: 'Decided.' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => decide(run.approvalId, { decision: at % 2 ? 'approve' : 'deny' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    await expect.poll(() => textsOf(run)).toContain('Decided.');
    const audited = await parley.db.execute(sql`SELECT 1 FROM audit WHERE subject_id = ${run.approvalId}`);
    expect(audited.rows).toHaveLength(1);
  });

  test('the call is denied if no one decides in time', async () => {
    const run = await requested();
    model.script({ text: 'No one was available.' });
    await parley.db.execute(sql`UPDATE approval SET expires_at = now() WHERE id = ${run.approvalId}`);
    await expect.poll(() => textsOf(run), { timeout: 10_000 }).toContain('No one was available.');
    const [approval] = await approvalsOf(run.conversation_id);
    expect(approval).toMatchObject({ status: 'denied', reason: 'timeout', decided_by: 'system' });
    expect((await decide(run.approvalId, { decision: 'deny' })).status).toBe(200);
    expect((await decide(run.approvalId, { decision: 'approve' })).status).toBe(409);
  });

  test('an expired approval that cannot be denied does not stop the others', async () => {
    const [stuck, run] = [await requested(), await requested()];
    await parley.db.execute(
      sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`,
    );
    await parley.db.execute(
      sql.raw(`CREATE TRIGGER refuse BEFORE UPDATE ON approval FOR EACH ROW
        WHEN (NEW.id = '${stuck.approvalId}' AND NEW.status = 'denied') EXECUTE FUNCTION refuse()`),
    );
    await parley.db.execute(sql`UPDATE approval SET expires_at = now() -
      CASE id WHEN ${stuck.approvalId} THEN interval '2 hours' ELSE interval '1 hour' END
      WHERE id IN (${stuck.approvalId}, ${run.approvalId})`);
    const statusesOf = async ({ conversation_id: id }: Run) => (await approvalsOf(id)).map(({ status }) => status);
    await expect.poll(() => statusesOf(run), { timeout: 10_000 }).toEqual(['denied']);
    expect(await statusesOf(stuck)).toEqual(['pending']);
    await parley.db.execute(sql`DROP TRIGGER refuse ON approval`);
    await expect.poll(() => statusesOf(stuck), { timeout: 10_000 }).toEqual(['denied']);
  });

  test('members with the right to answer can decide, and the audit log names them', async () => {
    const run = await requested();
    model.script({ text: 'Done.' });
    const decided = await owner.call(`POST /approvals/${run.approvalId}`, { decision: 'approve', reason: 'Fine' });
    expect(decided).toMatchObject({
      status: 200,
      body: { status: 'approved', decided_by: expect.stringMatching(/^user_/) },
    });
    await expect.poll(() => textsOf(run)).toContain('Done.');
    const { body } = await owner.call(`GET /audit?subject_id=${run.approvalId}`);
    expect(body.data).toMatchObject([
      {
        action: 'approval.approved',
        actor: decided.body.decided_by,
        facts: { tool: 'refund', conversation_id: run.conversation_id },
      },
    ]);
  });

  test('an agent key sees and decides only calls of its agent', async () => {
    const run = await requested();
    const { agentId: otherAgent } = await givenAgent(parley.db, owner.orgId);
    const [own, other] = [
      await parley.key(owner.orgId, { scope: 'agent', agentId }),
      await parley.key(owner.orgId, { scope: 'agent', agentId: otherAgent }),
    ];
    const listed = await parley.call('GET', '/api/approvals', { key: other.value });
    expect(listed.body.data).toEqual([]);
    const refused = await decide(run.approvalId, { decision: 'deny' }, other.value);
    expect([refused.status, refused.body.code]).toEqual([404, 'approval_not_found']);
    model.script({ text: 'Denied.' });
    expect((await decide(run.approvalId, { decision: 'deny' }, own.value)).status).toBe(200);
  });

  test('an Idempotency-Key never returns the decision about another agent to an agent key', async () => {
    const run = await requested();
    const other = await parley.key(owner.orgId, {
      scope: 'agent',
      agentId: (await givenAgent(parley.db, owner.orgId)).agentId,
    });
    model.script({ text: 'Denied.' });
    const headers = { 'idempotency-key': run.approvalId };
    const request = { body: { decision: 'deny' }, headers };
    const [first, replay] = [
      await parley.call('POST', `/api/approvals/${run.approvalId}`, { key, ...request }),
      await parley.call('POST', `/api/approvals/${run.approvalId}`, { key: other.value, ...request }),
    ];
    expect([first.status, replay.status, replay.body.code]).toEqual([200, 404, 'approval_not_found']);
  });

  test('an approval after the deadline is refused, even if no worker has denied the call yet', async () => {
    const run = await requested();
    await parley.db.execute(
      sql`UPDATE approval SET expires_at = now() - interval '1 second' WHERE id = ${run.approvalId}`,
    );
    model.script({ text: 'It was denied.' });
    const late = await decide(run.approvalId, { decision: 'approve' });
    expect([late.status, late.body.code]).toEqual([409, 'approval_decided']);
    await expect.poll(() => approvalsOf(run.conversation_id)).toMatchObject([{ status: 'denied', reason: 'timeout' }]);
    expect(shop.calls).toEqual([]);
  });

  test('a revoked key cannot decide', async () => {
    const run = await requested();
    const { id, value } = await parley.key(owner.orgId);
    await owner.call(`POST /keys/${id}/revoke`);
    const refused = await decide(run.approvalId, { decision: 'approve' }, value);
    expect([refused.status, refused.body.code]).toEqual([401, 'key_revoked']);
    expect((await approvalsOf(run.conversation_id))[0]!.status).toBe('pending');
  });

  test('both approval routes follow the order of checks', async () => {
    const { value: weak } = await parley.key(owner.orgId, { permissions: ['channels'] });
    const verdict = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      return [status, body?.code];
    };
    const unknown = newId('approval');
    for (const [method, at] of [
      ['GET', '/api/approvals'],
      ['POST', `/api/approvals/${unknown}`],
    ] as const) {
      const body = method === 'POST' ? { decision: 'maybe' } : undefined;
      expect(await verdict(parley.call(method, at, { body }))).toEqual([401, 'authorization_missing']);
      expect(await verdict(parley.call(method, at, { key: 'x', body }))).toEqual([401, 'key_invalid']);
      expect(await verdict(parley.call(method, at, { key: weak, body }))).toEqual([403, 'permission_missing']);
    }
    expect(await verdict(decide(unknown, { decision: 'maybe' }))).toEqual([422, 'validation_failed']);
    expect(await verdict(decide(unknown, { decision: 'deny', more: 1 }))).toEqual([422, 'validation_failed']);
    expect(await verdict(decide(unknown, { decision: 'deny' }))).toEqual([404, 'approval_not_found']);
    expect(await verdict(decide('nonsense', { decision: 'deny' }))).toEqual([404, 'approval_not_found']);
    expect(await verdict(parley.call('GET', '/api/approvals?status=open', { key }))).toEqual([
      422,
      'validation_failed',
    ]);
  });

  test('a repeated request with the same Idempotency-Key gets the same response', async () => {
    const run = await requested();
    model.script({ text: 'Denied.' });
    const headers = { 'idempotency-key': run.approvalId };
    const call = () =>
      parley.call('POST', `/api/approvals/${run.approvalId}`, { key, body: { decision: 'deny' }, headers });
    const [first, second] = [await call(), await call()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('the end of a run denies its calls', () => {
  const denied = async (run: Run) => (await approvalsOf(run.conversation_id))[0];

  test('cancelling a run denies its waiting tool calls', async () => {
    const run = await requested();
    await parley.call('POST', `${path}/runs/${run.id}/cancel`, { key });
    expect(await denied(run)).toMatchObject({ status: 'denied', reason: 'cancelled', decided_by: 'system' });
    expect((await decide(run.approvalId, { decision: 'approve' })).status).toBe(409);
  });

  test('a hand-off to a member denies the waiting tool calls, and so does resolving the conversation', async () => {
    const run = await requested();
    await owner.call(`POST /conversations/${run.conversation_id}/take-over`);
    expect(await denied(run)).toMatchObject({ status: 'denied', reason: 'handed_off' });
    const other = await requested();
    await owner.call(`POST /conversations/${other.conversation_id}/resolve`);
    expect(await denied(other)).toMatchObject({ status: 'denied', reason: 'resolved' });
    expect(shop.calls).toHaveLength(0);
  });

  test('deleting an agent denies its waiting tool calls', async () => {
    const run = await requested();
    await owner.call(`DELETE /agents/${agentId}`);
    expect(await denied(run)).toMatchObject({ status: 'denied', reason: 'agent_deleted' });
    expect((await decide(run.approvalId, { decision: 'approve' })).status).toBe(409);
  });

  test('erasing a person deletes their approvals', async () => {
    const run = await requested();
    await owner.call(`DELETE /end-users/${run.end_user_id}`);
    const left = await parley.db.execute(sql`SELECT 1 FROM approval WHERE id = ${run.approvalId}`);
    expect(left.rows).toEqual([]);
    expect((await decide(run.approvalId, { decision: 'approve' })).body.code).toBe('approval_not_found');
  });

  test('a trigger call that continues the conversation takes over its waiting tool calls', async () => {
    model.script({ tool: 'refund', args: { order_id: 'A-1' } }, { text: 'I have asked a colleague.' });
    const conversation = { key: 'goes-on' };
    const start = (message: string) =>
      parley.call('POST', path, { key, body: { message, conversation }, headers: { prefer: 'wait=15' } });
    const { body: first } = await start('Refund my order');
    model.script({ text: 'It waits.' });
    const { body: second } = await start('Any news?');
    expect([await statusOf(first), await statusOf(second)]).toEqual(['completed', 'waiting_for_approval']);
    const [approval] = await approvalsOf(first.conversation_id);
    expect(approval).toMatchObject({ status: 'pending', run_id: second.id });
    model.script({ text: 'The refund is done.' });
    await decide(approval!.id, { decision: 'approve' });
    await expect.poll(() => textsOf(second)).toContain('The refund is done.');
    expect(shop.calls).toHaveLength(1);
  });
});

describe('own code', () => {
  let code: OwnCode;
  beforeAll(async () => {
    code = await startOwnCode();
  });
  afterAll(() => code.close());

  /** The code fails once, so that a model answers instead and requests the call. */
  async function requestedByFallback(): Promise<Run & { approvalId: string }> {
    const fallback = [{ provider: 'openai_compatible', model: 'local', when: ['failure'] }];
    const own = { provider: 'http', url: code.url, opening: { default: 'Welcome' }, fallback, tools: [tool()] };
    await owner.call(`PATCH /agents/${agentId}`, { definition: own });
    await owner.call(`POST /agents/${agentId}/secret`);
    code.script(json({}, 400));
    return requested();
  }

  test.each([
    ['approve', { status: 'approved', result: expect.stringContaining('refunded') }, 1],
    ['deny', { status: 'denied', result: null }, 0],
  ])('own code gets the decision in its next turn (%s)', async (decision, notified, calls) => {
    const run = await requestedByFallback();
    code.script(json(says('Your refund was decided.')));
    await decide(run.approvalId, { decision, reason: 'The rules.' });
    await expect.poll(() => textsOf(run)).toContain('Your refund was decided.');
    expect(shop.calls).toHaveLength(calls);
    expect(code.received).toHaveLength(1);
    expect(code.received[0]!.body.approvals).toEqual([
      { tool: 'refund', arguments: { order_id: 'A-1' }, reason: 'The rules.', ...notified },
    ]);
    expect(await statusOf(run)).toBe('waiting_for_user');
    await say(run, 'Thanks');
    expect(code.received.at(-1)!.body).not.toHaveProperty('approvals');
  });

  test('if the decision arrives while own code answers a message, own code gets it in one more turn', async () => {
    const run = await requestedByFallback();
    code.script(accepts, json(says('Your refund was decided.')));
    const { body: next } = await parley.call('POST', path, {
      key,
      body: { message: 'And now?', conversation: { id: run.conversation_id } },
    });
    await expect.poll(() => code.received.length).toBe(1);
    await decide(run.approvalId, { decision: 'approve' });
    const [{ body: asked }] = code.received as [(typeof code.received)[number]];
    expect(asked).not.toHaveProperty('approvals');
    const replied = await parley.call('POST', new URL(asked.turn.reply_url).pathname, {
      headers: { authorization: `Bearer ${asked.turn.reply_token}`, 'content-type': 'application/json' },
      body: says('It still waits.'),
    });
    expect(replied.status).toBe(200);
    await expect
      .poll(() => textsOf(run))
      .toEqual(expect.arrayContaining(['It still waits.', 'Your refund was decided.']));
    expect(code.received.at(-1)!.body.approvals).toMatchObject([{ tool: 'refund', status: 'approved' }]);
    expect([shop.calls.length, await statusOf(next)]).toEqual([1, 'waiting_for_user']);
  });

  test('one turn gives own code both the decision and a new message, and later turns omit the decision', async () => {
    const run = await requestedByFallback();
    code.script(accepts, json(says('Both are answered.')));
    const first = say(run, 'And now?');
    await expect.poll(() => code.received.length).toBe(1);
    await decide(run.approvalId, { decision: 'deny' });
    await Promise.all([first, say(run, 'Hello?')]);
    expect(code.received[1]!.body).toMatchObject({ approvals: [{ status: 'denied' }] });
    await expect.poll(() => statusOf(run)).toBe('waiting_for_user');
    expect(code.received).toHaveLength(2);
  });
});

describe('a tool of an MCP server', () => {
  let server: FakeMcpServer;
  beforeAll(async () => {
    server = await startMcpServer();
    server.tools = [{ name: 'refund', description: 'Refunds an order.', inputSchema: tool().parameters as never }];
    server.answer = () => ({ content: [{ type: 'text', text: '{"status":"refunded"}' }] });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    server.requests.splice(0);
    const listed = await owner.call(`POST /agents/${agentId}/mcp-tools`, { server: 'shop', url: server.url });
    const [{ name, description, parameters, pin }] = listed.body.tools;
    await publish(tool({ name, description, parameters, url: server.url, mcp: { server: 'shop', tool: name, pin } }));
    const { status, body } = await owner.call(`POST /agents/${agentId}/publish`);
    if (status !== 200) throw new Error(JSON.stringify(body));
  });
  const stepsOf = async ({ conversation_id: id }: Run) => {
    const { rows } = await parley.db.execute<{ steps: Json[] }>(
      sql`SELECT trace -> 'steps' AS steps FROM message WHERE conversation_id = ${id} AND trace IS NOT NULL`,
    );
    return rows.flatMap(({ steps }) => steps.map(({ kind }) => kind));
  };

  test('a tool of an MCP server is called once after the approval, with the key of the request', async () => {
    const run = await requested();
    expect(server.calls()).toHaveLength(0);
    model.script({ status: 500 }, { text: 'The refund is done.' });
    await decide(run.approvalId, { decision: 'approve' });
    await expect.poll(() => textsOf(run), { timeout: 15_000 }).toContain('The refund is done.');
    expect(server.calls()).toHaveLength(1);
    const { rows } = await parley.db.execute<{ key: string }>(
      sql`SELECT call ->> 'idempotency_key' AS key FROM approval WHERE id = ${run.approvalId}`,
    );
    const [{ headers, body }] = server.calls() as [McpRequest];
    expect(headers['idempotency-key']).toBe(rows[0]!.key);
    expect(JSON.parse(body.toString()).params).toMatchObject({
      name: 'refund',
      arguments: { order_id: 'A-1' },
      _meta: { 'parley/context': { run_id: run.id, idempotency_key: rows[0]!.key } },
    });
    expect(seenByModel()).toContain('refunded');
    expect(await stepsOf(run)).toEqual(expect.arrayContaining(['tool_waits', 'tool_approved', 'tool']));
  });

  test('a tool of an MCP server is not called after a denial', async () => {
    const run = await requested();
    model.script({ text: 'Sorry, that is not possible.' });
    await decide(run.approvalId, { decision: 'deny', reason: 'Too old.' });
    await expect.poll(() => textsOf(run)).toContain('Sorry, that is not possible.');
    expect(server.calls()).toHaveLength(0);
    expect(seenByModel()).toContain('Too old.');
  });

  test('a replay uses the recorded decision and result, and calls nothing', async () => {
    const run = await requested();
    model.script({ text: 'The refund is done.' });
    await decide(run.approvalId, { decision: 'approve' });
    await expect.poll(() => textsOf(run)).toContain('The refund is done.');
    const before = server.calls().length;
    model.script({ tool: 'refund', args: { order_id: 'A-1' } }, { text: 'I asked.' }, { text: 'The refund is done.' });
    const { status, body } = await owner.call(`POST /agents/${agentId}/replay`, {
      conversation_id: run.conversation_id,
    });
    expect([status, server.calls().length]).toEqual([200, before]);
    expect(JSON.stringify(body)).toContain('The refund is done.');
    expect(seenByModel()).toContain('refunded');
    expect(await approvalsOf(run.conversation_id)).toHaveLength(1);
  });

  test('the export of the person contains the approval, which is erased with the person', async () => {
    const run = await requested();
    model.script({ text: 'The refund is done.' });
    await decide(run.approvalId, { decision: 'approve', reason: 'Fine' });
    await expect.poll(() => textsOf(run)).toContain('The refund is done.');
    const { value } = await parley.key(owner.orgId, { permissions: ['end_users'] });
    const { body } = await parley.call('GET', `/api/end-users/${run.end_user_id}/export`, { key: value });
    expect(body.approvals).toMatchObject([
      {
        id: run.approvalId,
        run_id: run.id,
        tool: 'refund',
        arguments: { order_id: 'A-1' },
        result: expect.stringContaining('refunded'),
        status: 'approved',
        reason: 'Fine',
      },
    ]);
    await owner.call(`DELETE /end-users/${run.end_user_id}`);
    const left = await parley.db.execute(sql`SELECT 1 FROM approval WHERE id = ${run.approvalId}`);
    expect(left.rows).toEqual([]);
  });
});

test('a requested approval creates the event approval.requested', async () => {
  const { agentId: own } = await givenAgent(parley.db, owner.orgId);
  await parley.call('GET', '/api/events?type=approval.requested', { key });
  const run = await requested();
  // An event is listed after all transactions that began before it, also those of other test files.
  const listed = async () =>
    (await parley.call('GET', '/api/events?type=approval.requested', { key })).body.data.at(-1) as unknown;
  await expect.poll(listed).toMatchObject({
    type: 'approval.requested',
    data: { id: run.approvalId, status: 'pending', tool: 'refund', arguments: { order_id: 'A-1' }, decided_at: null },
  });
  const { value } = await parley.key(owner.orgId, { scope: 'agent', agentId: own });
  expect((await parley.call('GET', '/api/events?type=approval.requested', { key: value })).body.data).toEqual([]);
});

test('an approved call is made with the key of its request, also when the turn is repeated', async () => {
  const run = await requested();
  shop.answer = () => ({ json: { status: 'refunded' } });
  model.script({ status: 500 }, { text: 'The refund is done.' });
  await decide(run.approvalId, { decision: 'approve' });
  await expect.poll(() => textsOf(run), { timeout: 15_000 }).toContain('The refund is done.');
  expect(shop.calls).toHaveLength(1);
  const { rows } = await parley.db.execute<{ key: string }>(
    sql`SELECT call ->> 'idempotency_key' AS key FROM approval WHERE id = ${run.approvalId}`,
  );
  expect(shop.calls[0]!.headers['idempotency-key']).toBe(rows[0]!.key);
});

test('the playground and tests state the decision themselves, so no approval is stored', async () => {
  const tryIt = (approvals: 'approve' | 'deny') => {
    model.script({ tool: 'refund', args: { order_id: 'A-1' } }, { text: 'Decided.' });
    const messages = [{ role: 'end_user', text: 'Refund my order' }];
    return owner.call(`POST /agents/${agentId}/playground`, { messages, approvals });
  };
  const kinds = ({ body }: { body: Json }) => body.trace.steps.map(({ kind }: { kind: string }) => kind);
  expect(kinds(await tryIt('approve'))).toEqual(expect.arrayContaining(['tool_approved', 'tool']));
  expect(shop.calls).toHaveLength(1);
  expect(kinds(await tryIt('deny'))).not.toContain('tool');
  expect(shop.calls).toHaveLength(1);
  const call = { tool: 'refund', arguments: { order_id: 'A-1' } };
  const played = async (approval: 'approve' | 'deny', calls: object[]) => {
    model.script({ tool: 'refund', args: { order_id: 'A-1' } }, { text: 'Decided.' });
    const turns = [{ say: 'Refund my order', expect: { approvals: [call], calls } }];
    const tested = { name: 'Refund', tools: [{ tool: 'refund', answer: {}, approval }], turns };
    return (await owner.call(`POST /agents/${agentId}/test`, { case: tested })).body;
  };
  expect(await played('approve', [call])).toMatchObject({ passed: true });
  expect(await played('deny', [])).toMatchObject({ passed: true });
  expect((await parley.db.execute(sql`SELECT 1 FROM approval WHERE agent_id = ${agentId}`)).rows).toEqual([]);
});
