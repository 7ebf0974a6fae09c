import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/postgres.ts';
import { addCells, migrate, rowChangesSince, runBesideNodes } from './migrate.ts';

test('the statements of later migrations that change rows are listed in order', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-migrations-'));
  mkdirSync(path.join(folder, 'meta'));
  const entries = [1, 2, 3].map((when) => ({ when, tag: `000${when}_step` }));
  writeFileSync(path.join(folder, 'meta/_journal.json'), JSON.stringify({ entries }));
  const separator = '\n--> statement-breakpoint\n';
  writeFileSync(path.join(folder, '0001_step.sql'), "UPDATE agent SET name = 'first';");
  writeFileSync(
    path.join(folder, '0002_step.sql'),
    ['ALTER TABLE agent ADD note text;', "-- Why.\nUPDATE agent SET note = '';"].join(separator),
  );
  writeFileSync(path.join(folder, '0003_step.sql'), ['DELETE FROM hint;', 'DROP TABLE hint;'].join(separator));
  expect(await rowChangesSince(1, folder)).toEqual(["UPDATE agent SET note = '';", 'DELETE FROM hint;']);
  expect(await rowChangesSince(3, folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('a database that is older than the first migration is refused', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('UPDATE drizzle.__drizzle_migrations SET created_at = 1');
  await expect(migrate(database.url)).rejects.toThrow(/early development version/);
  await client.end();
});

test('no cell is added to a database that is not migrated to the schema of this program', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('UPDATE drizzle.__drizzle_migrations SET created_at = created_at - 1');
  await expect(addCells(database.url, 1)).rejects.toThrow('the schema of an earlier version');
  expect((await client.query('SELECT FROM cell')).rowCount).toBe(0);
  await client.end();
});

test('a migration is repeated only if it fails in a deadlock with a node', async () => {
  await using database = await createTestDatabase();
  const [node, upgrade] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [pg.Client, pg.Client];
  await Promise.all([node.connect(), upgrade.connect()]);
  await node.query('BEGIN');
  await node.query('LOCK TABLE audit IN ROW EXCLUSIVE MODE');
  let runs = 0;
  await runBesideNodes(async () => {
    runs++;
    await upgrade.query('BEGIN');
    try {
      await upgrade.query('ALTER TABLE run ADD COLUMN later integer');
      const waiting = upgrade.query('ALTER TABLE audit ADD COLUMN later integer');
      // The side that waits first looks for a deadlock first, and ends.
      if (runs === 1)
        void pause(100)
          .then(() => node.query('SELECT 1 FROM run'))
          .then(() => node.query('COMMIT'));
      await waiting;
      await upgrade.query('COMMIT');
    } catch (error) {
      await upgrade.query('ROLLBACK');
      throw error;
    }
  });
  expect(runs).toBe(2);
  let failures = 0;
  const failing = runBesideNodes(async () => {
    failures++;
    await upgrade.query('ALTER TABLE nothing ADD COLUMN later integer');
  });
  await expect(failing).rejects.toThrow(/does not exist/);
  expect(failures).toBe(1);
  await Promise.all([node.end(), upgrade.end()]);
});
