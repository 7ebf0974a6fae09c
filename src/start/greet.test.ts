import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { openDb } from '../store/db.ts';
import { greet } from './greet.ts';

test('a database that does not answer after the start does not end the process', async () => {
  const db = openDb('postgresql://parley@127.0.0.1:1/nothing');
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const loaded = loadConfig({
    DATABASE_URL: 'postgresql://parley:unused@127.0.0.1:1/nothing',
    PARLEY_SECRET: randomBytes(48).toString('base64'),
  });
  if (!('config' in loaded))
    throw new Error(loaded.faults.map(({ variable, fault }) => `${variable}: ${fault}`).join());
  const { config } = loaded;
  const prepared = { setupUrl: null, demo: null };
  await greet({ config, db, role: 'all', address: { host: '127.0.0.1', port: config.port }, prepared });
  await db.$client.end();
  const text = print.mock.calls.join('');
  expect(text).toContain(`Parley is ready at ${config.baseUrl}`);
  expect(text.match(/The database does not answer at the moment/g)).toHaveLength(2);
});
