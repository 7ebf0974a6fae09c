import { describe, expect } from 'vitest';
import { addMember, PASSWORD } from '../../../test/dashboard-server.ts';
import { ascending, inShop } from '../../../test/shop.ts';
import { insertMember } from '../../store/members/members.ts';
import { insertOrganization } from '../../store/organizations/organizations.ts';

describe('members', () => {
  inShop('join through a link that works once, for its own address and role', async ({ server, owner, call, at }) => {
    const { body } = await call(`POST ${at}/invitations`, { email: 'New@example.qa', role: 'member' });
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    const look = await server.as(null)(`GET /invitations/${token}`);
    expect(look.body).toMatchObject({
      organization: 'Shop',
      email: 'new@example.qa',
      role: 'member',
      new_accounts: true,
    });
    // The id is visible to others and must not work as the link.
    expect((await server.as(null)(`GET /invitations/${body.id}`)).status).toBe(404);
    expect((await server.as(null)(`GET /invitations/${body.id}.AAAA`)).status).toBe(404);
    const joined = await server.as(null)(`POST /invitations/${token}`, { name: 'New', password: PASSWORD });
    expect(joined.body.organizations).toMatchObject([{ id: owner.orgId, role: 'member' }]);
    expect((await server.as(null)(`POST /invitations/${token}`, { name: 'New', password: PASSWORD })).status).toBe(404);
  });

  inShop(
    'choose for themselves, in each organization, whether the inbox opens the next conversation',
    async ({ server, owner, call, at }) => {
      const viewer = await addMember(server, call, owner.orgId, 'viewer');
      const { body: other } = await call('POST /organizations', { name: 'Second' });
      // Each call is of another browser: nothing but the server stores the choice.
      const chosen = async (by: typeof call) =>
        Object.fromEntries(
          (await by('GET /session')).body.organizations.map(
            ({ id, opens_next }: { id: string; opens_next: boolean }) => [id, opens_next],
          ),
        );
      expect(await chosen(call)).toEqual({ [owner.orgId]: true, [other.id]: true });
      expect((await call(`PUT ${at}/inbox`, { opens_next: false })).status).toBe(204);
      expect(await chosen(call)).toEqual({ [owner.orgId]: false, [other.id]: true });
      expect(await chosen(viewer.call)).toEqual({ [owner.orgId]: true });
      expect((await viewer.call(`PUT /organizations/${other.id}/inbox`, { opens_next: false })).status).toBe(404);
    },
  );

  inShop('with an account join with it', async ({ server, owner, call }) => {
    const { body: other } = await call('POST /organizations', { name: 'Second' });
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const { body } = await call(`POST /organizations/${other.id}/invitations`, { email: viewer.email, role: 'admin' });
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    expect((await server.as(null)(`POST /invitations/${token}/join`)).body.code).toBe('session_missing');
    const joined = await viewer.call(`POST /invitations/${token}/join`);
    expect(joined.body.organizations).toHaveLength(2);
  });

  inShop(
    'never lose their last owner, not even when two leave at the same time',
    async ({ server, owner, call, at }) => {
      const members = (await call(`GET ${at}/members`)).body.data;
      const mine = members[0].id;
      for (const refused of [
        await call(`PATCH ${at}/members/${mine}`, { role: 'admin' }),
        await call(`DELETE ${at}/members/${mine}`),
      ]) {
        expect([refused.status, refused.body.code]).toEqual([409, 'last_owner']);
      }
      const second = await addMember(server, call, owner.orgId, 'owner');
      const theirs = (await call(`GET ${at}/members`)).body.data.find(
        (one: { email: string }) => one.email === second.email,
      ).id;
      // Both transactions have counted two owners, if they can, before either continues.
      const holder = await server.db.$client.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM member WHERE organization_id = $1 FOR UPDATE', [owner.orgId]);
      const leaving = [call(`DELETE ${at}/members/${mine}`), second.call(`DELETE ${at}/members/${theirs}`)];
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
      await holder.query('COMMIT');
      holder.release();
      const both = await Promise.all(leaving);
      expect(both.map(({ status }) => status).toSorted(ascending)).toEqual([204, 409]);
    },
  );

  inShop(
    'are changed by those who may: owners by owners, others by admins, oneself always',
    async ({ server, owner, call, at }) => {
      const admin = await addMember(server, call, owner.orgId, 'admin');
      const viewer = await addMember(server, call, owner.orgId, 'viewer');
      const members: { id: string; email: string }[] = (await call(`GET ${at}/members`)).body.data;
      const idOf = (email: string) => members.find((one) => one.email === email)!.id;
      expect((await admin.call(`PATCH ${at}/members/${idOf(viewer.email)}`, { role: 'owner' })).status).toBe(403);
      expect((await admin.call(`POST ${at}/invitations`, { email: 'o@example.qa', role: 'owner' })).status).toBe(403);
      expect((await admin.call(`DELETE ${at}/members/${idOf(owner.email)}`)).status).toBe(403);
      expect((await viewer.call(`DELETE ${at}/members/${idOf(admin.email)}`)).status).toBe(403);
      expect((await viewer.call(`DELETE ${at}/members/${idOf(viewer.email)}`)).status).toBe(204);
      expect((await viewer.call(`GET ${at}`)).body.code).toBe('organization_not_found');
      expect((await call(`PATCH ${at}/members/${idOf(admin.email)}`, { role: 'viewer' })).status).toBe(200);
      expect((await admin.call(`POST ${at}/agents`, { name: 'X' })).body.code).toBe('role_missing');
    },
  );
});

