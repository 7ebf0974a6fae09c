import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { addMember, PASSWORD } from '../../../test/dashboard-server.ts';
import { inShop } from '../../../test/shop.ts';
import { SLOW_BODY_MS } from '../route/mount-routes.ts';

describe('sign-in', () => {
  inShop(
    'shows the first owner as the operator of a paid organization, and the link does not work a second time',
    async ({ server, operator }) => {
      const { body } = await operator.call('GET /session');
      expect(body).toMatchObject({
        operator: true,
        organizations: [{ name: 'Acme', plan: 'paid', role: 'owner' }],
        region: 'us',
        base_url: 'https://us.parley.example',
      });
      const again = await server.as(null)('POST /setup', {
        token: server.setupToken,
        name: 'Eve',
        email: 'eve@example.qa',
        password: PASSWORD,
        organization_name: 'Eve',
      });
      expect([again.status, again.body.code]).toEqual([403, 'setup_closed']);
    },
  );

  inShop('refuses a session on its very next request after it was ended elsewhere', async ({ server, owner, call }) => {
    const second = await server.as(null)('POST /sign-in', { email: owner.email, password: PASSWORD });
    const other = server.as(second.cookie);
    expect((await other('GET /session')).status).toBe(200);
    const { body } = await call('GET /sessions');
    const [gone] = body.data.filter((one: { current: boolean }) => !one.current);
    expect((await call(`DELETE /sessions/${gone.id}`)).status).toBe(204);
    const refused = await other('GET /session');
    expect([refused.status, refused.body.code]).toEqual([401, 'session_missing']);
    expect((await call(`DELETE /sessions/${gone.id}`)).status).toBe(404);
  });

  inShop('does not allow a person to end the session of another', async ({ server, owner, call }) => {
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const { body } = await viewer.call('GET /sessions');
    expect((await call(`DELETE /sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await viewer.call('GET /session')).status).toBe(200);
  });

  inShop('ends with signing out, and the cookie is removed', async ({ call }) => {
    const answer = await call('POST /sign-out');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-parley_session=; Max-Age=0; Path=\/; .*Secure/);
    expect((await call('GET /session')).status).toBe(401);
  });

  inShop('accepts only small bodies of strangers', async ({ server, operator }) => {
    const large = { email: 'x'.repeat(33 * 1024), password: PASSWORD };
    const answers = [await server.as(null)('POST /sign-in', large), await operator.call('POST /organizations', large)];
    expect(answers.map(({ status }) => status)).toEqual([413, 422]);
    expect(answers[0]!.body.detail).toBe('Send at most 32 KiB.');
  });

  inShop('gives the same answer for a wrong password and an unknown address', async ({ server, owner }) => {
    const answers = [];
    for (const email of [owner.email, 'nobody@example.qa']) {
      const { status, body } = await server.as(null)('POST /sign-in', { email, password: 'wrong password' });
      answers.push([status, body.code, body.detail]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

/** Sends the head, and the body only after `between`, which starts when the server asks for the body. */
async function slowly(base: string, cookie: string, path: string, body: unknown, between: () => Promise<unknown>) {
  const headers = { cookie, 'content-type': 'application/json', expect: '100-continue' };
  const sent = request(base + path, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  await between();
  await pause(SLOW_BODY_MS);
  sent.end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: (await json(answer)) as { code?: string } };
}

describe('a body that arrives slowly', () => {
  inShop(
    'does nothing if the role, the membership or the session was lost before it was complete',
    async ({ server, owner, call, at }) => {
      const invitation = { email: 'back@example.qa', role: 'admin' };
      const lose: Record<string, (one: Awaited<ReturnType<typeof addMember>>, memberId: string) => Promise<unknown>> = {
        role_missing: (_one, id) => call(`PATCH ${at}/members/${id}`, { role: 'viewer' }),
        organization_not_found: (_one, id) => call(`DELETE ${at}/members/${id}`),
        session_missing: (one) => one.call('POST /sign-out'),
      };
      for (const [code, losing] of Object.entries(lose)) {
        const admin = await addMember(server, call, owner.orgId, 'admin');
        const members = (await call(`GET ${at}/members`)).body.data as { id: string; email: string }[];
        const { id } = members.find(({ email }) => email === admin.email)!;
        const answer = await slowly(server.url, admin.cookie, `${at}/invitations`, invitation, () => losing(admin, id));
        expect(answer.body.code).toBe(code);
      }
      const open = (await call(`GET ${at}/invitations`)).body.data as { email: string }[];
      expect(open.map(({ email }) => email)).not.toContain(invitation.email);
    },
  );
});
