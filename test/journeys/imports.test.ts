import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, runCli } from '../../cli/testing/run-cli.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { freePort, killProgram, type Program, runProgram } from '../program.ts';

/**
 * Imports files of end users through the command line into the real program. Some tests kill the program during the
 * import.
 */
const OWNER = { email: 'owner@example.qa', password: 'correct horse battery' };
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
let database: TestDatabase;
let client: pg.Client;
let folder: string;
let env: Record<string, string>;
let program: Program;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  folder = mkdtempSync(path.join(tmpdir(), 'parley-import-'));
  env = {
    DATABASE_URL: database.url,
    PARLEY_SECRET: randomBytes(36).toString('base64url'),
    PARLEY_OWNER_EMAIL: OWNER.email,
    PARLEY_OWNER_PASSWORD: OWNER.password,
    PARLEY_DEMO: '0',
    PORT: String(await freePort()),
  };
  await start();
  // Signs in once, because checking a password is expensive.
  const login = ['login', '--email', OWNER.email, '--password-stdin'];
  const { code, stderr } = await runCli(login, asOwner(), `${OWNER.password}\n`);
  if (code !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await program?.stop();
  await client?.end();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  program = runProgram(env);
  await program.printed('Parley is ready');
}

const asOwner = () => ({ PARLEY_URL: program.url, PARLEY_CONFIG_DIR: folder });
const cli = (args: string[]) => runCli(['end-users', ...args], asOwner());

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape
async function imported(content: string | Buffer, args: string[] = []): Promise<any> {
  const file = path.join(folder, 'people.csv');
  writeFileSync(file, content);
  const ended = await cli(['import', '--file', file, ...args]);
  if (ended.code !== 0) throw Object.assign(new Error(ended.stderr), { ended });
  return JSON.parse(ended.stdout);
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ ended }) => errorOf(ended),
  );
const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
const person = async (externalId: string) =>
  (
    await rows('SELECT name, email, phone, tags, attributes, blocked FROM end_user WHERE external_id = $1', [
      externalId,
    ])
  )[0];

