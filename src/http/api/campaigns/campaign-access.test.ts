import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CampaignsApi, person, push, startCampaignsApi } from '../../../../test/campaigns-api.ts';

/** What holds on every path of the family. */
let parley: CampaignsApi['parley'];
let orgId: CampaignsApi['orgId'];
let givenCampaign: CampaignsApi['givenCampaign'];

beforeAll(async () => {
  ({ parley, orgId, givenCampaign } = await startCampaignsApi());
});
afterAll(() => parley.stop());

describe('403 and 404', () => {
  test('every path of a campaign accepts only the key of this campaign', async () => {
    const mine = await givenCampaign();
    const other = await givenCampaign();
    const { value: organization } = await parley.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/recipients'],
      ['GET', '/recipients'],
      ['GET', '/recipients/x'],
      ['DELETE', '/recipients/x'],
      ['POST', '/pause'],
      ['POST', '/resume'],
    ] as const) {
      const path = `/api/campaigns/${mine.id}${rest}`;
      const foreign = await parley.call(method, path, { key: other.key });
      expect([rest, foreign.status, foreign.body.code]).toEqual([rest, 403, 'campaign_mismatch']);
      const wide = await parley.call(method, path, { key: organization });
      expect([rest, wide.status]).toEqual([rest, 403]);
    }
    for (const path of ['/api/end-users', '/api/end-users/search'])
      expect((await parley.call(path.endsWith('search') ? 'POST' : 'GET', path, { key: mine.key })).body.code).toBe(
        'permission_missing',
      );
  });

  test('a recipient of another campaign is not found, and neither is text that is not an ID', async () => {
    const mine = await givenCampaign();
    const other = await givenCampaign({ starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { body } = await push(other, [person()]);
    for (const id of [body.results[0].recipient_id, 'x', 'rcpt_01k8v3m9e5f7rsm6z4n0q2x1af'])
      for (const method of ['GET', 'DELETE']) {
        const answer = await mine.call(method, `/recipients/${id}`);
        expect([answer.status, answer.body.code]).toEqual([404, 'recipient_not_found']);
      }
  });

  test('the key of a deleted campaign finds no campaign', async () => {
    const given = await givenCampaign();
    await parley.db.execute(sql`UPDATE campaign SET deleted_at = now() WHERE id = ${given.id}`);
    const answer = await given.call('GET');
    expect([answer.status, answer.body.code]).toEqual([404, 'campaign_not_found']);
  });
});
