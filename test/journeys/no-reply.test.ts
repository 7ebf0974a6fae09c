/* oxlint-disable unicorn/no-thenable -- the name on the wire, of a text */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { campaign } from '../../src/store/schema/campaign.ts';
import { identity } from '../../src/store/schema/end-user.ts';
import { newId } from '../../src/kernel/ids.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** What an agent does while a person is silent. Tests move the moment at which it is due, and nothing else. */
let parley: TestApp;
let call: SignedIn;
let orgId: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp();
  ({ call, orgId } = await signedInOwner(parley));
  key = (await parley.key(orgId, { permissions: ['triggers', 'end_users'] })).value;
});
afterAll(() => parley?.stop());

const NO_REPLY: NonNullable<AgentDefinition['no_reply']> = {
  remind: [
    { after_minutes: 30, text: { default: 'Are you still there, {{end_user.name|friend}}?' } },
    { after_minutes: 60, text: { default: 'I am still here.' } },
  ],
  end_after_minutes: 1_440,
};

async function given(more: AgentDefinition = {}) {
  const { agentId, channelId } = await givenAgent(parley.db, orgId, {
    definition: { opening: { default: 'Hello' }, no_reply: NO_REPLY, ...more },
  });
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const { body } = await parley.call('POST', path, { key, body: {}, headers: { prefer: 'wait=10' } });
  const read = async () => (await parley.call('GET', `${path}/runs/${body.id}?include=messages`, { key })).body;
  return {
    id: body.id as string,
    channelId,
    agentId,
    personId: body.end_user_id as string,
    conversation: body.conversation_id as string,
    read,
    texts: async () =>
      (await read()).messages.map(({ content }: { content: { text: string } }) => content.text) as string[],
  };
}

/** How many minutes are left until something is due. Null: nothing is. */
const minutesLeft = async (id: string): Promise<number | null> => {
  const { rows } = await parley.db.execute<{ n: number | null }>(
    sql`SELECT round(extract(epoch FROM due_at - now()) / 60)::int AS n FROM run WHERE id = ${id}`,
  );
  return rows[0]!.n;
};

/** Time passes until something is due, and the worker has acted on it. */
async function pass(id: string): Promise<void> {
  const state = async () =>
    (await parley.db.execute<{ turns: number; lease: string | null }>(sql`SELECT turns, lease FROM run WHERE id = ${id}`)).rows[0]!; // prettier-ignore
  const { turns } = await state();
  await parley.db.execute(sql`UPDATE run SET due_at = now(), no_reply_at = now() WHERE id = ${id}`);
  await expect.poll(async () => (await state()).turns).toBe(turns + 1);
}

test('the agent sends each reminder at its time, and then the run ends', async () => {
  const { id, read, texts, conversation } = await given();
  expect(await minutesLeft(id)).toBe(30);
  await pass(id);
  expect(await texts()).toEqual(['Hello', 'Are you still there, friend?']);
  expect(await minutesLeft(id)).toBe(30);
  await pass(id);
  expect(await texts()).toHaveLength(3);
  expect(await minutesLeft(id)).toBe(1_380);
  expect((await read()).status).toBe('waiting_for_user');
  await pass(id);
  expect(await read()).toMatchObject({ status: 'completed', reason: 'no_reply' });
  expect(await minutesLeft(id)).toBeNull();
  const { body } = await call(`GET /organizations/${orgId}/conversations/${conversation}`);
  expect(body).toMatchObject({ status: 'resolved' });
});

test('a message of the person restarts the time until the first reminder', async () => {
  const { id, conversation, texts } = await given();
  await pass(id);
  await call(`POST /organizations/${orgId}/conversations/${conversation}/say`, { text: 'Yes, one moment.' });
  expect(await minutesLeft(id)).toBe(30);
  await pass(id);
  expect((await texts()).filter((text) => text.startsWith('Are you still there'))).toHaveLength(2);
});

test('a conversation that the team answers gets no reminder', async () => {
  const { id, conversation } = await given();
  await call(`POST /organizations/${orgId}/conversations/${conversation}/take-over`);
  expect(await minutesLeft(id)).toBeNull();
});

