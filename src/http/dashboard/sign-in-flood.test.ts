import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardServer, PASSWORD, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';

let server: DashboardServer;
beforeAll(async () => {
  server = await startDashboard({ signIns: { pair: 20, subject: 20, address: 20, node: 100 } });
});
afterAll(() => server.stop());

test('many requests for passkey options do not prevent others from signing in', async () => {
  const { email } = await setUpOwner(server);
  const nobody = server.as(null);
  const asked = await Promise.all(Array.from({ length: 150 }, () => nobody('POST /sign-in/passkey/options')));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await nobody('POST /sign-in', { email, password: PASSWORD })).status).toBe(200);
});