describe('a file', () => {
  test('a CSV file in any language creates people, and a second import changes nothing', async () => {
    const content =
      '\uFEFFExternal ID,Name,E-mail,Phone,Tags,attributes.plan,Notes\r\n' +
      'f-1,"Asha ""A."" Rao\nsecond line",ASHA@example.qa,00974 3000-0001,"vip|gold",gold,x\r\n' +
      'f-2,ليلى حسن,,+97430000002,,فضي,\r\n' +
      'f-3,"आशा, राव",asha3@example.in,,नया,,\r\n' +
      '\r\n';
    expect(await imported(content)).toMatchObject({ state: 'done', rows: 4, created: 3, updated: 0, invalid: 0 });
    expect(await person('f-1')).toEqual({
      name: 'Asha "A." Rao second line',
      email: 'asha@example.qa',
      phone: '+97430000001',
      tags: ['vip', 'gold'],
      attributes: { plan: 'gold' },
      blocked: false,
    });
    expect(await person('f-2')).toMatchObject({ name: 'ليلى حسن', attributes: { plan: 'فضي' } });
    expect(await person('f-3')).toMatchObject({ name: 'आशा, राव', tags: ['नया'] });
    expect(await imported(content)).toMatchObject({ created: 0, updated: 3, invalid: 0 });
  });

  test('the columns of a file with semicolons, an old encoding and other headings can be mapped manually', async () => {
    const words = Buffer.from([0xc3, 0xcd, 0xe3, 0xcf]);
    const content = Buffer.concat([Buffer.from('Kunde;Vorname;Stadt\nk-1;'), words, Buffer.from(';Doha\n')]);
    expect(await failure(imported(content, ['--map', 'Kunde=external_id']))).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('not text in UTF-8'),
    });
    const done = await imported(content, [
      '--encoding', 'windows-1256', '--map', 'Kunde=external_id,Vorname=name,Stadt=attributes.city',
    ]); // prettier-ignore
    expect(done).toMatchObject({ created: 1 });
    expect(await person('k-1')).toMatchObject({ name: 'أحمد', attributes: { city: 'Doha' } });
  });

  test('files with mixed line ends, and Unicode text of spreadsheets, are read row by row', async () => {
    expect(await imported('external_id,name\r\nm-1,One\nm-2,Two\r\nm-3,Three\n')).toMatchObject({ created: 3 });
    // Its last line of the first piece ends with 0a 00, and Ċ and 𝄊 contain a byte 0a of their own.
    const unicode = Buffer.from('\uFEFFexternal_id\tname\r\nw-1\tأحمد\r\nw-2\tĊ𝄊', 'utf16le');
    expect(await imported(unicode)).toMatchObject({ created: 2, settings: { encoding: 'utf-16le', delimiter: '\t' } });
    expect(await person('w-2')).toMatchObject({ name: 'Ċ𝄊' });
  });

  test('a first line that names the separator sets it, and is not a row', async () => {
    const content = '\uFEFFsep=;\r\nexternal_id;name\r\nsep-1;"Rao, Asha, Dr, MBA"\r\n';
    expect(await imported(content)).toMatchObject({ rows: 1, created: 1, settings: { delimiter: ';' } });
    expect(await person('sep-1')).toMatchObject({ name: 'Rao, Asha, Dr, MBA' });
    const bad = await imported('sep=|\nexternal_id|email\nsep-2|no address\n', [
      '--failed-rows',
      path.join(folder, 'f.csv'),
    ]);
    expect(bad).toMatchObject({ rows: 1, created: 0, invalid: 1 });
    expect(readFileSync(path.join(folder, 'f.csv'), 'utf8')).toContain('sep-2');
  });

  test('a dry run reports the same result as the import and changes nothing', async () => {
    const content = 'external_id,name,email\nd-1,New,d1@example.qa\nf-1,Known,\nd-2,Bad,no address\n';
    expect(await imported(content, ['--dry-run'])).toMatchObject({ dry_run: true, created: 1, updated: 1, invalid: 1 });
    expect(await person('d-1')).toBeUndefined();
    expect((await person('f-1')).name).toContain('Asha');
  });

  test('wrong rows are returned with the reason, and no cell is a formula', async () => {
    const failed = path.join(folder, 'failed.csv');
    const content =
      'external_id,email,phone,time_zone\n' +
      'e-1,not an address,,\n' +
      'e-2,e2@example.qa,12,Mars/Base\n' +
      '=1+1,also not,,\n' +
      'e-3,e3@example.qa,,,one cell more\n' +
      ',,,Asia/Qatar\n' +
      'f-2,asha@example.qa,,\n' +
      'e-4,e4@example.qa,+97430000044,Asia/Qatar\n';
    const done = await imported(content, ['--failed-rows', failed]);
    expect(done).toMatchObject({ rows: 7, created: 1, updated: 0, invalid: 6 });
    const lines = readFileSync(failed, 'utf8').split('\r\n');
    expect(lines[0]).toBe('\uFEFFexternal_id,email,phone,time_zone,row,reason');
    expect(lines[1]).toBe('e-1,not an address,,,2,email: Must be an e-mail address.');
    expect(lines[2]).toContain(',3,');
    expect(lines[2]).toContain('phone: ');
    expect(lines[2]).toContain('time_zone: ');
    expect(lines[3]).toMatch(/^'=1\+1,/);
    expect(lines[4]).toContain('Cells in the row: 5');
    expect(lines[5]).toContain('Name the person');
    expect(lines[6]).toMatch(/^f-2,asha@example.qa.*has this email already/);
    // The corrected rows are a file again, and its exported text is unchanged.
    const corrected = `${lines[0]}\r\n${lines[3]!.replace('also not', 'formula@example.qa')}\r\n`;
    expect(await imported(corrected)).toMatchObject({ created: 1, invalid: 0 });
    expect(await person('=1+1')).toMatchObject({ email: 'formula@example.qa' });
  });

  test('an unreadable file is refused with the position of the fault', async () => {
    const torn = 'q-1,"never closed\nq-2,x\n';
    expect(await failure(imported(`external_id,name\n${torn}`))).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('not closed'),
    });
    const long = 'long-1,known\n'.repeat(90_000);
    expect(await failure(imported(`external_id,name\n${long}${torn}`))).toMatchObject({
      code: 'import_failed',
      message: expect.stringContaining('not closed'),
    });
    expect(await failure(imported(Buffer.from('external_id\nu-1\n', 'utf16le')))).toMatchObject({
      code: 'validation_failed',
    });
    expect(await failure(imported('name\nAsha\n'))).toMatchObject({ message: expect.stringContaining('external_id') });
    expect(await failure(imported('external_id\nx\n', ['--map', 'Nobody=name']))).toMatchObject({
      code: 'usage_invalid',
    });
    // Refused files leave no rows behind.
    expect(await rows('SELECT 1 FROM end_user_import_piece')).toEqual([]);
  });
});

