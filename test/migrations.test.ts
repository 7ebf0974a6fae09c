import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashesOf, migrationFaults, newestRelease } from '../scripts/check-migrations.ts';

let folder: string;
let release: { version: string; migrations: Record<string, string> };

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-migrations-'));
  write('0000_schema', 'CREATE TABLE "run" ("id" text NOT NULL);');
  release = { version: '1.2.3', migrations: hashesOf(folder) };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(folder, `${name}.sql`), text);
const faults = (sql: string): string[] => {
  write('0001_later', sql);
  return migrationFaults(release, folder);
};

test('the migrations of this checkout are compatible with the newest release', () => {
  expect(Object.keys(newestRelease().migrations).length).toBeGreaterThan(0);
  expect(migrationFaults(newestRelease())).toEqual([]);
});

test.each([
  ['a table', 'CREATE TABLE "note" ("id" text NOT NULL);'],
  ['an index', 'CREATE INDEX "run_due" ON "run" USING btree ("id");'],
  ['a column without a value', 'ALTER TABLE "run" ADD COLUMN "note" text;'],
  ['a column with a default', `ALTER TABLE "run" ADD COLUMN "note" text DEFAULT '' NOT NULL;`],
  ['rows', `UPDATE run SET note = '';`],
  [
    'constraints of its own table',
    'CREATE TABLE "note" ("id" text);--> statement-breakpoint\nALTER TABLE "note" ADD CONSTRAINT "c" CHECK (id <> $$$$);--> statement-breakpoint\nCREATE UNIQUE INDEX "u" ON "note" ("id");',
  ],
])('a migration may add %s', (_, sql) => {
  expect(faults(sql)).toEqual([]);
});

test.each([
  ['drops a table', 'DROP TABLE "run";'],
  ['renames a table', 'ALTER TABLE "run" RENAME TO "job";'],
  ['drops a column', 'ALTER TABLE "run" DROP COLUMN "id";'],
  ['renames a column', 'ALTER TABLE "run" RENAME COLUMN "id" TO "key";'],
  ['changes a type', 'ALTER TABLE "run" ALTER COLUMN "id" SET DATA TYPE integer;'],
  ['forbids null', 'ALTER TABLE "run" ALTER COLUMN "id" SET NOT NULL;'],
  ['adds a column that each insert must name', 'ALTER TABLE "run" ADD COLUMN "note" text NOT NULL;'],
  ['adds a constraint', 'ALTER TABLE "run" ADD CONSTRAINT "c" CHECK (id <> $$$$);'],
  ['adds a unique index', 'CREATE UNIQUE INDEX "u" ON "run" ("id");'],
  ['drops an index', 'DROP INDEX "run_due";'],
  ['deletes rows', 'DELETE FROM run;'],
  ['hides a change after an addition', 'ALTER TABLE "run" ADD COLUMN "a" text, DROP COLUMN "id";'],
  ['hides a change in a second statement', 'CREATE TABLE "a" ("id" text);\nDROP TABLE "run";'],
])('a migration is refused if it %s', (_, sql) => {
  expect(faults(sql)).toEqual([expect.stringMatching(/^0001_later: ".*may break release 1\.2\.3/)]);
});

test('a change needs a reason for this release, and a reason for an earlier release does not count', () => {
  const drop = 'DROP INDEX "run_due";';
  expect(faults(`-- safe for 1.2.3: another index has the same columns\n${drop}`)).toEqual([]);
  expect(faults(`-- safe for 1.2.2: another index has the same columns\n${drop}`)).toHaveLength(1);
});

test('a released migration neither changes nor disappears', () => {
  write('0000_schema', 'CREATE TABLE "run" ("id" integer);');
  expect(migrationFaults(release, folder)).toEqual([expect.stringContaining('0000_schema differs from release 1.2.3')]);
  rmSync(path.join(folder, '0000_schema.sql'));
  expect(migrationFaults(release, folder)).toEqual([expect.stringContaining('0000_schema is missing')]);
});

test('only the newest snapshot of the schema stays', () => {
  mkdirSync(path.join(folder, 'meta'));
  const snapshot = (number: string): void => writeFileSync(path.join(folder, 'meta', `${number}_snapshot.json`), '{}');
  snapshot('0001');
  expect(migrationFaults(release, folder)).toEqual([]);
  snapshot('0000');
  expect(migrationFaults(release, folder)).toEqual([expect.stringContaining('0000_snapshot.json is not used')]);
});
