import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { IMPORT_PIECE_BYTES } from '../../../contract/dashboard/imports.ts';
import { eraseImportFaults, eraseImportFiles } from './erase-files.ts';

let db: Db;

useDatabase((own) => {
  db = own;
});

const IDENTIFIERS = ['crm-1', 'عميل-1', 'Müller 2', 'Asha@example.qa', '+97430000001', '-'];

let files = 0;
async function isGone(
  pieces: readonly (string | Buffer)[],
  state = 'done',
  dryRun = true,
  bytesDone = 0,
): Promise<boolean> {
  const id = `import_${++files}`;
  await db.$client.query(
    `INSERT INTO end_user_import (org_id, id, name, bytes, created_by, state, dry_run, bytes_done, due_at)
     VALUES ('org_a', $1, 'people.csv', 1, 'user', $2, $3, $4, CASE WHEN $2 IN ('queued', 'running') THEN now() END)`,
    [id, state, dryRun, bytesDone],
  );
  for (const [n, bytes] of pieces.entries())
    await db.$client.query(
      `INSERT INTO end_user_import_piece (org_id, import_id, n, bytes) VALUES ('org_a', $1, $2, $3)`,
      [id, n, Buffer.from(bytes as string)],
    );
  await db.transaction((tx) => eraseImportFiles(tx, 'org_a', IDENTIFIERS));
  const left = await db.$client.query(
    `SELECT i.state FROM end_user_import i JOIN end_user_import_piece p ON p.import_id = i.id WHERE i.id = $1`,
    [id],
  );
  return left.rows.length === 0;
}

test.each<[string, (string | Buffer)[]]>([
  ['by your own id', ['external_id\nother\ncrm-1\n']],
  ['as the very last cell', ['external_id\nother\ncrm-1']],
  ['by e-mail address, in quotes and other letters', ['name;email\nX;"ASHA@EXAMPLE.QA "\n']],
  ['by phone, as people write it', ['phone\n00974 3000-0001\n']],
  ['by phone, as an export writes it', ["phone\n'+97430000001\n"]],
  ['on the border of two pieces', ['external_id,email\nx,asha@exa', 'mple.qa\n']],
  ['in UTF-16', [Buffer.from('external_id\ncrm-1\n', 'utf16le')]],
  ['by your own id in Arabic', ['external_id\nعميل-1\n']],
  ['by your own id in Arabic, in UTF-16', [Buffer.from('external_id\nعميل-1\n', 'utf16le')]],
  ['by your own id in Arabic, in Windows-1256', [Buffer.from('external_id\n\xda\xe3\xed\xe1-1\n', 'latin1')]],
  ['by your own id in German, in Windows-1252', [Buffer.from('external_id\nMüller 2\n', 'latin1')]],
  ['by phone, after a mark', ['phone\n\u200e+974 3000\u00a00001\n']],
  [
    'by phone, after a mark on the border of two pieces',
    [Buffer.from('phone\n\xe2\x80', 'latin1'), Buffer.from('\x8e+97430000001\n', 'latin1')],
  ],
  ['by phone, after a mark, in UTF-16', [Buffer.from('phone\n\u200f+974 3000\u00a00001\n', 'utf16le')]],
  ['by phone, after a mark, in Windows-1256', [Buffer.from('phone\n\xfd+974 3000\xa00001\xfe\n', 'latin1')]],
  ['by e-mail address, between spaces that do not break', ['email\n\u00a0asha@example.qa\u202f\n']],
])('deletes a waiting file that contains an erased person %s', async (_, pieces) => {
  expect(await isGone(pieces)).toBe(true);
});

test.each<[string, string | Buffer]>([
  ['in UTF-8', 'external_id,email,phone\ncrm-12,other-asha@example.qa,+974300000012\n,,\n-,-,\u200e\n'],
  ['in Windows-1256', Buffer.from('external_id\n\xddcrm-1\n\xfd\n', 'latin1')],
])('a file without the person %s stays', async (_, piece) => {
  expect(await isGone([piece])).toBe(false);
});

test('failed rows that contain an erased person in any spelling are deleted', async () => {
  await db.$client.query(
    `INSERT INTO end_user_import (org_id, id, name, bytes, created_by) VALUES ('org_a', 'import_rows', 'a', 1, 'user')`,
  );
  const cells = [
    '00974 3000-0001',
    '\u200e+974\u00a030000001',
    '\u00a0ASHA@example.qa',
    ' müller 2',
    'crm-12',
    '',
    '\u200e',
  ];
  for (const [row, cell] of cells.entries())
    await db.$client.query(
      `INSERT INTO end_user_import_fault (org_id, import_id, row, cells, faults)
       VALUES ('org_a', 'import_rows', $1, ARRAY['x', $2], '[]')`,
      [row, cell],
    );
  await db.transaction((tx) => eraseImportFaults(tx, 'org_a', IDENTIFIERS));
  const left = await db.$client.query<{ cell: string }>(
    `SELECT cells[2] AS cell FROM end_user_import_fault WHERE import_id = 'import_rows' ORDER BY row`,
  );
  expect(left.rows.map(({ cell }) => cell)).toEqual(['crm-12', '', '\u200e']);
});

test.each(['queued', 'running'])('an import that is %s stops if the rest of its file has the person', async (state) => {
  const [before, after] = ['external_id\ncrm-1\n', 'other\n'].map((text) => Buffer.alloc(IMPORT_PIECE_BYTES, text));
  expect(await isGone([before!, after!], state, false, IMPORT_PIECE_BYTES)).toBe(false);
  expect(await isGone([after!, before!], state, false, IMPORT_PIECE_BYTES)).toBe(true);
  expect(await isGone([before!], state, false, 0)).toBe(true);
});
