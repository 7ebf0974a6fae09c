import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';

let call: EndUsersApi['call'];
let parley: EndUsersApi['parley'];

beforeAll(async () => {
  ({ call, parley } = await startEndUsersApi());
});
afterAll(() => parley.stop());

describe('bulk', () => {
  test.each(['Ann\n=1+1', 'Ann\r', 'A\tnn', 'Ann\u2028B'])('a record with the name %j is refused', async (name) => {
    const { body } = await call('POST', `${people}/bulk`, { end_users: [{ external_id: 'b-lines', name }] });
    expect(body.results[0]).toMatchObject({ status: 'invalid', errors: [{ pointer: '/name', code: 'format' }] });
    const one = await call('POST', people, { external_id: 'b-lines', name });
    expect([one.status, one.body.errors[0].pointer]).toEqual([422, '/name']);
  });

  test('results have the order of the rows, invalid rows fail alone, and rows may name the same person', async () => {
    const { body: holder } = await call('POST', people, { external_id: 'b-holder', phone: '+97430000077' });
    const answer = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'b-1', name: 'One' },
        { external_id: 'b-2', phone: 'wrong' },
        { name: 'Nobody' },
        7,
        { external_id: 'b-1', attributes: { again: true } },
        { external_id: 'b-3', phone: '+97430000077' },
        { external_id: 'b-holder', name: 'Holder' },
      ],
    });
    expect(answer.status).toBe(422);
    const right = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'b-1', name: 'One' },
        { external_id: 'b-2', phone: 'wrong' },
        { name: 'Nobody' },
        { external_id: 'b-1', attributes: { again: true } },
        { external_id: 'b-3', phone: '+97430000077' },
        { external_id: 'b-holder', name: 'Holder' },
      ],
    });
    expect(right.status).toBe(200);
    const { results } = right.body;
    expect(results.map(({ index, status }: { index: number; status: string }) => [index, status])).toEqual([
      [0, 'created'],
      [1, 'invalid'],
      [2, 'invalid'],
      [3, 'updated'],
      [4, 'invalid'],
      [5, 'updated'],
    ]);
    expect(results[1].errors).toMatchObject([{ pointer: '/phone', code: 'format' }]);
    expect(results[4].errors[0].code).toBe('already_exists');
    expect([results[3].id, results[5].id]).toEqual([results[0].id, holder.id]);
    const one = await call('GET', `${people}/${results[0].id}`);
    expect(one.body).toMatchObject({ name: 'One', attributes: { again: true } });
  });

  test('a row with an address that an earlier row has replaced does not change that person', async () => {
    const { body: first } = await call('POST', people, { external_id: 'b-moved', email: 'shared@example.com' });
    const rows = [
      { external_id: 'b-moved', email: 'own@example.com' },
      { email: 'shared@example.com', name: 'Bob' },
    ];
    const { body } = await call('POST', `${people}/bulk`, { end_users: rows });
    expect(body.results).toMatchObject([
      { status: 'updated' },
      { status: 'invalid', errors: [{ code: 'already_exists' }] },
    ]);
    const { body: person } = await call('GET', `${people}/${first.id}`);
    expect(person).toMatchObject({ name: null, email: 'own@example.com' });
    const again = await call('POST', `${people}/bulk`, { end_users: rows });
    expect(again.body.results).toMatchObject([{ status: 'updated' }, { status: 'created' }]);
  });

  test('a call accepts 500 rows, which may have more keys than other bodies', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({
      external_id: `k-${n}`,
      name: 'N',
      attributes: { a: 1, b: 2 },
    }));
    const answer = await call('POST', `${people}/bulk`, { end_users: rows });
    expect(answer.body.results.filter((row: { status: string }) => row.status === 'created')).toHaveLength(500);
    const more = await call('POST', `${people}/bulk`, { end_users: [...rows, { external_id: 'k-500' }] });
    expect(more.status).toBe(422);
  });
});
