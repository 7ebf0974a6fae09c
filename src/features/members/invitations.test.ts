import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  type DashboardServer,
  PASSWORD,
  type Person,
  addMember,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { signLink } from '../../access/sessions/signed-link.ts';
import { newId } from '../../kernel/ids.ts';
import { invitationDigest, newInvitationToken } from '../../access/sessions/invitation-link.ts';
import { readPasswordHash } from '../../store/accounts/passwords.ts';
import { renewInvitation } from '../../store/members/invitations.ts';
import { MAX_MEMBERS, lockMembers } from '../../store/members/members.ts';

/** Invitations without a mail server: people pass links on, and an ordinary account is the attacker. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let at: string;
let nobody: Client;
beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
  at = `/organizations/${owner.orgId}`;
  nobody = server.as(null);
});
afterAll(() => server.stop());

const address = (): string => `${randomBytes(5).toString('hex')}@example.qa`;
const tokenOf = (url: string): string => new URL(url).pathname.split('/').at(-1)!;
const newcomer = { name: 'New', password: PASSWORD };
const invite = async (by: Client, role: string, email = address(), org = at) => {
  const { status, body } = await by(`POST ${org}/invitations`, { email, role });
  expect(status).toBe(201);
  return { id: body.id as string, email, url: body.url as string, token: tokenOf(body.url) };
};
const accept = (token: string, as: Client = nobody) => as(`POST /invitations/${token}`, newcomer);
const memberIdOf = async (who: Person): Promise<string> =>
  (await owner.call(`GET ${at}/members`)).body.data.find((one: { email: string }) => one.email === who.email).id;
const openFor = async (by: Client): Promise<string[]> =>
  (await by(`GET ${at}/invitations`)).body.data.map((one: { id: string }) => one.id);
/** An ordinary account with its own free organization. */
async function ordinary(): Promise<Person & { org: string }> {
  const person = await addMember(server, owner.call, owner.orgId, 'viewer');
  const { body } = await person.call('POST /organizations', { name: 'Mine' });
  return { ...person, org: `/organizations/${body.id}` };
}

describe('a link', () => {
  it('an invitation link is in the response that creates it, but in no list, audit entry or table', async () => {
    const made = await invite(owner.call, 'member');
    for (const path of ['invitations', 'audit', 'members']) {
      const { body } = await owner.call(`GET ${at}/${path}`);
      expect(JSON.stringify(body)).not.toContain(made.token);
      expect(JSON.stringify(body)).not.toContain('https://us.parley.example/invitations');
    }
    const rows = await server.db.execute(
      sql`SELECT i::text AS row FROM invitation i UNION ALL SELECT a::text FROM audit a`,
    );
    expect(JSON.stringify(rows.rows)).not.toContain(made.token);
    expect((await nobody(`GET /invitations/${made.id}`)).status).toBe(404);
    expect((await accept(made.token)).status).toBe(200);
    expect((await accept(made.token)).body.code).toBe('invitation_not_found');
  });

  it('a link ends when a renewal replaces it', async () => {
    const made = await invite(owner.call, 'member');
    const renewed = await owner.call(`POST ${at}/invitations/${made.id}/renew`);
    expect(renewed.body).toMatchObject({ id: made.id, email: made.email, mailed: false });
    expect((await accept(made.token)).body.code).toBe('invitation_not_found');
    expect((await accept(tokenOf(renewed.body.url))).status).toBe(200);
    expect((await owner.call(`POST ${at}/invitations/${made.id}/renew`)).body.code).toBe('invitation_not_found');
  });

  it('a renewal also ends a link whose invitation is being accepted at the same time', async () => {
    const made = await invite(owner.call, 'member');
    const renewed = newInvitationToken();
    const waiting = () =>
      server.db.execute(
        sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    let accepted: ReturnType<Client>;
    await server.db.transaction(async (tx) => {
      await lockMembers(tx, owner.orgId);
      accepted = accept(made.token);
      await expect.poll(async () => (await waiting()).rows.length).toBe(1);
      const link = { inviterId: owner.id, digest: invitationDigest(renewed), mailed: false, days: 7 };
      await renewInvitation(tx, owner.orgId, made.id, link);
    });
    expect((await accepted!).body.code).toBe('invitation_not_found');
    expect((await accept(renewed)).status).toBe(200);
  });

  it('a link of an older version of Parley can be renewed', async () => {
    const made = await invite(owner.call, 'member');
    await server.db.execute(sql`UPDATE invitation SET token_digest = NULL WHERE id = ${made.id}`);
    expect((await accept(made.token)).status).toBe(404);
    expect((await owner.call(`POST ${at}/invitations/${made.id}/renew`)).status).toBe(200);
  });
});

describe('an invitation to a role above the own role', () => {
  it('an admin cannot list, create, renew, withdraw or replace an invitation to a higher role', async () => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const above = await invite(owner.call, 'owner');
    expect(await openFor(owner.call)).toContain(above.id);
    expect(await openFor(admin.call)).not.toContain(above.id);
    expect((await admin.call(`POST ${at}/invitations/${above.id}/renew`)).body.code).toBe('invitation_not_found');
    expect((await admin.call(`DELETE ${at}/invitations/${above.id}`)).body.code).toBe('invitation_not_found');
    expect((await admin.call(`POST ${at}/invitations`, { email: address(), role: 'owner' })).body.code).toBe(
      'role_missing',
    );
    // The same address again, with a lower role: it must neither end the owner's invitation nor reveal it.
    const lower = await invite(admin.call, 'member', above.email);
    expect(await openFor(owner.call)).toEqual(expect.arrayContaining([above.id, lower.id]));
    expect((await accept(above.token)).body.organizations).toMatchObject([{ role: 'owner' }]);
  });

  it('a former owner who is now an admin has no access to an invitation to a higher role', async () => {
    const second = await addMember(server, owner.call, owner.orgId, 'owner');
    const above = await invite(second.call, 'owner');
    const equal = await invite(second.call, 'admin');
    await owner.call(`PATCH ${at}/members/${await memberIdOf(second)}`, { role: 'admin' });
    expect((await accept(above.token)).body.code).toBe('invitation_not_found');
    expect((await accept(equal.token)).status).toBe(200);
  });
});