describe('organizations', () => {
  inShop('start on the free plan, except for the operator', async ({ server, operator, owner, call }) => {
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    expect((await viewer.call('POST /organizations', { name: 'Mine' })).body).toMatchObject({
      plan: 'free',
      role: 'owner',
    });
    for (const more of [{ plan: 'paid' }, { owner_email: 'x@example.qa' }]) {
      expect((await viewer.call('POST /organizations', { name: 'Mine', ...more })).body.code).toBe('operator_required');
    }
    expect((await viewer.call('GET /organizations?all=true')).body.code).toBe('operator_required');
    const theirs = { name: 'Theirs', plan: 'paid', owner_email: `them-${owner.orgId.slice(-6)}@example.qa` };
    const made = await operator.call('POST /organizations', theirs);
    expect(made.body).toMatchObject({ plan: 'paid', role: null });
    expect((await operator.call(`GET /organizations/${made.body.id}`)).status).toBe(404);
    const token = new URL(made.body.invitation_url).pathname.split('/').at(-1)!;
    const joined = await server.as(null)(`POST /invitations/${token}`, { name: 'Them', password: PASSWORD });
    expect(joined.body.organizations).toMatchObject([{ id: made.body.id, role: 'owner', plan: 'paid' }]);
    const all: { id: string; role: string | null }[] = (await operator.call('GET /organizations?all=true')).body.data;
    expect(all.find(({ id }) => id === made.body.id)).toMatchObject({ role: null });
  });

  inShop('of a person are at most 50, also when many are created at once', async ({ server, owner }) => {
    const person = await addMember(server, owner.call, owner.orgId, 'viewer');
    for (let count = 1; count < 47; count++) {
      const { id } = await insertOrganization(server.db, { name: `Shop ${count}`, plan: 'free' });
      await insertMember(server.db, id, person.id, 'owner');
    }
    const burst = Array.from({ length: 12 }, () => person.call('POST /organizations', { name: 'Mine' }));
    const codes = (await Promise.all(burst)).map(({ status }) => status).toSorted(ascending);
    expect(codes).toEqual([...Array(3).fill(201), ...Array(9).fill(403)]);
    const session = await person.call('GET /session');
    expect(session.body.organizations).toHaveLength(50);
  });

  inShop('are listed page by page, and a cursor is valid for its list only', async ({ call, at }) => {
    for (const name of ['B', 'C', 'D']) await call('POST /organizations', { name });
    const names: string[] = [];
    let path = 'GET /organizations?limit=3';
    for (;;) {
      const { body } = await call(path);
      names.push(...body.data.map((one: { name: string }) => one.name));
      if (!body.has_more) break;
      path = `GET /organizations?limit=3&cursor=${body.next_cursor}`;
    }
    expect(names).toEqual(['D', 'C', 'B', 'Shop']);
    const { body } = await call('GET /organizations?limit=1');
    const elsewhere = await call(`GET ${at}/agents?cursor=${body.next_cursor}`);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'cursor_invalid']);
  });
});

