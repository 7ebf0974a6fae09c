import { afterAll, beforeAll } from 'vitest';
import { type Db, openDb } from '../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** Creates a database for the tests of one file before the first test, and removes it after the last test. */
export function useDatabase(use: (db: Db) => void): void {
  let database: TestDatabase | undefined;
  let db: Db | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDb(database.url);
    use(db);
  });
  afterAll(async () => {
    await db?.$client.end();
    await database?.drop();
  });
}
