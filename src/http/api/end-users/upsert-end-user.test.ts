import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';

let parley: EndUsersApi['parley'];
let triggerPath: EndUsersApi['triggerPath'];
let call: EndUsersApi['call'];

beforeAll(async () => {
  ({ parley, triggerPath, call } = await startEndUsersApi());
});
afterAll(() => parley.stop());

describe('201', () => {
  test('an upsert creates a person and returns the location', async () => {
    const answer = await call('POST', people, {
      external_id: 'c-1',
      name: 'Asha',
      email: 'Asha@Example.QA',
      phone: '+97430000001',
      locale: 'ar',
      time_zone: 'Asia/Qatar',
      attributes: { plan: 'gold' },
      tags: ['vip', 'vip'],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${parley.config.baseUrl}${people}/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      external_id: 'c-1',
      email: 'asha@example.qa',
      tags: ['vip'],
      identities: [],
      consent: {},
      blocked: false,
      last_seen_at: null,
    });
    const read = await call('GET', `${people}/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
  });

  test('a repeated upsert merges attributes, and null removes one', async () => {
    const at = `${people}/external/u-1`;
    const first = await call('PUT', at, { name: 'Noor', attributes: { a: 1, b: 2 } });
    expect(first.status).toBe(201);
    const second = await call('PUT', at, { attributes: { b: null, c: 3 }, tags: ['x'], email: 'noor@example.qa' });
    expect([second.status, second.body.id]).toEqual([200, first.body.id]);
    expect(second.body).toMatchObject({
      name: 'Noor',
      attributes: { a: 1, c: 3 },
      tags: ['x'],
      email: 'noor@example.qa',
    });
    expect((await call('GET', `${people}/${first.body.id}`)).body).toEqual(second.body);
    const third = await call('PUT', at, { email: null });
    expect([third.status, third.body.email, third.body.name]).toEqual([200, null, 'Noor']);
    expect((await call('PUT', at, {})).body).toEqual(third.body);
  });

  test('merged attributes may reach the limit of one person, with any caller', async () => {
    const many = (prefix: string, count: number, value: unknown = 'x') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]));
    const at = `${people}/external/u-full`;
    const { body: person } = await call('PUT', at, { attributes: many('a', 99) });
    expect((await call('PUT', at, { attributes: many('b', 1) })).status).toBe(200);
    const errors = [{ pointer: '/attributes', code: 'too_many' }];
    for (const [method, path] of [
      ['PUT', at],
      ['PATCH', `${people}/${person.id}`],
    ] as const)
      expect(await call(method, path, { attributes: many('c', 1) })).toMatchObject({ status: 422, body: { errors } });
    const bulk = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'u-full', attributes: many('c', 1) },
        { external_id: 'u-full', name: 'Full' },
      ],
    });
    expect(bulk.body.results).toMatchObject([{ status: 'invalid', errors }, { status: 'updated' }]);
    const traded = await call('PUT', at, { attributes: { ...many('a', 50, null), ...many('c', 50) } });
    expect([traded.status, Object.keys(traded.body.attributes).length]).toEqual([200, 100]);
  });

  test('many simultaneous upserts of one person create one person', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => call('PUT', `${people}/external/u-many`, { attributes: { [`n${n}`]: n } })),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.code])).toEqual([
      [201, undefined],
    ]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const read = await call('GET', `${people}/${answers[0]!.body.id}`);
    expect(Object.keys(read.body.attributes)).toHaveLength(50);
  });

  test('an external id may contain characters that a path must encode', async () => {
    const answer = await call('PUT', `${people}/external/${encodeURIComponent('a/b c?é')}`, {});
    expect(answer.body.external_id).toBe('a/b c?é');
  });
});

describe('409', () => {
  test('a conflict names the person who has the identifier', async () => {
    const { body: holder } = await call('POST', people, { email: 'taken@example.qa' });
    const made = await call('POST', people, { email: 'TAKEN@example.qa' });
    expect([made.status, made.body.code, made.body.existing_id]).toEqual([409, 'already_exists', holder.id]);
    await call('PUT', `${people}/external/mine`, { phone: '+97430000009' });
    await call('PUT', `${people}/external/other`, {});
    const upserted = await call('PUT', `${people}/external/other`, { phone: '+97430000009' });
    expect([upserted.status, upserted.body.code]).toEqual([409, 'already_exists']);
    const { body: other } = await call('POST', people, { name: 'Other' });
    const patched = await call('PATCH', `${people}/${other.id}`, { external_id: 'mine' });
    expect([patched.status, patched.body.code]).toEqual([409, 'already_exists']);
  });

  test('a person with only an e-mail is updated, not duplicated', async () => {
    const { body: known } = await call('POST', people, { email: 'known@example.qa', name: 'Known' });
    const answer = await call('PUT', `${people}/external/known-1`, { email: 'known@example.qa' });
    expect([answer.status, answer.body.id, answer.body.external_id]).toEqual([200, known.id, 'known-1']);
  });
});

describe('422', () => {
  test.each([
    [{ phone: '+999123456789' }, '/phone', 'format'],
    [{ phone: '97430000000' }, '/phone', 'format'],
    [{ email: 'nobody' }, '/email', 'format'],
    [{ locale: 'not a locale' }, '/locale', 'format'],
    [{ time_zone: 'Mars/Olympus' }, '/time_zone', 'format'],
    [{ nonsense: 1 }, '/nonsense', 'unknown_field'],
    [{ id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af' }, '/id', 'unknown_field'],
    [{ tags: ['ok', ''] }, '/tags/1', 'too_short'],
    [{ blocked: 'yes' }, '/blocked', 'type'],
  ])('the body %j is refused', async (body, pointer, code) => {
    for (const [method, path] of [
      ['POST', people],
      ['PUT', `${people}/external/bad`],
    ] as const) {
      const answer = await call(method, path, body);
      expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer, code }]]);
    }
  });

  test('an empty external id matches no person', async () => {
    const answer = await call('PUT', `${people}/external/`, { name: 'Nobody' });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/external_id', code: 'too_short' }]]);
  });

  test('a trigger call checks phone numbers against the same numbering plans as an upsert', async () => {
    const answer = await call('POST', triggerPath, { end_user: { phone: '+999123456789' } });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/end_user/phone']);
  });
});