describe('a person who loses the role', () => {
  it.each([
    ['is removed', (id: string) => owner.call(`DELETE ${at}/members/${id}`)],
    ['leaves', (id: string, admin: Person) => admin.call(`DELETE ${at}/members/${id}`)],
    ['is made a member', (id: string) => owner.call(`PATCH ${at}/members/${id}`, { role: 'member' })],
  ])('a person who %s loses their invitation links', async (_how, lose) => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const own = await invite(admin.call, 'admin');
    const others = await invite(owner.call, 'viewer');
    const firstLink = await invite(admin.call, 'viewer');
    const renewed = tokenOf((await owner.call(`POST ${at}/invitations/${firstLink.id}/renew`)).body.url);
    expect((await lose(await memberIdOf(admin), admin)).status).toBeLessThan(300);
    expect((await accept(own.token)).body.code).toBe('invitation_not_found');
    const open = await openFor(owner.call);
    expect(open).not.toContain(own.id);
    expect(open).toEqual(expect.arrayContaining([others.id, firstLink.id]));
    // The person who renewed a link is its inviter.
    expect((await accept(renewed)).status).toBe(200);
    const { body } = await owner.call(`GET ${at}/audit?subject_id=${own.id}`);
    expect(body.data[0]).toMatchObject({ action: 'invitation.withdrawn', actor: expect.any(String) });
  });

  it('a removed person cannot return with an open invitation link', async () => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const own = await invite(admin.call, 'admin');
    await server.db.execute(sql`UPDATE member SET role = 'member' WHERE user_id = ${admin.id}`);
    expect((await accept(own.token)).body.code).toBe('invitation_not_found');
  });

  it('a person who has just lost a role cannot invite others to it', async () => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const id = await memberIdOf(admin);
    const email = address();
    const holder = await server.db.$client.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM organization WHERE id = $1 FOR UPDATE', [owner.orgId]);
    const late = [
      admin.call(`POST ${at}/invitations`, { email, role: 'admin' }),
      admin.call(`PATCH ${at}/members/${id}`, { role: 'viewer' }),
    ];
    // Both have passed the gate and wait for the lock of the members.
    await expect
      .poll(async () => {
        const { rows } = await server.db.execute(sql`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR NO KEY UPDATE%'`);
        return rows.length;
      })
      .toBe(2);
    await holder.query('DELETE FROM member WHERE id = $1', [id]);
    await holder.query('COMMIT');
    holder.release();
    expect((await Promise.all(late)).map(({ body }) => body.code)).toEqual(Array(2).fill('organization_not_found'));
    expect(
      (await owner.call(`GET ${at}/invitations`)).body.data.map((one: { email: string }) => one.email),
    ).not.toContain(email);
  });

  it('a member whose role was lowered cannot use an open invitation to a higher role', async () => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const { body } = await owner.call('POST /organizations', { name: 'Elsewhere' });
    const higher = await invite(owner.call, 'owner', admin.email, `/organizations/${body.id}`);
    expect((await admin.call(`POST /invitations/${higher.token}/join`)).status).toBe(200);
    await server.db
      .execute(sql`INSERT INTO invitation (id, organization_id, email, role, expires_at, inviter_id, token_digest)
      SELECT ${newId('invite')}, ${owner.orgId}, email, 'owner', expires_at, inviter_id, sha256('open')
      FROM invitation WHERE id = ${higher.id}`);
    await owner.call(`PATCH ${at}/members/${await memberIdOf(admin)}`, { role: 'viewer' });
    const joined = await admin.call('POST /invitations/open/join');
    expect(joined.body.organizations.find((one: { id: string }) => one.id === owner.orgId).role).toBe('viewer');
  });
});

