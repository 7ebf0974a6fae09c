import { expect, test } from 'vitest';
import { takeAskedCost } from '../../../test/cheap-passwords.ts';
import { openDb } from '../../store/db.ts';
import { createAuth } from './create-auth.ts';

test('a password is hashed and checked at the full cost of scrypt', async () => {
  const db = openDb('postgresql://nobody@127.0.0.1:1/nowhere');
  const secret = 'a-secret-for-tests-of-forty-characters-00';
  const { password } = await createAuth({ db, secret, baseUrl: 'http://127.0.0.1:4000', log: () => {} }).$context;
  const cost = { N: 16_384, r: 16, p: 1 };
  takeAskedCost();
  const hash = await password.hash('correct horse battery');
  expect(takeAskedCost()).toMatchObject(cost);
  expect(await password.verify({ hash, password: 'correct horse battery' })).toBe(true);
  expect(takeAskedCost()).toMatchObject(cost);
  expect(await password.verify({ hash, password: 'another' })).toBe(false);
  await db.$client.end();
});
