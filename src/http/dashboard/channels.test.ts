import { describe, expect } from 'vitest';
import { CHANNEL_KINDS } from '../../../contract/channel-kinds.ts';
import { inShop, pointersOf } from '../../../test/shop.ts';
import { channelCredential, openCredential } from '../../store/credentials.ts';

describe('channels', () => {
  inShop(
    'of kind webhook show their secret once, and store it sealed',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const settings = { url: 'https://hooks.example/parley' };
      const connected = await call(`POST ${at}/channels`, {
        agent_id: agent.id,
        kind: 'webhook',
        name: 'Hook',
        settings,
      });
      expect(connected.status).toBe(201);
      expect(connected.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const { id } = connected.body;
      expect((await call(`GET ${at}/channels/${id}`)).body).not.toHaveProperty('secret');
      const { rows } = await server.db.$client.query('SELECT sealed FROM channel WHERE id = $1', [id]);
      expect(rows[0].sealed).not.toContain(connected.body.secret.slice(6));
      const place = channelCredential({ orgId: owner.orgId, id, kind: 'webhook', settings });
      const opened = await openCredential(server.db, server.secrets.sealingKey, place, rows[0].sealed);
      expect(JSON.parse(opened)).toEqual({ secret: connected.body.secret });
    },
  );

  inShop('of an unknown kind are refused with the list of kinds', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const answer = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'pigeon', name: 'W' });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/kind', code: 'not_available' }] } });
    expect(answer.body.errors[0].detail).toContain(CHANNEL_KINDS.join(', '));
  });

  inShop.for([
    [{}, '/settings/url'],
    [{ url: 'ftp://x' }, '/settings/url'],
    [{ url: 'https://u:p@x.example' }, '/settings/url'],
    [{ url: 'https://192.168.1.4/hook' }, '/settings/url'],
    [{ url: 'https://x.example', more: 1 }, '/settings/more'],
  ])('with settings %j are refused at %s', async ([settings, pointer], { call, at, newAgent }) => {
    const agent = await newAgent();
    const answer = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'webhook', name: 'W', settings });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  inShop(
    'are disabled and disconnected immediately; the sandbox stays with its agent',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const { body } = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'sandbox', name: 'Second' });
      const facts = () => server.access.facts.channel(owner.orgId, body.id);
      expect(await facts()).toMatchObject({ enabled: true });
      await call(`PATCH ${at}/channels/${body.id}`, { enabled: false });
      expect(await facts()).toMatchObject({ enabled: false });
      expect((await call(`DELETE ${at}/channels/${body.id}`)).status).toBe(204);
      expect(await facts()).toBeNull();
      expect((await call(`DELETE ${at}/channels/${agent.sandbox_channel_id}`)).status).toBe(409);
    },
  );
});

describe('campaigns', () => {
  inShop('go from draft to live, paused and ended, and never back', async ({ server, owner, call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const { body } = await call(`POST ${at}/campaigns`, input);
    expect(body.state).toBe('draft');
    const move = async (verb: string) => {
      const answer = await call(`POST ${at}/campaigns/${body.id}/${verb}`);
      return answer.status === 200 ? answer.body.state : answer.body.code;
    };
    const moves = ['resume', 'start', 'start', 'pause', 'resume', 'end', 'start', 'resume', 'pause'];
    const outcomes = [];
    for (const verb of moves) outcomes.push(await move(verb));
    const no = 'campaign_not_open';
    expect(outcomes).toEqual([no, 'live', 'live', 'paused', 'live', 'ended', no, no, no]);
    expect(await server.access.facts.campaign(owner.orgId, body.id)).toMatchObject({ state: 'ended' });
    expect((await call(`DELETE ${at}/campaigns/${body.id}`)).status).toBe(204);
    expect((await call(`GET ${at}/campaigns/${body.id}`)).status).toBe(404);
  });

  inShop('accept settings until they have ended, and preview them before saving', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const { body } = await call(`POST ${at}/campaigns`, input);
    const campaign = `${at}/campaigns/${body.id}`;
    const settings = {
      opening: { text: { default: 'Hi {{end_user.name}}, {{code}}', ar: 'أهلًا {{end_user.name}}' } },
      window: { from: '09:00', to: '17:00', days: [1, 2, 3, 4, 7] },
      quiet_hours: { from: '12:00', to: '13:00' },
      time_zone: 'Asia/Qatar',
      starts_at: '2037-12-04T00:00:00.000Z',
      ends_at: '2037-12-20T00:00:00.000Z',
    };
    const preview = async (more: object) => (await call(`POST ${campaign}/preview`, { settings, ...more })).body;
    // Far ahead, because a campaign that has started is sent now. The 4th is a Friday and the 5th a Saturday: Sunday at
    // nine in Doha.
    expect(await preview({ end_user: { name: 'Asha' }, variables: { code: 'W1' } })).toEqual({
      from: '2037-12-04T00:00:00.000Z',
      goes_out_at: '2037-12-06T06:00:00.000Z',
      opening: { type: 'text', text: 'Hi Asha, W1' },
    });
    const inNewYork = { at: '2037-12-07T17:30:00.000Z', time_zone: 'America/New_York', end_user: { locale: 'ar-QA' } };
    expect(await preview(inNewYork)).toMatchObject({
      goes_out_at: '2037-12-07T18:00:00.000Z',
      opening: { text: 'أهلًا ' },
    });
    expect(await preview({ at: '2037-12-20T10:00:00.000Z' })).toMatchObject({ goes_out_at: null });
    expect((await call(`POST ${campaign}/preview`, { settings: {} })).body.opening).toBeNull();
    const broken = {
      opening: { text: { default: 'Hi {{name' } },
      starts_at: settings.ends_at,
      ends_at: settings.starts_at,
    };
    for (const route of [`POST ${campaign}/preview`, `PATCH ${campaign}`]) {
      const answer = await call(route, { settings: broken });
      expect([answer.status, pointersOf(answer)]).toEqual([
        422,
        ['/settings/opening/text/default', '/settings/ends_at'],
      ]);
    }
    const never = { window: { from: '22:00', to: '06:00' }, quiet_hours: { from: '21:00', to: '08:00' } };
    expect(pointersOf(await call(`PATCH ${campaign}`, { settings: never }))).toEqual(['/settings/quiet_hours/to']);
    expect((await call(`GET ${campaign}`)).body.settings).toEqual({});
    expect((await call(`PATCH ${campaign}`, { settings })).body.settings).toEqual(settings);
    await call(`POST ${campaign}/end`);
    expect((await call(`PATCH ${campaign}`, { settings: {} })).body.code).toBe('campaign_not_open');
    expect((await call(`PATCH ${campaign}`, { name: 'Last spring' })).body).toMatchObject({
      name: 'Last spring',
      settings,
    });
  });

  inShop('need a channel of their own agent', async ({ call, at, newAgent }) => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const input = { agent_id: agent.id, channel_id: other.sandbox_channel_id, name: 'Spring' };
    expect((await call(`POST ${at}/campaigns`, input)).body.code).toBe('channel_not_found');
  });
});