describe('the audit log', () => {
  inShop(
    'has a line for every verb that acts, with the address for admins only',
    async ({ server, owner, call, at, newAgent }) => {
      const viewer = await addMember(server, call, owner.orgId, 'viewer');
      const agent = await newAgent();
      await call(`PATCH ${at}/agents/${agent.id}`, { enabled: false });
      await call(`DELETE ${at}/agents/${agent.id}`);
      await call(`PATCH ${at}`, { name: 'Shop 2' });
      const { body } = await call(`GET ${at}/audit`);
      expect(body.data.map((one: { action: string }) => one.action)).toEqual([
        'organization.renamed',
        'agent.deleted',
        'agent.updated',
        'agent.created',
        'invitation.accepted',
        'invitation.created',
        'member.removed',
        'invitation.accepted',
        'invitation.created',
        'organization.created',
      ]);
      expect(body.data[0]).toMatchObject({ actor: owner.id, actor_name: 'owner', address: '127.0.0.1' });
      expect(body.data[0].request_id).toMatch(/^req_/);
      expect((await viewer.call(`GET ${at}/audit`)).body.data[0].address).toBeNull();
      const page = await call(`GET ${at}/audit?limit=2&subject_id=${agent.id}`);
      const rest = await call(`GET ${at}/audit?limit=2&subject_id=${agent.id}&cursor=${page.body.next_cursor}`);
      expect([...page.body.data, ...rest.body.data].map((one: { action: string }) => one.action)).toEqual([
        'agent.deleted',
        'agent.updated',
        'agent.created',
      ]);
    },
  );

  inShop('has a time zone, which new campaigns start with', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    expect((await call(`POST ${at}/campaigns`, input)).body.settings).toEqual({});
    expect((await call(`PATCH ${at}`, { time_zone: 'Mars/Olympus' })).status).toBe(422);
    expect((await call(`PATCH ${at}`, {})).status).toBe(422);
    expect((await call(`PATCH ${at}`, { time_zone: 'Asia/Qatar' })).body).toMatchObject({ time_zone: 'Asia/Qatar' });
    const session = (await call('GET /session')).body;
    expect(session.organizations.some((one: { time_zone: string }) => one.time_zone === 'Asia/Qatar')).toBe(true);
    expect((await call(`POST ${at}/campaigns`, input)).body.settings).toEqual({ time_zone: 'Asia/Qatar' });
    const made = await call('POST /organizations', { name: 'Doha', time_zone: 'Asia/Qatar' });
    expect(made.body).toMatchObject({ name: 'Doha', time_zone: 'Asia/Qatar' });
    expect((await call(`GET ${at}/audit`)).body.data).toContainEqual(
      expect.objectContaining({ action: 'organization.time_zone_set', facts: { time_zone: 'Asia/Qatar' } }),
    );
  });

  inShop('is counted on the first page', async ({ call, at, newAgent }) => {
    const agent = await newAgent();
    await call(`POST ${at}/triggers`, { agent_id: agent.id, name: 'T' });
    const { body: trigger } = await call(`GET ${at}/triggers`);
    const started = await call(`POST ${at}/triggers/${trigger.data[0].id}/test`, { message: 'Hello' });
    expect(started.status).toBe(202);
    const dry = await call(`POST ${at}/triggers/${trigger.data[0].id}/test`, { dry_run: true });
    expect([dry.status, dry.body.dry_run]).toEqual([200, true]);
    expect((await call(`GET ${at}/overview`)).body).toMatchObject({
      agents: 1,
      triggers: 1,
      channels: 1,
      campaigns: 0,
      active_keys: 0,
      end_users: 1,
      members: 1,
      conversations: { open: 1, handed_off: 0, resolved: 0 },
      runs_24h: { queued: 1 },
      first_request: false,
      first_visitor: false,
    });
    const runs = await call(`GET ${at}/triggers/${trigger.data[0].id}/runs`);
    expect(runs.body.data).toMatchObject([{ id: started.body.id, status: 'queued', name: null }]);
    const people = await call(`GET ${at}/end-users`);
    expect((await call(`GET ${at}/end-users/${people.body.data[0].id}`)).status).toBe(200);
    const conversations = await call(`GET ${at}/conversations?status=open&agent_id=${agent.id}`);
    expect(conversations.body.data).toMatchObject([{ id: started.body.conversation_id }]);
  });
});
