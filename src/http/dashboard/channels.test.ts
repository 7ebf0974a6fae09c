import { eq } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { CHANNEL_KINDS } from '../../../contract/channel-kinds.ts';
import { inShop, pointersOf } from '../../../test/shop.ts';
import { newId } from '../../kernel/ids.ts';
import { channelCredential, openCredential } from '../../store/credentials.ts';
import { agent as agentTable } from '../../store/schema/agent.ts';
import { recipient } from '../../store/schema/campaign.ts';
import { endUser } from '../../store/schema/end-user.ts';

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
  ])('the settings %j are refused at %s', async ([settings, pointer], { call, at, newAgent }) => {
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
      without: { opening: { type: 'text', text: 'Hi , ' }, empty: ['end_user.name', 'code'] },
    });
    const inNewYork = { at: '2037-12-07T17:30:00.000Z', time_zone: 'America/New_York', end_user: { locale: 'ar-QA' } };
    expect(await preview(inNewYork)).toMatchObject({
      goes_out_at: '2037-12-07T18:00:00.000Z',
      opening: { text: 'أهلًا ' },
    });
    expect(await preview({ at: '2037-12-20T10:00:00.000Z' })).toMatchObject({ goes_out_at: null });
    const own = { type: 'text', text: `Hello, I am ${agent.name}. How can I help you?` };
    expect((await call(`POST ${campaign}/preview`, { settings: {} })).body.opening).toEqual(own);
    // What a model would write is not known before.
    const model = { definition: { provider: 'openai', model: 'gpt-5' } };
    expect((await call(`PATCH ${at}/agents/${agent.id}`, model)).status).toBe(200);
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

  inShop(
    'review who would be messaged and who not, and change nothing',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
      const { id } = (await call(`POST ${at}/campaigns`, input)).body;
      const settings = {
        opening: { text: { default: 'Hi {{end_user.name}}, {{code}}' } },
        starts_at: '2037-12-04T00:00:00.000Z',
      };
      await call(`PATCH ${at}/campaigns/${id}`, { settings });
      await call(`POST ${at}/campaigns/${id}/start`);
      const enrol = async (person: object, code: string, ref: string | null = null): Promise<string> => {
        const endUserId = (await call(`POST ${at}/end-users`, person)).body.id;
        const values = { orgId: owner.orgId, campaignId: id, id: newId('rcpt'), endUserId, status: 'pending', ref };
        await server.db
          .insert(recipient)
          .values({ ...values, variables: { code }, dueAt: new Date(settings.starts_at) });
        return values.id;
      };
      await enrol({ external_id: 'a', name: 'Asha' }, 'W-1');
      const nameless = await enrol({ external_id: 'b' }, 'W-2', 'row-2');
      await enrol({ external_id: 'c', name: 'Omar', blocked: true }, 'W-3');
      await call(`POST ${at}/campaigns/${id}/recipients/${await enrol({ external_id: 'd' }, 'W-4')}/cancel`);
      const before = (await call(`GET ${at}/campaigns/${id}/recipients`)).body.data;
      const { status, body } = await call(`POST ${at}/campaigns/${id}/review`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        waiting: 3,
        examined: 3,
        goes: { count: 2, later: 2, first_at: settings.starts_at, last_at: settings.starts_at },
        left_out: [
          { status: 'suppressed', reason: 'blocked', is_waiting: true, count: 1, recipients: [{ name: 'Omar' }] },
          { status: 'cancelled', reason: 'cancelled', is_waiting: false, count: 1, recipients: [] },
        ],
        empty: { count: 1, names: ['end_user.name'], recipients: [{ id: nameless, ref: 'row-2' }] },
        cost: { uses_model: false, turns: 0, unpriced_tokens: 0, per_turn: [], one_turn_each: [] },
      });
      const provider = { provider: 'openai' as const, model: 'gpt-5' };
      await server.db.update(agentTable).set({ published: provider }).where(eq(agentTable.id, agent.id));
      expect((await call(`POST ${at}/campaigns/${id}/review`)).body.cost).toMatchObject({ uses_model: true });
      expect(body.samples.map(({ opening }: { opening: { text: string } }) => opening.text)).toEqual([
        'Hi Asha, W-1',
        'Hi , W-2',
      ]);
      expect((await call(`GET ${at}/campaigns/${id}/recipients`)).body.data).toEqual(before);
    },
  );

  inShop(
    'export recipients of a campaign as CSV, by status, without formulas',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Autumn' };
      const { id } = (await call(`POST ${at}/campaigns`, input)).body;
      const endUserId = (await call(`POST ${at}/end-users`, { external_id: 'csv-1', name: '=Asha' })).body.id;
      const values = { orgId: owner.orgId, campaignId: id, status: 'pending' };
      // Two pages of the list, and one more recipient.
      const waiting = Array.from({ length: 2_001 }, () => ({ ...values, id: newId('rcpt') }));
      await server.db.insert(recipient).values(waiting);
      const failed = { id: newId('rcpt'), endUserId, status: 'failed', reason: 'unreachable', ref: '@row,1' };
      await server.db.insert(recipient).values({ ...values, ...failed, variables: { code: 'W-1' } });
      const file = async (query = '') => (await call(`GET ${at}/campaigns/${id}/recipients.csv${query}`)).body;
      const [head, first, ...rest] = (await file()).trimEnd().split('\r\n');
      expect(head).toBe('recipient_id,ref,external_id,name,status,reason,variables,send_at,due_at,created_at,updated_at,end_user_id,conversation_id,run_id'); // prettier-ignore
      expect(first).toMatch(`${failed.id},"'@row,1",csv-1,'=Asha,failed,unreachable,"{""code"":""W-1""}",,,`);
      const ids = rest.map((line: string) => line.split(',')[0]);
      expect(ids).toEqual(
        waiting
          .map((row) => row.id)
          .toSorted()
          .toReversed(),
      );
      expect((await file('?status=failed')).trimEnd().split('\r\n')).toEqual([head, first]);
      expect((await file('?status=read')).trimEnd().split('\r\n')).toEqual([head]);
      const unknown = `${at}/campaigns/${newId('campaign')}/recipients.csv`;
      expect((await call(`GET ${unknown}`)).body.code).toBe('campaign_not_found');
    },
  );

  inShop('send a test to an address: marked, no one enrolled, and consent holds', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const campaign = `${at}/campaigns/${(await call(`POST ${at}/campaigns`, input)).body.id}`;
    const settings = { opening: { text: { default: 'Hi {{end_user.name|there}}, {{code}}' } } };
    const body = { settings, address: 'me', end_user: { name: 'Asha' }, variables: { code: 'W-1' } };
    const sent = await call(`POST ${campaign}/test`, body);
    expect(sent.status).toBe(202);
    const message = await call(`GET ${at}/channels/${agent.sandbox_channel_id}/test/${sent.body.id}`);
    expect(message.body).toMatchObject({
      content: { type: 'text', text: '[Test] Hi Asha, W-1' },
      metadata: { test: 'campaign', campaign_id: campaign.split('/').at(-1) },
    });
    expect((await call(`GET ${campaign}`)).body).toMatchObject({ state: 'draft', total: 0 });
    expect((await call(`POST ${campaign}/test`, { ...body, settings: {} })).status).toBe(202);
    const broken = { opening: { text: { default: 'Hi {{name' } } };
    expect(pointersOf(await call(`POST ${campaign}/test`, { ...body, settings: broken }))).toEqual([
      '/settings/opening/text/default',
    ]);
    const person = `${at}/end-users/${sent.body.end_user_id}`;
    expect((await call(`PUT ${person}/consent/sandbox`, { status: 'opted_out' })).status).toBe(200);
    expect((await call(`POST ${campaign}/test`, body)).body.code).toBe('recipient_opted_out');
    await call(`PUT ${person}/consent/sandbox`, { status: 'opted_in' });
    await call(`PATCH ${person}`, { blocked: true });
    expect((await call(`POST ${campaign}/test`, body)).body.code).toBe('recipient_opted_out');
    expect((await call(`GET ${campaign}`)).body).toMatchObject({ state: 'draft', total: 0 });
  });

  inShop(
    'count end users by their filters, page by page, and add no one',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
      const campaign = `${at}/campaigns/${(await call(`POST ${at}/campaigns`, input)).body.id}`;
      await call(`PATCH ${campaign}`, { settings: { starts_at: '2037-12-04T00:00:00.000Z' } });
      const ids = Array.from({ length: 503 }, () => newId('enduser'));
      await server.db.insert(endUser).values(ids.map((id) => ({ orgId: owner.orgId, id, tags: ['spring'] })));
      await server.db.insert(endUser).values({ orgId: owner.orgId, id: newId('enduser'), tags: ['autumn'] });
      await call(`PATCH ${at}/end-users/${ids[0]!}`, { blocked: true });
      await call(`PUT ${at}/end-users/${ids[1]!}/consent/sandbox`, { status: 'opted_out' });
      const filters = { tag: 'spring' };
      const counted = async () => {
        const sum = { accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };
        for (let after: string | undefined, pages = 0; pages < 5; pages++) {
          const { status, body } = await call(`POST ${campaign}/audience`, {
            filters,
            ...(after && { after }),
          });
          if (status !== 200) return body.code;
          for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += body[name];
          if (body.next === null) return sum;
          after = body.next;
        }
        return 'endless';
      };
      const found = { accepted: 501, duplicates: 0, opted_out: 1, blocked: 1, invalid: 0 };
      expect(await counted()).toEqual(found);
      const empty = (await call(`POST ${campaign}/review`)).body;
      expect(empty).toMatchObject({ waiting: 0, examined: 0, has_more: false });
      const review = (await call(`POST ${campaign}/review`, { filters: { tag: 'spring' } })).body;
      expect(review).toMatchObject({
        waiting: 503,
        examined: 503,
        has_more: false,
        goes: { count: 501, first_at: '2037-12-04T00:00:00.000Z' },
        left_out: expect.arrayContaining([
          expect.objectContaining({ status: 'suppressed', reason: 'blocked', count: 1 }),
          expect.objectContaining({ status: 'suppressed', reason: 'opted_out', count: 1 }),
        ]),
      });
      expect((await call(`GET ${campaign}`)).body.total).toBe(0);
      await call(`POST ${campaign}/end`);
      expect((await call(`POST ${campaign}/pushes`, { filters })).body.code).toBe('campaign_not_open');
    },
  );

  inShop('are rehearsed on a virtual clock, with settings that are not saved', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const campaign = `${at}/campaigns/${(await call(`POST ${at}/campaigns`, input)).body.id}`;
    const settings = { per_minute: 1, opening: { text: { default: 'Hi {{end_user.name}}' } } };
    const asked = { settings, begins_at: '2026-11-21T12:00:00.000Z', file: 'id,name\na,Asha\nb,Omar\n' };
    const { status, body } = await call(`POST ${campaign}/rehearsal`, asked);
    expect([status, body.sent, body.ends_at]).toEqual([200, 2, '2026-11-21T12:01:00.000Z']);
    expect((await call(`GET ${campaign}`)).body).toMatchObject({ total: 0, settings: {} });
    expect((await call(`GET ${at}/end-users?text=Asha`)).body.data).toEqual([]);
    await call(`POST ${at}/end-users`, { external_id: 'a', name: 'Asha', tags: ['spring'] });
    const found = await call(`POST ${campaign}/rehearsal`, { filters: { tag: 'spring' } });
    expect(found.body).toMatchObject({ recipients: 1, sent: 1, rows: [{ name: 'Asha', status: 'sent' }] });
    const broken = await call(`POST ${campaign}/rehearsal`, { made_up: { count: 1 }, file: 'id\n' });
    expect([broken.status, broken.body.code]).toEqual([422, 'validation_failed']);
  });

  inShop('count the recipients of a file, and add no one', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const campaign = `${at}/campaigns/${(await call(`POST ${at}/campaigns`, input)).body.id}`;
    await call(`PATCH ${campaign}`, { settings: { starts_at: '2037-12-04T00:00:00.000Z' } });
    await call(`POST ${at}/end-users`, { external_id: 'file-b', blocked: true });
    const rows = Array.from({ length: 600 }, (_, n) => `file-n${n},Person ${n},V-${n},row-${n}`);
    const more = ['file-b,Omar,V,b', 'file-n0,Again,V,again', ',Nameless,V,none'];
    const file = ['id,name,voucher,ref', ...rows, ...more].join('\n');
    const found = { rows: 603, accepted: 600, duplicates: 1, opted_out: 0, blocked: 1, invalid: 1 };
    const count = async () => (await call(`POST ${campaign}/audience-file`, { file })).body;
    expect(await count()).toMatchObject({
      ...found,
      faults: [{ row: 603, ref: 'none', errors: [{ code: 'required' }] }],
    });
    const opening = { text: { default: 'Hi {{end_user.name}}, use {{voucher}} or {{gift}}' } };
    await call(`PATCH ${campaign}`, { settings: { starts_at: '2037-12-04T00:00:00.000Z', opening } });
    const review = (await call(`POST ${campaign}/review`, { file })).body;
    expect(review).toMatchObject({
      waiting: 603,
      examined: 603,
      goes: { count: 600, later: 600 },
      empty: { count: 600, names: ['gift'], recipients: expect.arrayContaining([expect.anything()]) },
      faults: [{ row: 603, ref: 'none', errors: [{ code: 'required' }] }],
    });
    expect(
      review.left_out.map(({ status, reason, count }: Record<string, unknown>) => [status, reason, count]),
    ).toEqual(
      expect.arrayContaining([
        ['suppressed', 'blocked', 1],
        ['duplicate', 'already_enrolled', 1],
        ['invalid', 'required', 1],
      ]),
    );
    // A person who does not exist yet has no page.
    expect(review.empty.recipients[0]).toMatchObject({ end_user_id: null, name: 'Person 0', ref: 'row-0' });
    expect(pointersOf(await call(`POST ${campaign}/review`, { file: 'id\n"' }))).toEqual(['/file']);
    expect((await call(`POST ${campaign}/review`, { file, filters: {} })).status).toBe(422);
    expect((await call(`GET ${campaign}`)).body.total).toBe(0);
    expect((await call(`GET ${at}/end-users?text=file-n5`)).body.data).toEqual([]);
    await call(`POST ${campaign}/start`);
    const broken = await call(`POST ${campaign}/pushes`, { file: `${file}\n"` });
    expect([broken.status, pointersOf(broken)]).toEqual([422, ['/file']]);
    expect((await call(`GET ${campaign}`)).body.total).toBe(0);
    const many = 'id\n'.concat(Array.from({ length: 10_001 }, (_, n) => `m${n}\n`).join(''));
    expect(pointersOf(await call(`POST ${campaign}/audience-file`, { file: many }))).toEqual(['/file']);
  });

  inShop('need a channel of their own agent', async ({ call, at, newAgent }) => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const input = { agent_id: agent.id, channel_id: other.sandbox_channel_id, name: 'Spring' };
    expect((await call(`POST ${at}/campaigns`, input)).body.code).toBe('channel_not_found');
  });
});
