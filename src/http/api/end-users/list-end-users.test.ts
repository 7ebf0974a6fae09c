import { and, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';
import { givenOrganization } from '../../../../test/factories.ts';
import { endUser } from '../../../store/schema/end-user.ts';

let parley: EndUsersApi['parley'];

beforeAll(async () => {
  ({ parley } = await startEndUsersApi());
});
afterAll(() => parley.stop());

const namesOf = (answer: { body: { data: { external_id: string }[] } }) =>
  answer.body.data.map((person) => person.external_id);

describe('lists and search', () => {
  let org: string;
  let ours: string;
  const ask = (method: string, path: string, body?: unknown) => parley.call(method, path, { key: ours, body });

  beforeAll(async () => {
    org = await givenOrganization(parley.db);
    ours = (await parley.key(org, { permissions: ['end_users'] })).value;
    for (const person of [
      { external_id: 's-1', name: 'Asha Khan', email: 'asha@example.qa', phone: '+97430000100', tags: ['vip'] },
      { external_id: 's-2', name: 'Omar Ashraf', attributes: { plan: 'gold', seats: 3 }, tags: ['vip', 'new'] },
      { external_id: 's-3', name: 'ليلى حسن', email: 'layla@example.qa', attributes: { plan: 'free' } },
      { external_id: 'ash-4', attributes: { plan: 'gold' } },
    ])
      await ask('POST', people, person);
  });

  test('people are listed in pages, newest first, and a cursor is valid only for its list', async () => {
    const first = await ask('GET', `${people}?limit=3`);
    expect([namesOf(first), first.body.has_more]).toEqual([['ash-4', 's-3', 's-2'], true]);
    const second = await ask('GET', `${people}?limit=3&cursor=${first.body.next_cursor}`);
    expect([namesOf(second), second.body]).toMatchObject([['s-1'], { has_more: false, next_cursor: null }]);
    const foreign = await ask('GET', `${people}?limit=3&tag=vip&cursor=${first.body.next_cursor}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'cursor_invalid']);
  });

  test.each([
    ['external_id=s-1', ['s-1']],
    ['email=ASHA@example.qa', ['s-1']],
    ['phone=%2B97430000100', ['s-1']],
    ['phone=+97430000100', ['s-1']],
    ['tag=vip', ['s-2', 's-1']],
    ['tag=vip&external_id=s-2', ['s-2']],
    ['tag=nobody', []],
    ['updated_after=2020-01-01T00:00:00Z', ['ash-4', 's-3', 's-2', 's-1']],
    ['updated_after=2100-01-01T00:00:00Z', []],
    ['updated_after=2020-01-01T00:00:00+03:00', ['ash-4', 's-3', 's-2', 's-1']],
  ])('people are filtered by %s', async (query, expected) => {
    expect(namesOf(await ask('GET', `${people}?${query}`))).toEqual(expected);
  });

  test('the filter updated_after finds people who changed long after their creation', async () => {
    // An id never changes, so they are stored again, as of long ago.
    const old = await parley.db
      .delete(endUser)
      .where(and(eq(endUser.orgId, org), inArray(endUser.externalId, ['s-1', 's-3'])))
      .returning();
    const [id, at] = [(row: { id: string }) => `enduser_01kdvr0000${row.id.slice(-16)}`, new Date('2026-01-01')];
    await parley.db
      .insert(endUser)
      .values(old.map((row) => Object.assign(row, { id: id(row), createdAt: at, updatedAt: at })));
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(namesOf(await ask('GET', `${people}?updated_after=${since}`))).toEqual(['ash-4', 's-2']);
    await ask('PUT', `${people}/external/s-3`, { attributes: { seen: true } });
    expect(namesOf(await ask('GET', `${people}?updated_after=${since}`))).toEqual(['ash-4', 's-2', 's-3']);
  });

  test.each([
    [{ query: 'ash' }, ['ash-4', 's-2', 's-1']],
    [{ query: 'Khan ash' }, ['s-1']],
    [{ query: 'ليلى' }, ['s-3']],
    [{ query: 'LAYLA@' }, ['s-3']],
    [{ query: '+974 3000 0100' }, ['s-1']],
    [{ query: '%' }, []],
    [{ query: "a'b | !c" }, []],
    [{ filter: { attributes: { plan: 'gold' } } }, ['ash-4', 's-2']],
    [{ filter: { attributes: { plan: 'gold', seats: 3 } } }, ['s-2']],
    [{ filter: { tags: ['vip', 'new'] } }, ['s-2']],
    [{ query: 'om', filter: { tags: ['vip'], attributes: { plan: 'gold' } } }, ['s-2']],
    [{ filter: { blocked: true } }, []],
    [{ filter: { email: 'Layla@example.qa' } }, ['s-3']],
    [{}, ['ash-4', 's-2', 's-3', 's-1']],
  ])('the search finds %j', async (body, expected) => {
    const answer = await ask('POST', `${people}/search`, body);
    expect([answer.status, new Set(namesOf(answer))]).toEqual([200, new Set(expected)]);
  });
});
