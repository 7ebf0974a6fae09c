import { sql } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/postgres.ts';
import { openDb } from '../store/db.ts';
import { insertPerson } from '../store/accounts/accounts.ts';
import { runPasswordLink } from './password-link.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('the command distinguishes an unknown address from an account without a password', async () => {
  await using database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('PARLEY_SECRET', 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6');
  const db = openDb(database.url);
  const { id } = await insertPerson(db, { name: 'Asha', email: 'asha@example.qa', passwordHash: 'x' });
  await db.execute(sql`UPDATE account SET password = NULL WHERE user_id = ${id}`);
  await db.$client.end();
  await expect(runPasswordLink('nobody@example.qa')).rejects.toThrow('No account has this address.');
  await expect(runPasswordLink('Asha@example.qa')).rejects.toThrow('has no password');
});
