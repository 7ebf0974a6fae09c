import { sql } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { givenOrganization } from '../../test/factories.ts';
import { useDatabase } from '../../test/use-database.ts';
import { deriveKey, placeOf, seal, SealError } from '../kernel/seal.ts';
import {
  modelCredential,
  openCredential,
  SEALED_BY_INSTALLATION,
  SEALED_COLUMNS,
  sealCredential,
} from './credentials.ts';
import type { Db } from './db.ts';
import { DIGESTED } from './installation/move-secrets.ts';
import { openDataKey } from './models.ts';

const sealingKey = deriveKey('secret of the test', 'sealing');
let db: Db;
let orgId: string;
useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
});

const account = (baseUrl: string | null) => modelCredential({ orgId, provider: 'openai', baseUrl });

it('every sealed column of the database is in the list', async () => {
  const { rows } = await db.execute(sql`SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND (column_name LIKE 'sealed%' OR column_name LIKE '%\\_sealed') ORDER BY 1`);
  const listed = [...Object.values(SEALED_COLUMNS), ...SEALED_BY_INSTALLATION].map(
    ({ table, column }) => `${table}.${column}`,
  );
  expect(rows.map(({ name }) => name)).toEqual([...listed, 'past_secret.sealed'].toSorted());
});

it('a rotation of PARLEY_SECRET moves every column of bytes, unless the column is listed as an exception', async () => {
  const moved = Object.keys(DIGESTED).map((table) => `${table}.digest`);
  const others = [
    'installation.secret_check', // by the switch of secrets
    'installation.setup_digest', // of a link for half an hour; the next start creates another
    'idempotency.scope', 'idempotency.request', 'recovery_code.digest', 'invitation.token_digest', // hashes without a key
    'passkey.public_key', 'end_user_import_piece.bytes', 'attachment.bytes', // no digests
    'passage_wording.passage', 'passage_wording.words', // hashes without a key
    'passage_embedding.hash', 'passage_embedding.vector', // a hash without a key, and numbers
    'passage_question.hash', // a hash without a key
  ]; // prettier-ignore
  const { rows } = await db.execute(sql`SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1`);
  expect(rows.map(({ name }) => name)).toEqual([...moved, ...others].toSorted());
});

it('a credential opens only with the address for which it was entered', async () => {
  const sealed = await sealCredential(db, sealingKey, account('https://one.example'), 'sk-1');
  expect(await openCredential(db, sealingKey, account('https://one.example'), sealed)).toBe('sk-1');
  for (const other of [null, '', 'https://two.example', 'https://one.example/']) {
    await expect(openCredential(db, sealingKey, account(other), sealed)).rejects.toThrow(SealError);
  }
});

it('place and address are separate: a part of one cannot become a part of the other', async () => {
  const { table, column, row } = account(null);
  const twisted = { orgId, table, column, row, addresses: [] };
  const sealed = await sealCredential(db, sealingKey, twisted, 'sk-1');
  await expect(openCredential(db, sealingKey, { ...twisted, addresses: [''] }, sealed)).rejects.toThrow(SealError);
});

it('an older text that is bound only to its place still opens', async () => {
  const place = placeOf({ table: 'model_provider', column: 'sealed_key', row: 'openai', organization: orgId });
  const sealed = seal(await openDataKey(db, { orgId, wrapping: sealingKey, to: 'seal' }), 'sk-old', place);
  expect(sealed).toMatch(/^v1\./);
  expect(await openCredential(db, sealingKey, account('https://one.example'), sealed)).toBe('sk-old');
  await expect(
    openCredential(db, sealingKey, account('https://one.example'), sealed.replace('v1', 'v2')),
  ).rejects.toThrow(SealError);
});
