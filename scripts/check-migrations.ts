/**
 * During an upgrade, the previous release runs on the schema of the next release (docs/operations.md, "Upgrade"). A
 * released migration never changes, and a later migration only adds tables, columns or indexes. `migrations` in
 * test/released/VERSION/facts.json lists the migrations of a release. A statement that is not on the list of additions
 * needs a comment such as `-- safe for 1.2.3: that release does not read this column`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '..');

type Release = { version: string; migrations: Record<string, string> };

/** Returns the version of the newest release, and the SHA-256 of each of its migrations by name. */
export function newestRelease(folder = path.join(ROOT, 'test', 'released')): Release {
  const version = readdirSync(folder)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)!;
  const facts = readFileSync(path.join(folder, version, 'facts.json'), 'utf8');
  const { migrations } = JSON.parse(facts) as Release;
  return { version, migrations };
}

/** Returns the SHA-256 of each migration in a folder, by name. */
export function hashesOf(folder = path.join(ROOT, 'migrations')): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return Object.fromEntries(
    files.toSorted().map((file) => [
      file.slice(0, -'.sql'.length),
      createHash('sha256')
        .update(readFileSync(path.join(folder, file)))
        .digest('hex'),
    ]),
  );
}

/** Returns one sentence for each fault of the migrations in a folder. */
export function migrationFaults({ version, migrations }: Release, folder = path.join(ROOT, 'migrations')): string[] {
  const hashes = hashesOf(folder);
  const changed = Object.entries(migrations)
    .filter(([name, hash]) => hashes[name] !== hash)
    .map(([name]) => `${name} ${name in hashes ? 'differs from' : 'is missing, but is part of'} release ${version}. Restore it, and add a new migration.`); // prettier-ignore
  const later = Object.keys(hashes)
    .filter((name) => !(name in migrations))
    .map((name) => ({ name, text: readFileSync(path.join(folder, `${name}.sql`), 'utf8') }));
  return [...changed, ...statementFaults(version, later), ...snapshotFaults(path.join(folder, 'meta'))];
}

/** drizzle-kit compares the schema with the newest snapshot only. A snapshot has 11,000 lines. */
function snapshotFaults(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('_snapshot.json')) : [];
  return files
    .toSorted()
    .slice(0, -1)
    .map((file) => `migrations/meta/${file} is not used. Delete it, and keep only the newest snapshot.`);
}

/** The release does not use a table that a later migration creates. */
function statementFaults(version: string, later: { name: string; text: string }[]): string[] {
  const statements = later.flatMap(({ name, text }) =>
    text.split('--> statement-breakpoint').map((whole) => ({ name, whole, sql: withoutComments(whole) })),
  );
  const created = statements.map(({ sql }) => NEW_TABLE.exec(sql)?.[1]);
  return statements
    .filter(({ sql, whole }) => sql !== '' && !isAddition(sql, created) && !namesReason(whole, version))
    .map(
      ({ name, sql }) =>
        `${name}: "${sql.slice(0, 100)}" may break release ${version}, which runs beside this one during an upgrade. Add instead of changing, or write above the statement: -- safe for ${version}: the reason`,
    );
}

const NAME = String.raw`(?:"?public"?\.)?"?(\w+)"?`;
const NEW_TABLE = new RegExp(`^CREATE TABLE (?:IF NOT EXISTS )?${NAME}`, 'i');
const INDEX = new RegExp(String.raw`^CREATE (UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?"?\w+"? ON ${NAME}`, 'i'); // prettier-ignore
const ALTER = new RegExp(`^ALTER TABLE (?:ONLY )?${NAME} (.*)$`, 'i');
const COLUMN = /^ADD COLUMN (?:IF NOT EXISTS )?"?\w+"? (.*)$/i;
const ROWS = new RegExp(`^(?:INSERT INTO|UPDATE) ${NAME} `, 'i');

function isAddition(sql: string, created: (string | undefined)[]): boolean {
  // The check reads only the first statement of a line that has several.
  if (sql.includes(';')) return false;
  if (NEW_TABLE.test(sql)) return true;
  const index = INDEX.exec(sql);
  if (index) return !index[1] || created.includes(index[2]);
  const alter = ALTER.exec(sql);
  if (alter) return created.includes(alter[1]) || isHarmlessColumn(alter[2]!);
  return ROWS.test(sql);
}

/** The release inserts rows without the new column. */
function isHarmlessColumn(action: string): boolean {
  const type = COLUMN.exec(action)?.[1];
  if (type === undefined || /\b(UNIQUE|PRIMARY KEY|REFERENCES|CHECK|ADD|DROP|ALTER|RENAME)\b/i.test(type)) return false;
  return !/\bNOT NULL\b/i.test(type) || /\b(DEFAULT|GENERATED)\b/i.test(type);
}

const withoutComments = (text: string): string => text.replaceAll(/^\s*--.*$/gm, '').replaceAll(/\s+/g, ' ').replace(/;\s*$/, '').trim(); // prettier-ignore
const namesReason = (text: string, version: string): boolean => text.split('\n').some((line) => line.trim().startsWith(`-- safe for ${version}: `)); // prettier-ignore

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = migrationFaults(newestRelease());
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
