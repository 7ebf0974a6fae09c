import { createHash, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EVENT_EXAMPLES } from '../../contract/event-examples.ts';
import { AUDIT_EVENT, EVENT_TYPES, type EventType } from '../../contract/event-types.ts';
import { EVENT_DATA, EventEnvelope } from '../../contract/events.ts';
import { signWebhook, verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { newId } from '../../src/kernel/ids.ts';
import { agentRollout } from '../../src/store/schema/agent-rollout.ts';
import { campaign as campaignTable } from '../../src/store/schema/campaign.ts';
import { reserve } from '../../src/store/costs/reserve.ts';
import { recordTurnUse } from '../../src/store/costs/record-use.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent, givenApproval, givenChannel, givenOrganization, givenTrigger } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** Every type of event, caused through the program and received at a customer's endpoint. */
const SECRET = `whsec_${createHash('sha256').update('channel').digest('base64')}`;
const Envelope = Compile(EventEnvelope);

let parley: TestApp;
let endpoint: Receiver;
let provider: Receiver;
let call: SignedIn;
let orgId: string;
let at: string;
let key: string;
let agentId: string;
let sandboxId: string;
let path: string;
let channelId: string;
let webhook: { id: string; secret: string };

type Told = { id: string; type: EventType; timestamp: string; data: Record<string, any> }; // oxlint-disable-line typescript/no-explicit-any
const receivedEvents = (): Told[] => endpoint.calls.map(({ body }) => JSON.parse(body.toString()) as Told);
const of = (id: string, types?: RegExp) =>
  receivedEvents().filter(({ type, data }) => data['id'] === id && (types?.test(type) ?? true));

async function hears(type: EventType, fits: (data: Told['data']) => boolean): Promise<Told> {
  const find = () => receivedEvents().filter((event) => event.type === type && fits(event.data));
  await expect.poll(() => find().length, { message: type }).toBeGreaterThan(0);
  return find()[0]!;
}

beforeAll(async () => {
  [endpoint, provider] = await Promise.all([startReceiver(), startReceiver()]);
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  at = `/organizations/${orgId}`;
  ({ agentId, channelId: sandboxId } = await givenAgent(parley.db, orgId));
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: provider.url },
    secrets: { secret: SECRET },
    sealingKey: parley.secrets.sealingKey,
  });
  key = (await parley.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] })).value;
  webhook = (await call(`POST ${at}/webhooks`, { url: `${endpoint.url}/hook` })).body;
});
afterAll(async () => {
  await parley?.stop();
  await endpoint?.stop();
  await provider?.stop();
});

const api = (method: string, where: string, body?: unknown, headers: Record<string, string> = {}) =>
  parley.call(method, where, { key, ...(body !== undefined && { body }), headers });

async function fromProvider(body: object): Promise<number> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...signWebhook(SECRET, randomUUID(), new Date(), text) };
  return (await fetch(`${parley.url}/inbound/webhook/${channelId}`, { method: 'POST', headers, body: text })).status;
}

