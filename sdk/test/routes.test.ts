import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { campaign as campaigns } from '../../src/store/schema/campaign.ts';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { Parley } from '../src/parley.ts';

/** Calls every route of the public description through its method, on a real server. */
let app: TestApp;
let agent: string;
let trigger: string;
let channel: string;
let campaign: string;
let parley: Parley;
let ofCampaign: Parley;
const called = new Set<string>();

/** Records the method and path of each request of the library. */
const noting: typeof fetch = (input, init) => {
  called.add(`${init!.method} ${new URL(new Request(input).url).pathname}`);
  return fetch(input, init);
};

beforeAll(async () => {
  app = await startTestApp();
  const orgId = await givenOrganization(app.db);
  ({ agentId: agent, channelId: channel } = await givenAgent(app.db, orgId));
  trigger = await givenTrigger(app.db, orgId, agent);
  campaign = newId('campaign');
  const row = { orgId, id: campaign, agentId: agent, channelId: channel, name: 'Test', settings: {}, attended: true };
  await app.db.insert(campaigns).values({ ...row, state: 'live' });
  const { value: apiKey } = await app.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const own = await app.key(orgId, { scope: 'campaign', campaignId: campaign, permissions: ['campaigns'] });
  parley = new Parley({ apiKey, baseUrl: `${app.url}/`, fetch: noting });
  ofCampaign = new Parley({ apiKey: own.value, baseUrl: app.url, fetch: noting });
});
afterAll(() => app.stop());

const take = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

