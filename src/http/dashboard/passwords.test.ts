import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DashboardServer,
  PASSWORD,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { signLink } from '../../access/sessions/signed-link.ts';
import { findPersonByEmail } from '../../store/accounts/accounts.ts';
import { readPasswordHash } from '../../store/accounts/passwords.ts';

let server: DashboardServer;
let owner: Person & { orgId: string };
const COMMON = 'password123';

beforeAll(async () => {
  server = await startDashboard();
});
afterAll(() => server.stop());

const refused = (pointer: string) => ({
  status: 422,
  body: { code: 'validation_failed', errors: [{ pointer, code: 'password_too_common' }] },
});

describe('a password that is easy to guess', () => {
  it('an easy password creates no owner', async () => {
    const setUp = { token: server.setupToken, name: 'Owner', email: 'owner@example.qa', organization_name: 'Acme' };
    for (const password of [COMMON, 'Owner-2026-Owner', 'parley123456'])
      expect(await server.as(null)('POST /setup', { ...setUp, password })).toMatchObject(refused('/password'));
    expect(await findPersonByEmail(server.db, setUp.email)).toBeNull();
    owner = await setUpOwner(server);
  });

  it('an easy password creates no account through an invitation, and the invitation stays', async () => {
    const email = 'asha@example.qa';
    const { body } = await owner.call(`POST /organizations/${owner.orgId}/invitations`, { email, role: 'member' });
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    const accept = (password: string) => server.as(null)(`POST /invitations/${token}`, { name: 'Asha Rao', password });
    for (const password of [COMMON, 'AshaRao2026!']) expect(await accept(password)).toMatchObject(refused('/password'));
    expect(await findPersonByEmail(server.db, email)).toBeNull();
    expect((await accept(PASSWORD)).status).toBe(200);
  });

  it('an easy password is refused by a password link, which stays valid', async () => {
    const hash = (await readPasswordHash(server.db, owner.id))!;
    const link = signLink(
      server.secrets.setupKey,
      'password',
      { userId: owner.id, expiresAt: new Date(Date.now() + 60_000) },
      hash,
    );
    const set = (password: string) => server.as(null)(`POST /password-links/${link}`, { password });
    expect(await set(COMMON)).toMatchObject(refused('/password'));
    expect(await readPasswordHash(server.db, owner.id)).toBe(hash);
    const again = await set(PASSWORD);
    expect(again.status).toBe(200);
    owner = { ...owner, cookie: again.cookie!, call: server.as(again.cookie) };
  });

  it('an easy password does not replace another one', async () => {
    const change = (password: string) =>
      owner.call('PUT /password', { current_password: PASSWORD, new_password: password });
    expect(await change(COMMON)).toMatchObject(refused('/new_password'));
    expect((await change('a better one, by far')).status).toBe(204);
  });
});
