import { deriveKey } from '../../kernel/seal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardServer, PASSWORD, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';
import { signLink } from '../../access/sessions/signed-link.ts';
import { lockPasswordHash, readPasswordHash } from '../../store/accounts/passwords.ts';

let server: DashboardServer;
let person: Awaited<ReturnType<typeof setUpOwner>>;
beforeAll(async () => {
  server = await startDashboard();
  person = await setUpOwner(server);
});
afterAll(() => server.stop());

const HOUR_MS = 3_600_000;
const link = async (expiresAt = new Date(Date.now() + HOUR_MS), key = server.secrets.setupKey): Promise<string> =>
  signLink(key, 'password', { userId: person.id, expiresAt }, (await readPasswordHash(server.db, person.id))!);
const look = (token: string) => server.as(null)(`GET /password-links/${token}`);
const set = (token: string, password: string) => server.as(null)(`POST /password-links/${token}`, { password });
const signIn = (password: string) => server.as(null)('POST /sign-in', { email: person.email, password });

describe('a password link', () => {
  it('a password link is refused if it has expired, has another origin, or was changed', async () => {
    const good = await link();
    const bad = [
      await link(new Date(Date.now() - 1_000)),
      await link(undefined, deriveKey('of another installation', 'setup link')),
      good.replace(/\.\d+\./, `.${Math.floor(Date.now() / 1000) + 9_000_000}.`),
      `${good}x`,
      good.slice(0, -1),
      'x',
      'a.b.c',
    ];
    for (const token of bad) {
      expect((await look(token)).body.code).toBe('password_link_not_found');
      expect((await set(token, 'another battery')).body.code).toBe('password_link_not_found');
    }
    expect((await signIn(PASSWORD)).status).toBe(200);
  });

  it('a stranger who reads or uses a link does not lock the account', async () => {
    await server.db.transaction(async (tx) => {
      await lockPasswordHash(tx, person.id);
      const good = await link();
      expect((await look(good)).status).toBe(200);
      expect((await look(`${good}x`)).status).toBe(404);
      expect((await set(`${good}x`, 'another battery')).status).toBe(404);
    });
  });

  it('a password link sets the password once, even if it is used twice simultaneously, and ends every session', async () => {
    const token = await link();
    expect((await look(token)).body.email).toBe(person.email);
    const both = await Promise.all([set(token, 'first battery staple'), set(token, 'second battery staple')]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await person.call('GET /session')).status).toBe(401);
    const winner = both[0].status === 200 ? 'first battery staple' : 'second battery staple';
    expect((await signIn(winner)).status).toBe(200);
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await set(token, 'third battery staple')).body.code).toBe('password_link_not_found');
  });

  it('any other change of the password invalidates the link', async () => {
    const now = await server.as(null)('POST /password-links/' + (await link()), { password: PASSWORD });
    const token = await link();
    await server.as(now.cookie)('PUT /password', { current_password: PASSWORD, new_password: 'changed by hand' });
    expect((await look(token)).status).toBe(404);
  });
});