test('numbers, lists and punctuation in tags are the same after an export and an import', async () => {
  const attributes = { seats: -5, trial: true, sizes: ['S', 'M'], code: '007' };
  const tags = ['gold, or more', 'a|b', 'b', 'vip'];
  const before = await person('f-2');
  await client.query(`UPDATE end_user SET attributes = $1, tags = $2 WHERE external_id = 'f-2'`, [attributes, tags]);
  const { stdout } = await cli(['export']);
  expect(await imported(stdout)).toMatchObject({ created: 0, invalid: 0 });
  expect(await person('f-2')).toMatchObject({ attributes, tags });
  await client.query(`UPDATE end_user SET tags = $1 WHERE external_id = 'f-2'`, [before.tags]);
  expect(await imported('external_id,attributes.seats\nf-2,6\n')).toMatchObject({ updated: 1 });
  expect((await person('f-2')).attributes).toEqual({ ...attributes, seats: '6' });
  await client.query(`UPDATE end_user SET attributes = '{"plan": "gold"}' WHERE external_id = 'f-2'`);
});

test('an exported file imports the same people, and no cell or line in it is a formula', async () => {
  await client.query(`UPDATE end_user SET attributes = $1 WHERE external_id = 'f-3'`, [
    { note: "Ann\n=cmd|' /C calc'!A0", other: 'x\r@SUM(1)', cut: 'a;=1+1' },
  ]);
  const before = await rows(
    'SELECT external_id, name, email, phone, tags, attributes FROM end_user ORDER BY external_id',
  );
  const { stdout } = await cli(['export']);
  expect(stdout).not.toMatch(/(^|[,;\r\n])"?[=+@]/m);
  expect(stdout).toContain("'+97430000001");
  await client.query('DELETE FROM end_user');
  expect(await imported(stdout)).toMatchObject({ created: before.length, invalid: 0 });
  expect(
    await rows('SELECT external_id, name, email, phone, tags, attributes FROM end_user ORDER BY external_id'),
  ).toEqual(before);
});

test('erasing a person removes the failed rows that contain them', async () => {
  await imported('external_id,email,time_zone,name\nz-1,z1@example.qa,,Zed\n');
  await imported('external_id,email,time_zone,name\nother,Z1@example.qa ,Mars/Base,zzwordzz\n');
  const [found] = await rows(`SELECT id FROM end_user WHERE external_id = 'z-1'`);
  expect(await rows(`SELECT 1 FROM end_user_import_fault WHERE cells::text LIKE '%zzwordzz%'`)).toHaveLength(1);
  expect((await cli(['erase', found.id, '--yes'])).code).toBe(0);
  expect(await rows(`SELECT 1 FROM end_user_import_fault WHERE cells::text LIKE '%zzwordzz%'`)).toEqual([]);
});

const ROWS = 20_000;

/** Starts an import of 20,000 people and returns how to read its row, when the worker reads the file. */
async function largeImport(name: string) {
  await client.query('DELETE FROM end_user');
  const lines = Array.from(
    { length: ROWS },
    (_, n) => `c-${n},Person ${n},${n % 1_000 === 7 ? 'wrong' : `c${n}@example.qa`}`,
  );
  const file = path.join(folder, name);
  writeFileSync(file, `external_id,name,email\n${lines.join('\n')}\n`);
  void cli(['import', '--file', file]);
  const read = async () => (await rows(`SELECT * FROM end_user_import WHERE name = $1`, [name]))[0];
  await expect.poll(async () => (await read())?.state, { timeout: 60_000 }).toBe('running');
  return read;
}

async function expectAllStoredOnce(read: Awaited<ReturnType<typeof largeImport>>) {
  await expect.poll(async () => (await read()).finished_at, { timeout: 120_000 }).not.toBe(null);
  expect(await read()).toMatchObject({
    state: 'done',
    fault: null,
    rows: ROWS,
    created: ROWS - 20,
    updated: 0,
    invalid: 20,
  });
  expect((await rows('SELECT count(*)::int AS n FROM end_user'))[0].n).toBe(ROWS - 20);
  expect(await rows('SELECT 1 FROM end_user_import_piece WHERE import_id = $1', [(await read()).id])).toEqual([]);
}

test(
  'after the lease of an import ends, another worker continues it and stores and counts every row once',
  { tags: ['long'], timeout: 300_000 },
  async () => {
    const read = await largeImport('overtaken.csv');
    while ((await read()).finished_at === null)
      await client.query('UPDATE end_user_import SET due_at = now() WHERE due_at IS NOT NULL');
    await expectAllStoredOnce(read);
  },
);

test(
  `a killed worker does not lose or repeat a row of an import (seed ${SEED})`,
  { tags: ['long'], timeout: 300_000 },
  async () => {
    const KILLS = 3;
    const read = await largeImport('killed.csv');
    let random = SEED;
    const wait = () => (random = (random * 48_271) % 2_147_483_647) % 400;
    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => setTimeout(resolve, wait()));
      await killProgram(program, client);
      // The lease of a dead worker is 30 s long; this simulates its end.
      await client.query('UPDATE end_user_import SET due_at = now() WHERE due_at IS NOT NULL');
      await start();
    }
    await expectAllStoredOnce(read);
  },
);