describe('each event is sent once, as it happened', () => {
  test('a trigger call sends events about the conversation, the person and the messages of both sides', async () => {
    const { body } = await api(
      'POST',
      path,
      { end_user: { external_id: 'a' }, message: 'Hello' },
      { prefer: 'wait=10' },
    );
    const { conversation_id: conversationId, end_user_id: endUserId } = body;
    const started = await hears('conversation.started', ({ id }) => id === conversationId);
    expect(started.data).toMatchObject({ agent_id: agentId, end_user_id: endUserId, status: 'open', key: null });
    const received = await hears('message.received', (data) => data['conversation_id'] === conversationId);
    expect(received.data['content']).toEqual({ type: 'text', text: 'Hello' });
    expect((await hears('end_user.created', ({ id }) => id === endUserId)).data['external_id']).toBe('a');
    const [answer] = body.messages;
    // The sandbox delivers immediately, so both stages are events.
    await hears('message.sent', ({ id }) => id === answer.id);
    const delivered = await hears('message.delivered', ({ id }) => id === answer.id);
    expect(delivered.data).toMatchObject({
      run_id: body.id,
      role: 'agent',
      status: 'delivered',
      content: answer.content,
    });

    await call(`POST ${at}/conversations/${conversationId}/take-over`);
    expect((await hears('conversation.handed_off', ({ id }) => id === conversationId)).data['status']).toBe(
      'handed_off',
    );
    await call(`POST ${at}/conversations/${conversationId}/resolve`);
    await hears('conversation.resolved', ({ id }) => id === conversationId);
    const completed = await hears('run.completed', ({ id }) => id === body.id);
    expect(completed.data).toMatchObject({ reason: 'resolved', trigger_id: body.trigger_id });
    await parley.db
      .execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, message_id, agent_id, channel_id, score, rated_at)
      SELECT org_id, id, ${answer.id}, 'answer', ${answer.id}, agent_id, channel_id, -1, now() FROM conversation
      WHERE id = ${conversationId}`);
    const rated = await hears('conversation.rated', ({ id }) => id === conversationId);
    expect(rated.data['rating']).toMatchObject({ kind: 'answer', score: -1, comment: null, message_id: answer.id });
    await call(`POST ${at}/conversations/${conversationId}/say`, { text: 'One more thing' });
    await hears('conversation.reopened', ({ id }) => id === conversationId);
  });

  test('a value that a person gives sends run.result_updated', async () => {
    const items = [{ name: 'people', type: 'number' as const, ask: { default: 'How many?' } }];
    const made = await givenAgent(parley.db, orgId, { definition: { steps: { items } } });
    const where = `/api/triggers/${made.agentId}/${await givenTrigger(parley.db, orgId, made.agentId)}`;
    const { body } = await api('POST', where, {}, { prefer: 'wait=10' });
    await call(`POST ${at}/conversations/${body.conversation_id}/say`, { text: '4' });
    const updated = await hears('run.result_updated', ({ id }) => id === body.id);
    expect(updated.data['result']).toMatchObject({ data: { people: 4 } });
  });

  test('a message sends the events message.sent, delivered and read, or message.failed', async () => {
    const send = async (to: string) => {
      const content = { type: 'text', text: 'Your order shipped' };
      const body = { to: { end_user: { external_id: to } }, content, metadata: { order: 'A-1' } };
      return (await api('POST', `/api/channels/${agentId}/${channelId}/messages`, body)).body.id as string;
    };
    const id = await send('b');
    const sent = await hears('message.sent', (data) => data['id'] === id);
    expect(sent.data).toMatchObject({ status: 'sent', channel_id: channelId, metadata: { order: 'A-1' } });
    expect(of(id, /delivered/)).toEqual([]);
    expect(await fromProvider({ type: 'receipt', message_id: id, status: 'delivered' })).toBe(200);
    await hears('message.delivered', (data) => data['id'] === id);
    await fromProvider({ type: 'receipt', message_id: id, status: 'read' });
    await hears('message.read', (data) => data['id'] === id);

    provider.answer = () => ({ status: 400, text: 'no' });
    const refused = await send('b2');
    const failed = await hears('message.failed', (data) => data['id'] === refused);
    expect(failed.data).toMatchObject({ status: 'failed', error: { code: 'provider_refused' } });
    provider.answer = () => ({});

    expect(await fromProvider({ type: 'message', address: 'c', text: 'Who is there?' })).toBe(200);
    await hears('message.received', (data) => data['content'].text === 'Who is there?');
  });

  test('people send events when they are created, updated, opted out and deleted', async () => {
    const { body: person } = await api('POST', '/api/end-users', { external_id: 'd', name: 'Noor' });
    await hears('end_user.created', ({ id }) => id === person.id);
    await api('PATCH', `/api/end-users/${person.id}`, { name: 'Noor A.' });
    expect((await hears('end_user.updated', ({ id }) => id === person.id)).data['name']).toBe('Noor A.');
    // The same update again changes nothing and is not an event.
    await api('PATCH', `/api/end-users/${person.id}`, { name: 'Noor A.' });
    await api('PUT', `/api/end-users/${person.id}/consent/sandbox`, { status: 'opted_out' });
    const optedOut = await hears('end_user.opted_out', ({ id }) => id === person.id);
    expect(optedOut.data).toMatchObject({ channel_kind: 'sandbox', consent: { sandbox: { status: 'opted_out' } } });
    const run = await api('POST', path, { end_user: { id: person.id } });
    expect((await hears('run.skipped', ({ id }) => id === run.body.id)).data['reason']).toBe('opted_out');
    await expect.poll(() => of(person.id, /updated/).length).toBe(2);
    await api('DELETE', `/api/end-users/${person.id}`);
    expect((await hears('end_user.deleted', ({ id }) => id === person.id)).data).toEqual({ id: person.id });
  });

  test('a run without an answer sends the event run.failed', async () => {
    const made = await givenAgent(parley.db, orgId, {
      definition: { provider: 'openai_compatible', model: 'm' } as never,
    });
    const triggerId = await givenTrigger(parley.db, orgId, made.agentId);
    const { body } = await api('POST', `/api/triggers/${made.agentId}/${triggerId}`, { message: 'Hi' });
    expect((await hears('run.failed', ({ id }) => id === body.id)).data['error'].code).toBe('provider_refused');
  });

  test('a campaign sends an event for each status change of a recipient, and one when it ends', async () => {
    const id = newId('campaign');
    await parley.db
      .insert(campaignTable)
      .values({ orgId, id, agentId, channelId: sandboxId, name: 'November', state: 'live', attended: true });
    const own = await parley.key(orgId, { scope: 'campaign', campaignId: id, permissions: ['campaigns'] });
    const pushed = await parley.call('POST', `/api/campaigns/${id}/recipients`, {
      key: own.value,
      body: { recipients: [{ end_user: { external_id: 'e' }, ref: 'row-1' }] },
    });
    const recipient = pushed.body.results[0].recipient_id;
    const moved = (status: string) =>
      hears('campaign.recipient.updated', (data) => data['id'] === recipient && data['status'] === status);
    expect((await moved('sending')).data).toMatchObject({ previous_status: 'pending', ref: 'row-1', campaign_id: id });
    await moved('delivered');
    await call(`POST ${at}/campaigns/${id}/end`);
    expect((await hears('campaign.ended', (data) => data['id'] === id)).data['name']).toBe('November');
  });

  test('API keys send events without their value when they are created and revoked', async () => {
    const { body } = await call(`POST ${at}/keys`, { label: 'CRM', scope: 'organization', permissions: ['triggers'] });
    await hears('api_key.created', ({ id }) => id === body.id);
    await call(`POST ${at}/keys/${body.id}/revoke`);
    expect((await hears('api_key.revoked', ({ id }) => id === body.id)).data['revoked_at']).not.toBeNull();
    const { body: leaked } = await call(`POST ${at}/keys`, {
      label: 'Leaked',
      scope: 'organization',
      permissions: ['triggers'],
    });
    await parley.call('POST', '/api/keys/leaked', { body: [{ token: leaked.value, source: 'commit' }] });
    const told = await hears('api_key.revoked', ({ id }) => id === leaked.id);
    expect(told.data['leak']).toEqual({ url: null, source: 'commit', signed: false });
    expect(endpoint.calls.some((one) => one.body.includes(body.value) || one.body.includes(leaked.value))).toBe(false);
  });

  test('a budget sends an event when it is nearly spent, and when it is spent', async () => {
    const budget = { subject: 'agent', subject_id: agentId, period: 'month', unit: 'tokens', amount: 1_000 };
    const { body } = await call(`PUT ${at}/budgets`, budget);
    const spend = async (input: number): Promise<void> => {
      const none = { cached: 0, output: 0, unknownInput: 0, unknownOutput: 0, calls: 1, time: 0, unknownTime: 0 };
      const of = {
        id: randomUUID(),
        payers: { orgId, agentId, keyId: '', campaignId: '' },
        provider: 'openai',
        model: 'm',
      };
      const spent = { ...none, input };
      await reserve(parley.db.$client, { ...of, upTo: spent, runId: null, lease: null });
      const counts = { conversationId: null, runId: null, unmeasured: 0, toolCalls: 0, insteadOf: [] };
      await recordTurnUse(parley.db.$client, { ...of, ...counts, spent });
    };
    await spend(850);
    const warned = await hears('budget.warning', ({ id }) => id === body.id);
    expect(warned.data).toMatchObject({ subject_id: agentId, period: 'month', amount: 1_000, spent: 850 });
    await spend(150);
    await hears('budget.spent', ({ id }) => id === body.id);
  });
});

test('a tool call that needs an approval sends an event', async () => {
  const started = (await parley.call('POST', path, { key, body: { end_user: { external_id: 'asks-first' } } })).body;
  const id = await givenApproval(parley.db, orgId, started, { order_id: 'A-1043' });
  const asked = await hears('approval.requested', (data) => data['id'] === id);
  expect(asked.data).toMatchObject({ status: 'pending', tool: 'refund', arguments: { order_id: 'A-1043' } });
});

test('a rollout that stops sends an event', async () => {
  const id = newId('rollout');
  const { comparison } = EVENT_EXAMPLES['agent.rollout_stopped'];
  const row = { orgId, id, agentId, version: 2, baseVersion: 1, percent: 10 };
  await parley.db.insert(agentRollout).values({ ...row, status: 'active' });
  await parley.db
    .update(agentRollout)
    .set({ status: 'stopped', reason: 'worse', comparison, endedAt: new Date() })
    .where(eq(agentRollout.id, id));
  const stopped = await hears('agent.rollout_stopped', (data) => data['id'] === id);
  expect(stopped.data).toMatchObject({ agent_id: agentId, version: 2, base_version: 1, reason: 'worse' });
});

test('every type was sent once, and each body matches the documented schema and signature', () => {
  const events = receivedEvents();
  // Audit records are sent only to endpoints that select them.
  expect(EVENT_TYPES.filter((type) => !events.some((event) => event.type === type))).toEqual([AUDIT_EVENT]);
  for (const [index, event] of events.entries()) {
    const { headers, body, at: received } = endpoint.calls[index]!;
    expect(Envelope.Check(event)).toBe(true);
    const faults = [...Compile(EVENT_DATA[event.type]).Errors(event.data)];
    expect({ type: event.type, faults }).toEqual({ type: event.type, faults: [] });
    expect(Object.keys(event.data).toSorted()).toEqual(Object.keys(EVENT_DATA[event.type].properties).toSorted());
    expect(headers['webhook-id']).toBe(event.id);
    expect(verifyWebhook(webhook.secret, headers as Record<string, string>, body, received)).toBe(true);
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const stages = events
    .filter(({ type }) => !['end_user.updated', 'campaign.recipient.updated'].includes(type))
    .map(({ type, data }) => `${type} ${data['id']} ${data['channel_kind'] ?? ''}`);
  expect(stages.filter((stage, index) => stages.indexOf(stage) !== index)).toEqual([]);
});

test('other organizations receive none of the events, and an organization without endpoints stores none', async () => {
  const otherId = await givenOrganization(parley.db);
  const other = await givenAgent(parley.db, otherId);
  const trigger = await givenTrigger(parley.db, otherId, other.agentId);
  const { value } = await parley.key(otherId);
  const before = endpoint.calls.length;
  await parley.call('POST', `/api/triggers/${other.agentId}/${trigger}`, {
    key: value,
    headers: { prefer: 'wait=10' },
  });
  const { rows } = await parley.db.execute(sql`SELECT count(*)::int AS n FROM event WHERE org_id = ${otherId}`);
  expect(rows).toEqual([{ n: 0 }]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(
    receivedEvents()
      .slice(before)
      .filter(({ data }) => data['agent_id'] === other.agentId),
  ).toEqual([]);
});

test('an endpoint receives only its selected types', async () => {
  const chosen = await startReceiver();
  const { body } = await call(`POST ${at}/webhooks`, { url: chosen.url, types: ['api_key.created'] });
  await api('POST', '/api/end-users', { external_id: 'f' });
  await call(`POST ${at}/keys`, { label: 'One', scope: 'organization', permissions: ['triggers'] });
  await chosen.received(1);
  expect(chosen.calls.map((one) => JSON.parse(one.body.toString()).type)).toEqual(['api_key.created']);
  await call(`DELETE ${at}/webhooks/${body.id}`);
  await chosen.stop();
});

describe('watching', () => {
  test('watching shows each event after the first request once and in order, even without an endpoint', async () => {
    await call(`PATCH ${at}/webhooks/${webhook.id}`, { enabled: false });
    const first = (await call(`GET ${at}/events`)).body;
    expect(first.data).toEqual([]);
    const people = await Promise.all(
      Array.from({ length: 30 }, (_, n) => api('POST', '/api/end-users', { external_id: `w-${n}` })),
    );
    const seen: Told[] = [];
    let { cursor } = first;
    await expect
      .poll(
        async () => {
          const look = (await call(`GET ${at}/events?limit=7&type=end_user.created&after=${cursor}`)).body;
          ({ cursor } = look);
          seen.push(...look.data);
          return seen.length;
        },
        { interval: 20 },
      )
      .toBe(people.length);
    const made = new Set(people.map(({ body }) => body.id));
    expect(new Set(seen.map(({ data }) => data['id']))).toEqual(made);
    expect((await call(`GET ${at}/events?after=${cursor}`)).body.data).toEqual([]);
  });

  test('watching does not miss events that a slow transaction commits late', async () => {
    const { cursor } = (await call(`GET ${at}/events`)).body;
    const client = await parley.db.$client.connect();
    const slow = newId('enduser');
    const ids: string[] = [];
    let after = cursor;
    const look = async (): Promise<void> => {
      const { body } = await call(`GET ${at}/events?after=${after}`);
      after = body.cursor;
      for (const { type, data } of body.data as Told[]) if (type === 'end_user.created') ids.push(data['id']);
    };
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO end_user (org_id, id) VALUES ($1, $2)', [orgId, slow]);
      await api('POST', '/api/end-users', { external_id: 'quick' });
      await look();
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    // An earlier transaction of this database server delays both until it ends.
    await vi.waitUntil(async () => (await look(), ids.length >= 2), { timeout: 15_000 });
    expect(ids).toHaveLength(2);
    expect(ids).toContain(slow);
  });

  test('watching refuses a cursor of another organization', async () => {
    const { body } = await call('POST /organizations', { name: 'Other' });
    const { cursor } = (await call(`GET /organizations/${body.id}/events`)).body;
    const answer = await call(`GET ${at}/events?after=${cursor}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'cursor_invalid']);
  });
});