describe('a full organization', () => {
  it('open invitations add no member above the limit, because the list of members ends there', async () => {
    const colleague = await addMember(server, owner.call, owner.orgId, 'member');
    const { body } = await owner.call('POST /organizations', { name: 'Full', plan: 'paid' });
    const full = `/organizations/${body.id}`;
    const links = [
      await invite(owner.call, 'member', colleague.email, full),
      await invite(owner.call, 'admin', undefined, full),
    ];
    await server.db.execute(sql`WITH made AS (
        INSERT INTO "user" (id, name, email) SELECT 'user_full' || n, 'Member', n || '@full.example'
        FROM generate_series(3, ${MAX_MEMBERS}) n RETURNING id)
      INSERT INTO member (id, organization_id, user_id, role) SELECT 'member_' || id, ${body.id}, id, 'viewer' FROM made`);
    const entered = [colleague.call(`POST /invitations/${links[0]!.token}/join`), accept(links[1]!.token)];
    const codes = (await Promise.all(entered)).map(({ body: { code = 'entered' } }) => code as string);
    expect(codes.toSorted()).toEqual(['entered', 'organization_full']);
    expect((await owner.call(`GET ${full}/members`)).body.data).toHaveLength(MAX_MEMBERS);
    const { rows } = await server.db.execute(sql`SELECT 1 FROM member WHERE organization_id = ${body.id}`);
    expect(rows).toHaveLength(MAX_MEMBERS);
  });
});

describe('an unproven address', () => {
  it('an invitation to a free organization creates no account for an unproven address', async () => {
    const attacker = await ordinary();
    const { token, email } = await invite(attacker.call, 'owner', address(), attacker.org);
    expect((await accept(token)).body.code).toBe('account_required');
    expect((await accept(token, attacker.call)).body.code).toBe('account_required');
    const { rows } = await server.db.execute(sql`SELECT 1 FROM "user" WHERE email = ${email}`);
    expect(rows).toEqual([]);
    // Signed in as a person who is not invited.
    expect((await attacker.call(`POST /invitations/${token}/join`)).body.code).toBe('invitation_not_found');
    const colleague = await addMember(server, owner.call, owner.orgId, 'member');
    const other = await invite(attacker.call, 'admin', colleague.email.toUpperCase(), attacker.org);
    expect((await nobody(`POST /invitations/${other.token}/join`)).body.code).toBe('session_missing');
    expect((await colleague.call(`POST /invitations/${other.token}/join`)).body.organizations).toHaveLength(2);
  });

  it('an inviter cannot distinguish known from unknown addresses', async () => {
    const attacker = await ordinary();
    const known = await invite(attacker.call, 'member', owner.email, attacker.org);
    const unknown = await invite(attacker.call, 'member', address(), attacker.org);
    const responses = await Promise.all(
      [known, unknown].map(async ({ token, email }) => {
        const look = await nobody(`GET /invitations/${token}`);
        const refusal = { ...(await accept(token)).body, request_id: '' };
        return JSON.stringify([look.status, { ...look.body, expires_at: '' }, refusal])
          .replaceAll(email, '?')
          .replaceAll(token, '?');
      }),
    );
    expect(responses[0]).toBe(responses[1]);
  });

  it('an address gets an unproven account if the operator trusts the inviter, until a mailed link proves it', async () => {
    const made = await invite(owner.call, 'admin');
    const joined = await accept(made.token);
    expect(joined.body.user.email_verified).toBe(false);
    const { body } = await owner.call('POST /organizations', { name: 'Other' });
    const known = await invite(owner.call, 'admin', made.email, `/organizations/${body.id}`);
    expect((await accept(known.token)).body.code).toBe('account_exists');
    const squatter = server.as(joined.cookie);
    const planted = await invite(squatter, 'admin');
    await squatter('POST /second-factor/authenticator', { password: PASSWORD });
    const link = { userId: joined.body.user.id as string, expiresAt: new Date(Date.now() + 60_000) };
    const token = signLink(
      server.secrets.setupKey,
      'mailed password',
      link,
      (await readPasswordHash(server.db, link.userId))!,
    );
    const reset = await nobody(`POST /password-links/${token}`, { password: 'the true person 77' });
    expect(reset.body).toMatchObject({ user: { email_verified: true }, organizations: [{ id: owner.orgId }] });
    expect((await squatter('GET /session')).status).toBe(401);
    expect((await accept(planted.token)).body.code).toBe('invitation_not_found');
    const { rows } = await server.db.execute(sql`SELECT 1 FROM second_factor WHERE user_id = ${link.userId}`);
    expect(rows).toEqual([]);
  });

  it('a link that the operator passed on does not prove an address and does not affect second factors', async () => {
    const person = await addMember(server, owner.call, owner.orgId, 'member');
    await person.call('POST /second-factor/authenticator', { password: PASSWORD });
    const link = { userId: person.id, expiresAt: new Date(Date.now() + 60_000) };
    const token = signLink(server.secrets.setupKey, 'password', link, (await readPasswordHash(server.db, person.id))!);
    const reset = await nobody(`POST /password-links/${token}`, { password: 'the true person 77' });
    expect(reset.body.user.email_verified).toBe(false);
    const { rows } = await server.db.execute(sql`SELECT 1 FROM second_factor WHERE user_id = ${person.id}`);
    expect(rows).toHaveLength(1);
  });
});