test('a stop word in a call to a conversation that the team answers opts the person out', async () => {
  const { agentId, personId } = await given();
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const say = async (message: string) => {
    const body = { end_user: { id: personId }, conversation: { key: personId }, message };
    return (await parley.call('POST', path, { key, body })).body;
  };
  const consent = async () => (await parley.call('GET', `/api/end-users/${personId}`, { key })).body.consent;
  const { conversation_id: id } = await say('I need help');
  await call(`POST /organizations/${orgId}/conversations/${id}/take-over`);
  expect(await say('Do not stop the order')).toMatchObject({ status: 'handed_off', conversation_id: id });
  expect(await consent()).toEqual({});
  expect(await say('STOP')).toMatchObject({ status: 'handed_off', conversation_id: id });
  expect(await consent()).toMatchObject({ sandbox: { status: 'opted_out', source: 'stop_word' } });
});

test('a conversation is handed over after the last reminder, if the definition requires it', async () => {
  const { id, read, conversation } = await given({ no_reply: { end_after_minutes: 5, then: 'hand_off' } });
  await pass(id);
  expect(await read()).toMatchObject({ status: 'handed_off', reason: 'no_reply' });
  const { rows } = await parley.db.execute(sql`SELECT hand_off_reason FROM conversation WHERE id = ${conversation}`);
  expect(rows).toEqual([{ hand_off_reason: 'no_reply' }]);
});

test('a person who has opted out gets no reminder, and the run ends at its normal time', async () => {
  const { id, personId, texts, read } = await given();
  await parley.call('PUT', `/api/end-users/${personId}/consent/sandbox`, { key, body: { status: 'opted_out' } });
  await pass(id);
  await pass(id);
  expect(await texts()).toEqual(['Hello']);
  await pass(id);
  expect(await read()).toMatchObject({ status: 'completed', reason: 'no_reply' });
});

test('a reminder waits for the end of the quiet hours of its campaign', async () => {
  const { id, agentId, channelId, texts } = await given();
  const campaignId = newId('campaign');
  // Quiet until a minute ago tomorrow: at every moment of this test.
  const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
  const settings = { quiet_hours: { from: clock(-3_600_000), to: clock(3_600_000) } };
  await parley.db.insert(campaign).values({ orgId, id: campaignId, agentId, channelId, name: 'Test', settings, attended: true, state: 'live' }); // prettier-ignore
  await parley.db.execute(
    sql`UPDATE run SET input = input || jsonb_build_object('campaign_id', ${campaignId}::text) WHERE id = ${id}`,
  );
  await pass(id);
  expect(await texts()).toEqual(['Hello']);
  expect(await minutesLeft(id)).toBeGreaterThanOrEqual(59);
  expect(await minutesLeft(id)).toBeLessThanOrEqual(60);
});

test('a reminder waits while its campaign is paused', async () => {
  const { id, agentId, channelId, texts } = await given();
  const campaignId = newId('campaign');
  await parley.db.insert(campaign).values({ orgId, id: campaignId, agentId, channelId, name: 'Test', settings: {}, attended: true, state: 'paused' }); // prettier-ignore
  await parley.db.execute(
    sql`UPDATE run SET input = input || jsonb_build_object('campaign_id', ${campaignId}::text) WHERE id = ${id}`,
  );
  await pass(id);
  expect([await texts(), await minutesLeft(id)]).toEqual([['Hello'], 10]);
  await parley.db.execute(sql`UPDATE campaign SET state = 'live' WHERE id = ${campaignId}`);
  await pass(id);
  expect(await texts()).toEqual(['Hello', 'Are you still there, friend?']);
});

