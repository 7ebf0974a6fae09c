import { expect, test } from 'vitest';
import { startDashboard } from '../../test/dashboard-server.ts';
import { deriveSecrets } from '../config/secrets.ts';
import { createDemo } from './demo.ts';

test('the key of the demo expires after a day, because a log of standard output may contain it', async () => {
  const server = await startDashboard();
  try {
    const secrets = deriveSecrets('k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6');
    const demo = await createDemo({ db: server.db, config: { region: 'us' }, secrets });
    const { rows } = await server.db.$client.query(
      `SELECT label, extract(epoch FROM revoke_at - created_at) / 3600 AS hours FROM api_key WHERE org_id = $1`,
      [demo!.orgId],
    );
    expect(rows).toMatchObject([{ label: 'Quickstart' }]);
    expect(Math.round(Number(rows[0]!.hours))).toBe(24);
  } finally {
    await server.stop();
  }
});
