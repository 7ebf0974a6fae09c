import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardServer, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';

let server: DashboardServer;
beforeAll(async () => {
  server = await startDashboard({ mail: true });
});
afterAll(() => server.stop());

it('a request for an unknown address writes a row of the same size', async () => {
  const { email } = await setUpOwner(server);
  for (const asked of [email, 'nobody@example.qa'])
    expect((await server.as(null)('POST /password-links', { email: asked })).status).toBe(204);
  const { rows } = await server.db.execute<{ recipient: string | null; size: number; minutes: number }>(
    sql`SELECT recipient, length(sealed) AS size, extract(epoch FROM expires_at - created_at)::int / 60 AS minutes
      FROM mail ORDER BY recipient`,
  );
  expect(rows).toEqual([
    { recipient: email, size: rows[1]!.size, minutes: 30 },
    { recipient: null, size: rows[0]!.size, minutes: 30 },
  ]);
});

it('a server without mail refuses to send password links and verification links', async () => {
  const without = await startDashboard();
  const { call } = await setUpOwner(without);
  expect((await without.as(null)('GET /sign-in')).body).toEqual({ mail: false });
  for (const answer of [
    await without.as(null)('POST /password-links', { email: 'owner@example.qa' }),
    await call('POST /email-links'),
  ])
    expect([answer.status, answer.body.code]).toEqual([409, 'mail_missing']);
  await without.stop();
});
