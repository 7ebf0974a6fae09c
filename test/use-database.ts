import { afterAll, beforeAll } from 'vitest';
import { type Db, openDb } from '../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** A database for the tests of one file, created before the first test and removed after the last. */
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
