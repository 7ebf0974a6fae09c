import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenOrganization } from '../../../../test/factories.ts';
import { listNamedRecipients } from '../../../features/campaigns/recipients.ts';
import { readNames } from '../../../store/end-users/read.ts';
import { type CampaignsApi, person, push, settled, startCampaignsApi } from '../../../../test/campaigns-api.ts';

let parley: CampaignsApi['parley'];
let orgId: CampaignsApi['orgId'];
let givenCampaign: CampaignsApi['givenCampaign'];

beforeAll(async () => {
  ({ parley, orgId, givenCampaign } = await startCampaignsApi());
});
afterAll(() => parley.stop());

describe('recipients', () => {
  test('recipients are listed in pages by status and ref, and a cancellation is permanent', async () => {
    const given = await givenCampaign({ starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { body } = await push(given, [
      { ...person(), ref: 'one' },
      { ...person(), ref: 'two' },
      { ...person(), ref: 'three' },
    ]);
    const first = await given.call('GET', '/recipients?limit=2');
    expect([first.body.data.length, first.body.has_more]).toEqual([2, true]);
    const second = await given.call('GET', `/recipients?limit=2&cursor=${first.body.next_cursor}`);
    expect([second.body.data.length, second.body.has_more]).toEqual([1, false]);
    expect((await given.call('GET', '/recipients?ref=two')).body.data).toMatchObject([
      { ref: 'two', status: 'pending' },
    ]);
    const id = body.results[1].recipient_id;
    for (const _ of [1, 2]) {
      const cancelled = await given.call('DELETE', `/recipients/${id}`);
      expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
    }
    expect((await given.call('GET', '/recipients?status=cancelled')).body.data).toMatchObject([{ id }]);
    expect((await given.call('GET', '/recipients?status=nonsense')).status).toBe(422);
    expect((await given.call('GET')).body.counts).toMatchObject({ pending: 2, cancelled: 1 });
  });

  test('waiting recipients of an ended campaign expire', async () => {
    const given = await givenCampaign({ starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { body } = await push(given, [person()]);
    await parley.db.execute(sql`UPDATE campaign SET state = 'ended' WHERE id = ${given.id}`);
    expect(await settled(given, body.results[0].recipient_id, ['expired'])).toMatchObject({ reason: 'campaign_ended' });
  });

  test('recipients who are erased are suppressed, and none of their data remains', async () => {
    const given = await givenCampaign({ starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { value: key } = await parley.key(orgId, { permissions: ['end_users'] });
    const word = 'zzcampaignzz';
    const headers = { 'idempotency-key': 'erase-push' };
    const { body } = await push(
      given,
      [{ end_user: { external_id: word, name: word }, ref: word, variables: { [word]: word } }],
      {},
      headers,
    );
    const id = body.results[0].recipient_id;
    const { end_user_id: endUserId } = (await given.call('GET', `/recipients/${id}`)).body;
    expect((await parley.call('DELETE', `/api/end-users/${endUserId}`, { key })).status).toBe(204);
    expect((await given.call('GET', `/recipients/${id}`)).body).toMatchObject({
      status: 'suppressed',
      reason: 'erased',
      end_user_id: null,
      ref: null,
      variables: {},
    });
    const left = await parley.db.execute<{ n: string }>(sql`SELECT
      (SELECT count(*) FROM recipient WHERE recipient::text LIKE ${`%${word}%`})
      + (SELECT count(*) FROM idempotency WHERE body LIKE ${`%${word}%`}) AS n`);
    expect(Number(left.rows[0]!.n)).toBe(0);
  });
});

test('members see the names of people, but calls with the key of the campaign do not', async () => {
  const given = await givenCampaign();
  await push(given, [{ end_user: { external_id: 'crm-1', name: 'Mona' } }, { end_user: { external_id: 'crm-2' } }]);
  const { rows } = await listNamedRecipients(parley, orgId, given.id, {}, { limit: 20, after: null });
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['Mona', 'crm-2']));
  const { body } = await given.call('GET', '/recipients');
  expect(JSON.stringify(body)).not.toMatch(/Mona|crm-/);
  const other = await givenOrganization(parley.db);
  expect(
    await readNames(
      parley.db,
      other,
      rows.map(({ end_user_id: id }) => id!),
    ),
  ).toEqual(new Map());
});
