import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { type EndUserFilter, listEndUsers } from './search.ts';
import type { PagePosition } from '../page.ts';

/** More people than are examined one by one (PROBE), so that each way of finding them is used. */
const PEOPLE = 2_500;
let db: Db;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  for (const org of ['org_one', 'org_other'])
    await db.$client.query(
      `INSERT INTO end_user (org_id, id, external_id, name, tags, attributes, blocked)
       SELECT $1, 'enduser_' || lpad(n::text, 26, '0'), 'crm-' || n,
         CASE WHEN n % 2 = 0 THEN 'Asha Rao' WHEN n < 300 THEN 'Omar Old' WHEN n % 50 = 1 THEN 'Layla' ELSE 'Ravi' END,
         CASE WHEN n < 120 THEN '{early}'::text[] WHEN n % 100 = 3 THEN '{some}' ELSE '{}' END,
         jsonb_build_object('half', n % 2, 'n', n), n % 400 = 0
       FROM generate_series(1, $2::int) n`,
      [org, PEOPLE],
    );
  await db.$client.query('ANALYZE end_user');
});

const all = Array.from({ length: PEOPLE }, (_, at) => PEOPLE - at);
const isSome = (n: number): boolean => n >= 120 && n % 100 === 3;

test.each<[string, EndUserFilter, (n: number) => boolean]>([
  ['every second', { text: 'ash' }, (n) => n % 2 === 0],
  ['a few among the newest and many behind them', { text: 'lay' }, (n) => n % 2 === 1 && n >= 300 && n % 50 === 1],
  ['only old ones', { text: 'omar' }, (n) => n % 2 === 1 && n < 300],
  ['two words', { text: 'rao as' }, (n) => n % 2 === 0],
  ['the beginning of an external id', { text: 'crm-12' }, (n) => String(n).startsWith('12')],
  ['a tag of old ones', { tags: ['early'] }, (n) => n < 120],
  ['a tag of some', { tags: ['some'] }, isSome],
  ['an attribute of half', { attributes: { half: 1 } }, (n) => n % 2 === 1],
  ['an attribute of one', { attributes: { n: 77 } }, (n) => n === 77],
  ['a tag and words', { tags: ['some'], text: 'ravi' }, (n) => isSome(n) && n >= 300],
  ['who are blocked', { blocked: true }, (n) => n % 400 === 0],
  ['nobody', { text: 'nobody' }, () => false],
])('a search finds %s, each once, newest first, page by page', async (_, filter, fits) => {
  const found: string[] = [];
  for (let after: PagePosition | null = null; ;) {
    const page: Awaited<ReturnType<typeof listEndUsers>> = await listEndUsers(db, 'org_one', filter, {
      limit: 20,
      after,
    });
    found.push(...page.rows.map((row) => row.externalId!));
    expect(page.rows.every((row) => row.orgId === 'org_one')).toBe(true);
    if (!page.hasMore) break;
    after = page.rows.at(-1)!;
  }
  expect(found).toEqual(all.filter(fits).map((n) => `crm-${n}`));
});

test.each([
  ['Booking.com', ['booking.com', 'booking', 'Booking.c']],
  ['A.P.J. Abdul Kalam', ['a.p.j. abdul', 'A.P', 'abdul kal']],
  ['O’Brien-Smith', ['O’Brien', 'O’Brien-Sm', 'smith']],
  ["Rossi D'Angelo", ["d'angelo", 'ross', "d'"]],
  ['asha@example.qa', ['asha@example.qa']],
  ['محمد (أبو علي)', ['محمد', 'أبو', '(أبو علي)']],
  ['AT&T', ['at&t', 'AT']],
  ['3rd & Main: *', ['3rd & Main: *', 'main:*', '3rd !', "3rd '\\"]],
])('a search finds %s by the beginnings of its words in their written form', async (name, texts) => {
  await db.$client.query('DELETE FROM end_user WHERE org_id = $1', ['org_names']);
  await db.$client.query('INSERT INTO end_user (org_id, id, name, phone) VALUES ($1, $1, $2, $3)', [
    'org_names',
    name,
    '+97430000000',
  ]);
  const found = async (text: string) => (await listEndUsers(db, 'org_names', { text }, { limit: 5, after: null })).rows;
  for (const text of [...texts, '+974 3000', '00974 3000'])
    expect([text, (await found(text)).length]).toEqual([text, 1]);
  expect(await found("nobody's")).toEqual([]);
});