describe('the client library', () => {
  test('the client reads the health of the service, the record of its key and the API description', async () => {
    expect(await parley.health()).toMatchObject({ status: 'ok' });
    expect(await parley.ready()).toEqual({ status: 'ready' });
    expect(await parley.me()).toMatchObject({ permissions: ['triggers', 'channels', 'end_users'] });
    expect(await parley.openapi()).toMatchObject({ openapi: '3.1.0' });
    await parley.reportLeakedKeys([{ token: 'parley_us_unknown' }]);
  });

  test('the client lists approvals and decides about one', async () => {
    expect(await take(parley.approvals.list({ status: 'pending' }))).toEqual([]);
    const unknown = newId('approval');
    await expect(parley.approvals.approve(unknown)).rejects.toMatchObject({ code: 'approval_not_found' });
    await expect(parley.approvals.deny(unknown, { reason: 'No' })).rejects.toMatchObject({
      code: 'approval_not_found',
    });
  });

  test('the client lists events, whose data type follows from the event type', async () => {
    expect(await take(parley.events.list({ type: 'run.completed' }))).toEqual([]);
    const made = await parley.endUsers.create({ external_id: 'events' });
    const first = await parley.events.list({ type: 'end_user.created', limit: 1 }).page();
    expect(first.data[0]?.data.external_id ?? 'events').toBe('events');
    expect(made.external_id).toBe('events');
  });

  test('the client starts a conversation and waits for it; it reads, streams, lists and cancels runs', async () => {
    const started = await parley.triggers.start(
      agent,
      trigger,
      { end_user: { external_id: 'a', name: 'Asha' } },
      { wait: 20 },
    );
    expect(started.messages?.[0]?.content).toMatchObject({ text: 'Hello Asha' });
    const later = await parley.triggers.start(agent, trigger, { end_user: { external_id: 'b' } });
    expect(later.messages).toBeUndefined();
    expect((await parley.runs.wait(later)).messages).toHaveLength(1);
    expect(await parley.triggers.start(agent, trigger, { dry_run: true })).toMatchObject({ dry_run: true });
    const read = await parley.runs.get(started, { include: ['models', 'messages'] });
    expect([read.messages?.length, read.models]).toEqual([1, expect.any(Array)]);

    const events = await take(parley.triggers.stream(agent, trigger, { end_user: { external_id: 'c', name: 'Chen' } }));
    expect(events.filter(({ event }) => event === 'message')).toMatchObject([
      { data: { content: { text: 'Hello Chen' } } },
    ]);
    const seen = parley.runs.stream(started);
    expect((await seen.next()).value).toMatchObject({ event: 'message', id: started.messages![0]!.id });
    await seen.return();

    const { id } = await parley.runs.cancel(later);
    expect((await take(parley.runs.list(agent, trigger, { status: 'cancelled' }))).map((run) => run.id)).toEqual([id]);
    const ids = (await take(parley.runs.list(agent, trigger, { limit: 1 }))).map((run) => run.id);
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
    expect((await parley.runs.list(agent, trigger, { limit: 2 }).page()).has_more).toBe(true);
    const [opening] = await take(parley.triggers.messages(agent, trigger, started.conversation_id));
    expect(opening?.content).toMatchObject({ text: 'Hello Asha' });
  });

  test('the client creates a client token', async () => {
    const call = { agent_id: agent, trigger_id: trigger, end_user: { external_id: 'a' } };
    const made = await parley.clientTokens.create({ ...call, origins: ['https://shop.example'], expires_in: 60 });
    expect(made.token).toMatch(/^parley_client_us_/);
  });

  test('the client sends a message and reads its delivery status', async () => {
    expect(await parley.channels.list(agent)).toMatchObject([{ id: channel, kind: 'sandbox' }]);
    const to = { end_user: { external_id: 'a' } };
    const sent = await parley.channels.send(agent, channel, { to, content: { type: 'text', text: 'It shipped' } });
    await expect.poll(async () => (await parley.channels.message(agent, channel, sent.id)).status).toBe('delivered');
  });

  test('the client upserts, finds, exports and erases people', async () => {
    const { endUsers } = parley;
    const odd = await endUsers.upsert('crm/42?#é', { name: 'Omar Said', attributes: { plan: 'gold' } });
    expect(odd).toMatchObject({ external_id: 'crm/42?#é' });
    const made = await endUsers.create({ external_id: 'crm-1', email: 'lea@example.qa' });
    expect(await endUsers.get(made.id)).toEqual(made);
    expect(await endUsers.update(made.id, { name: 'Lea' })).toMatchObject({ name: 'Lea' });
    expect(await take(endUsers.list({ email: 'lea@example.qa' }))).toMatchObject([{ id: made.id }]);
    expect(await take(endUsers.search({ query: 'oma', filter: { attributes: { plan: 'gold' } } }))).toMatchObject([
      { id: odd.id },
    ]);
    expect((await endUsers.setConsent(made.id, 'sms', { status: 'opted_out' })).consent).toHaveProperty('sms');
    const [asha] = await take(endUsers.list({ external_id: 'a' }));
    const talks = await take(endUsers.conversations(asha!.id));
    expect(talks.length).toBeGreaterThan(0);
    expect((await Promise.all(talks.map(({ id }) => take(endUsers.messages(asha!.id, id))))).flat()).toHaveLength(2);
    expect((await endUsers.export(asha!.id)).messages).toHaveLength(2);
    await endUsers.delete(made.id);
    await expect(endUsers.get(made.id)).rejects.toMatchObject({ code: 'end_user_not_found', status: 404 });
  });

  test('the client upserts any iterable in batches, and reads all pages', async () => {
    async function* rows() {
      for (let n = 0; n < 120; n++)
        yield n === 70 ? { external_id: `bulk-${n}`, phone: '1' } : { external_id: `bulk-${n}` };
    }
    const wrong: [number, string | undefined][] = [];
    const onResult: NonNullable<Parameters<Parley['endUsers']['bulk']>[1]>['onResult'] = ({ index, status }, row) =>
      void (status === 'invalid' && wrong.push([index, row.external_id ?? undefined]));
    expect(await parley.endUsers.bulk(rows(), { batchSize: 50, onResult })).toEqual({
      created: 119,
      updated: 0,
      invalid: 1,
    });
    expect(wrong).toEqual([[70, 'bulk-70']]);
    const found = await take(parley.endUsers.search({ query: 'bulk-', limit: 50 }));
    expect(new Set(found.map(({ id }) => id)).size).toBe(119);
  });

  test('the client adds recipients from any iterable, and reads and cancels them', async () => {
    const people = Array.from({ length: 5 }, (_, n) => ({
      end_user: { external_id: `r-${n}` },
      ref: `row-${n}`,
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    }));
    const refs: [number, string | null][] = [];
    const counts = await ofCampaign.campaigns.push(campaign, new Set(people), {
      batchSize: 2,
      onResult: ({ index, ref }) => refs.push([index, ref]),
    });
    expect(counts).toEqual({ accepted: 5, duplicates: 0, suppressed: 0, invalid: 0 });
    expect(refs.at(-1)).toEqual([4, 'row-4']);
    expect(await take(ofCampaign.campaigns.recipients(campaign, { limit: 2 }))).toHaveLength(5);
    const [one] = await take(ofCampaign.campaigns.recipients(campaign, { ref: 'row-3' }));
    expect(await ofCampaign.campaigns.recipient(campaign, one!.id)).toMatchObject({ ref: 'row-3' });
    expect(await ofCampaign.campaigns.cancelRecipient(campaign, one!.id)).toMatchObject({ status: 'cancelled' });
    expect(await ofCampaign.campaigns.pause(campaign)).toMatchObject({ state: 'paused' });
    expect(await ofCampaign.campaigns.resume(campaign)).toMatchObject({ state: 'live' });
    expect(await ofCampaign.campaigns.get(campaign)).toMatchObject({ total: 5 });
  });

  test('the client throws errors with the code, the fault and the request ID of the server', async () => {
    const error = await parley.endUsers.create({ email: 'no address' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ParleyError', code: 'validation_failed', status: 422, attempts: 1 });
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^req_/), errors: [{ pointer: '/email' }] });
    expect(() => parley.runs.get({ id: '', agent_id: agent, trigger_id: trigger })).toThrow(
      /must be a non-empty string/,
    );
  });

  test('the client has a method for every public route', async () => {
    const { paths } = (await parley.openapi()) as { paths: Record<string, object> };
    // Clients of OpenAI call the routes that have its format.
    const own = Object.entries(paths).filter(([at]) => !at.startsWith('/api/openai/'));
    const all = own.flatMap(([at, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`));
    // A fixed part of a path has priority over an ID, as in the router.
    const routeOf = (call: string) =>
      all.find((route) => route === call) ??
      all.find((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(call));
    expect(all.filter((route) => ![...called].some((call) => routeOf(call) === route))).toEqual([]);
    expect(all.length).toBeGreaterThan(30);
  });
});
