import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardServer, type Person, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';

let server: DashboardServer;
let owner: Person & { orgId: string };
beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
});
afterAll(() => server.stop());

const HEAVY = { name: 'Refunds', pattern: '((((((){100}){100}){100}){100}){100}a){1000}', reply: { en: 'Hello' } };

test('an agent lists exactly the parts of an old stored version that its turns ignore', async () => {
  const at = `/organizations/${owner.orgId}/agents`;
  const { body: made } = await owner.call(`POST ${at}`, { name: 'Guide' });
  expect(made.left_out).toEqual([]);
  const stored = { rules: [{ name: 'Hours', words: ['open'], reply: { en: 'From nine.' } }, HEAVY] };
  await server.db.$client.query(
    'UPDATE agent SET draft = $1::jsonb, published = $1::jsonb, version = 2 WHERE id = $2',
    [JSON.stringify(stored), made.id],
  );
  const { body: read } = await owner.call(`GET ${at}/${made.id}`);
  expect(read.left_out).toMatchObject([{ pointer: '/rules/1/pattern', code: 'pattern' }]);
  const refused = await owner.call(`POST ${at}/${made.id}/publish`);
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/definition/rules/1/pattern' }] } });
  const mended = await owner.call(`PATCH ${at}/${made.id}`, { definition: { rules: [stored.rules[0]] } });
  expect(mended).toMatchObject({ status: 200, body: { left_out: [] } });
});
