import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CampaignsApi, person, push, startCampaignsApi } from '../../../../test/campaigns-api.ts';
import { updateCampaign } from '../../../features/campaigns/change-campaign.ts';
import { SYSTEM } from '../../../store/organizations/audit.ts';

let parley: CampaignsApi['parley'];
let orgId: CampaignsApi['orgId'];
let givenCampaign: CampaignsApi['givenCampaign'];

beforeAll(async () => {
  ({ parley, orgId, givenCampaign } = await startCampaignsApi());
});
afterAll(() => parley.stop());

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('409', () => {
  test.each(['draft', 'paused', 'ended'])('a campaign that is %s accepts no recipients', async (state) => {
    const given = await givenCampaign({}, state);
    const answer = await push(given, [person()]);
    expect([answer.status, answer.body.code]).toEqual([409, 'campaign_not_open']);
    expect((await given.call('GET')).body).toMatchObject({ state, total: 0 });
  });

  test('an ended campaign cannot be resumed, and a draft cannot be paused', async () => {
    for (const [state, verb] of [
      ['ended', 'resume'],
      ['ended', 'pause'],
      ['draft', 'pause'],
    ]) {
      const answer = await (await givenCampaign({}, state)).call('POST', `/${verb}`);
      expect([answer.status, answer.body.code]).toEqual([409, 'campaign_not_open']);
    }
  });

  test('an ended recipient cannot be cancelled', async () => {
    const given = await givenCampaign({ starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { body } = await push(given, [person()]);
    await parley.db.execute(
      sql`UPDATE recipient SET status = 'completed', due_at = NULL WHERE campaign_id = ${given.id}`,
    );
    const answer = await given.call('DELETE', `/recipients/${body.results[0].recipient_id}`);
    expect([answer.status, answer.body.code]).toEqual([409, 'recipient_finished']);
  });
});

describe('pause', () => {
  test('after the response to a pause no message is sent, and a resume continues', async () => {
    const opening = { text: { default: 'Hello' } };
    const given = await givenCampaign({ opening, starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    const pushed = Array.from({ length: 3 }, () =>
      push(
        given,
        Array.from({ length: 300 }, () => person()),
      ),
    );
    await Promise.all(pushed);
    const countMessages = async () =>
      Number(
        (
          await parley.db.execute<{ n: string }>(sql`SELECT count(*) AS n FROM message WHERE run_id IN (
            SELECT run_id FROM recipient WHERE campaign_id = ${given.id})`)
        ).rows[0]!.n,
      );
    const change = (settings: object) => updateCampaign({ db: parley.db }, orgId, given.id, { settings }, SYSTEM);
    await change({ opening, per_minute: 600 });
    while ((await countMessages()) === 0) await wait(5);
    const paused = await given.call('POST', '/pause');
    expect([paused.status, paused.body.state]).toEqual([200, 'paused']);
    const atPause = await countMessages();
    expect(atPause).toBeLessThan(900);
    await wait(700);
    expect(await countMessages()).toBe(atPause);
    expect((await push(given, [person()])).body.code).toBe('campaign_not_open');
    await change({ opening });
    expect((await given.call('POST', '/resume')).body.state).toBe('live');
    const delivered = async () => (await given.call('GET')).body.counts.delivered;
    await expect.poll(delivered).toBe(900);
    expect([(await given.call('GET')).body.total, await countMessages()]).toEqual([900, 900]);
  });

  test('a second pause has no effect, and a repeated Idempotency-Key gets the first response', async () => {
    const given = await givenCampaign();
    const headers = { 'idempotency-key': 'pause-1' };
    const first = await given.call('POST', '/pause', undefined, headers);
    await given.call('POST', '/resume');
    const second = await given.call('POST', '/pause', undefined, headers);
    expect([second.headers.get('idempotent-replayed'), second.body]).toEqual(['true', first.body]);
    expect((await given.call('GET')).body.state).toBe('live');
  });
});