test('a stop word in a scheduled call opts the person out if the team answers when the call is due', async () => {
  const { agentId, personId } = await given();
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const body = { end_user: { id: personId }, conversation: { key: personId } };
  const { conversation_id: id } = (await parley.call('POST', path, { key, body: { ...body, message: 'Hi' } })).body;
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const later = { ...body, message: 'STOP', send_at: sendAt };
  const { id: runId } = (await parley.call('POST', path, { key, body: later })).body;
  await call(`POST /organizations/${orgId}/conversations/${id}/take-over`);
  const consent = async () => (await parley.call('GET', `/api/end-users/${personId}`, { key })).body.consent;
  expect(await consent()).toEqual({});
  await parley.db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${runId}`);
  await expect.poll(consent).toMatchObject({ sandbox: { status: 'opted_out', source: 'stop_word' } });
});

test('a stop word that waits for its turn opts the person out if the backend cancels the run', async () => {
  const { agentId, personId } = await given();
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const body = { end_user: { id: personId }, message: 'STOP' };
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body: sent } = await parley.call('POST', path, { key, body: { ...body, send_at: sendAt } });
  const { id: runId, conversation_id: conversation } = sent;
  // The run is now like a run that no worker has claimed yet.
  await parley.db.execute(sql`UPDATE run SET status = 'queued', send_at = NULL WHERE id = ${runId}`);
  await parley.db.execute(sql`UPDATE conversation c SET unanswered = ARRAY[m.id] FROM message m
    WHERE c.id = ${conversation} AND m.conversation_id = c.id`);
  await parley.call('POST', `${path}/runs/${runId}/cancel`, { key });
  const { consent } = (await parley.call('GET', `/api/end-users/${personId}`, { key })).body;
  expect(consent).toMatchObject({ sandbox: { status: 'opted_out', source: 'stop_word' } });
});

describe('on a channel with a reply window of 24 hours', () => {
  /** The conversation moves to WhatsApp, and the person wrote so many hours ago. Null: never. */
  async function givenWhatsApp(hours: number | null) {
    const made = await given();
    const address = `9743${made.conversation.slice(-6)}`;
    await parley.db.execute(sql`UPDATE channel SET kind = 'whatsapp' WHERE id = ${made.channelId}`);
    await parley.db.execute(sql`UPDATE conversation SET address = ${address} WHERE id = ${made.conversation}`);
    await parley.db.insert(identity).values({
      orgId,
      channelId: made.channelId,
      address,
      endUserId: made.personId,
      lastInboundAt: hours === null ? null : new Date(Date.now() - hours * 3_600_000),
    });
    return made;
  }

  test('a person who wrote within the reply window gets the reminder', async () => {
    const { id, texts } = await givenWhatsApp(23);
    await pass(id);
    expect(await texts()).toEqual(['Hello', 'Are you still there, friend?']);
  });

  test.each([25, null])(
    'a person who last wrote %s hours ago, or never, gets no reminder, and the run ends',
    async (hours) => {
      const { id, texts, read } = await givenWhatsApp(hours);
      await pass(id);
      await pass(id);
      expect(await texts()).toEqual(['Hello']);
      await pass(id);
      expect(await read()).toMatchObject({ status: 'completed', reason: 'no_reply' });
    },
  );
});

test('the test chat shows each step for a silent person without waiting', async () => {
  const { agentId } = await given();
  const step = async (silent_steps: number) =>
    (await call(`POST /organizations/${orgId}/agents/${agentId}/playground`, { silent_steps, state: { language: 'ar' } })).body; // prettier-ignore
  expect(await step(0)).toMatchObject({
    messages: [{ content: { text: 'Are you still there, friend?' } }],
    next: 'waiting_for_user',
    state: { language: 'ar' },
  });
  expect(await step(1)).toMatchObject({ messages: [{ content: { text: 'I am still here.' } }] });
  expect(await step(2)).toMatchObject({ messages: [], next: 'completed' });
});

test('a definition whose reminder times do not increase is refused', async () => {
  const agent = (await call(`POST /organizations/${orgId}/agents`, { name: 'A' })).body.id as string;
  const put = async (no_reply: object) =>
    (await call(`PATCH /organizations/${orgId}/agents/${agent}`, { definition: { no_reply } })).body.errors?.map(
      ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
    );
  const text = { default: 'Hello?' };
  const at = '/definition/no_reply';
  expect(await put({ remind: [{ after_minutes: 5, text }, { after_minutes: 5, text }] })).toEqual([`${at}/remind/1/after_minutes range`]); // prettier-ignore
  expect(await put({ remind: [{ after_minutes: 5, text }], end_after_minutes: 5 })).toEqual([`${at}/end_after_minutes range`]); // prettier-ignore
  expect(await put({ then: 'hand_off' })).toEqual([`${at}/then conflict`]);
  expect(await put({ remind: [{ after_minutes: 5, text: { default: '{{' } }] })).toEqual([`${at}/remind/0/text/default template`]); // prettier-ignore
  expect(await put(NO_REPLY)).toBeUndefined();
});
