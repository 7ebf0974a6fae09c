import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdditionRecord } from '../../../contract/dashboard/additions.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { givenOwner, type Owner } from '../../../test/owner.ts';
import { newId } from '../../kernel/ids.ts';
import { campaign } from '../../store/schema/campaign.ts';
import { endUser } from '../../store/schema/end-user.ts';

let parley: TestApp;
let owner: Owner;
let agent: { agentId: string; channelId: string };

beforeAll(async () => {
  parley = await startTestApp();
  owner = await givenOwner(parley);
  agent = await givenAgent(parley.db, owner.orgId);
});
afterAll(() => parley.stop());

const call = (line: string, body?: unknown) => owner.call(line, body);

async function givenCampaign(state = 'live'): Promise<string> {
  const input = { agent_id: agent.agentId, channel_id: agent.channelId, name: 'Spring' };
  const path = `/campaigns/${(await call('POST /campaigns', input)).body.id}`;
  await call(`PATCH ${path}`, { settings: { starts_at: '2037-12-04T00:00:00.000Z' } });
  if (state === 'live') await call(`POST ${path}/start`);
  return path;
}

async function ended(path: string, id: string): Promise<AdditionRecord> {
  const read = async () => (await call(`GET ${path}/pushes/${id}`)).body;
  await expect.poll(async () => (await read()).finished_at, { timeout: 20_000 }).not.toBeNull();
  return read();
}

/** A file with its header; people of different tests are not the same. */
let files = 0;
const rowsOf = (many: number): string[] => {
  const file = ++files;
  return ['id,name,ref', ...Array.from({ length: many }, (_, n) => `p-${file}-${n},P ${n},r-${n}`)];
};

describe('an audience is added in the background', () => {
  it('a filter adds everyone who matches once, and each reason for a skip is counted', async () => {
    const path = await givenCampaign();
    const ids = Array.from({ length: 1_203 }, () => newId('enduser'));
    await parley.db.insert(endUser).values(ids.map((id) => ({ orgId: owner.orgId, id, tags: ['spring'] })));
    await call(`PATCH /end-users/${ids[0]!}`, { blocked: true });
    await call(`PUT /end-users/${ids[1]!}/consent/sandbox`, { status: 'opted_out' });
    const filters = { tag: 'spring' };
    const begun = await call(`POST ${path}/pushes`, { filters });
    expect([begun.status, begun.body]).toMatchObject([202, { state: 'queued', source: 'filters', filters: ['tags'] }]);
    const told = { state: 'done', total: 1_203, done: 1_203, opted_out: 1, blocked: 1, invalid: 0, fault: null };
    expect(await ended(path, begun.body.id)).toMatchObject({ ...told, accepted: 1_201, duplicates: 0 });
    expect((await call(`GET ${path}`)).body).toMatchObject({ total: 1_203, counts: { pending: 1_201, suppressed: 2 } });
    expect((await call(`POST ${path}/audience`, { filters })).body).toMatchObject({ accepted: 0, duplicates: 500 });
    const review = (await call(`POST ${path}/review`, { filters })).body;
    expect(review).toMatchObject({ goes: { count: 0 }, left_out: [{ status: 'duplicate', count: 1_203 }] });
    const again = await call(`POST ${path}/pushes`, { filters });
    expect(await ended(path, again.body.id)).toMatchObject({ accepted: 0, duplicates: 1_203 });
    expect((await call(`GET ${path}/pushes`)).body.data.map(({ id }: AdditionRecord) => id)).toEqual([
      again.body.id,
      begun.body.id,
    ]);
    const none = await call(`POST ${path}/pushes`, { filters: { tag: 'none' } });
    expect(await ended(path, none.body.id)).toMatchObject({ state: 'done', total: 0, done: 0 });
    const { rows } = await parley.db.execute(sql`SELECT DISTINCT file, filter, after, lease FROM campaign_push
      WHERE org_id = ${owner.orgId}`);
    expect(rows).toEqual([{ file: null, filter: null, after: null, lease: null }]);
  });

  it('a row with a text that no database stores is invalid, and the other rows are added', async () => {
    const path = await givenCampaign();
    const lines = [
      String.raw`{"end_user":{"external_id":"strict-nul"},"variables":{"note":"\u0000"}}`,
      String.raw`{"end_user":{"external_id":"strict-\ud83d"}}`,
      String.raw`{"end_user":{"external_id":"strict-ref"},"ref":"\ud83d"}`,
      '{"end_user":{"external_id":"strict-twice","external_id":"strict-other"}}',
      '{"end_user":{"external_id":"strict-good"}}',
    ];
    const pushed = await call(`POST ${path}/pushes`, { file: lines.join('\n') });
    expect(await ended(path, pushed.body.id)).toMatchObject({ state: 'done', fault: null, accepted: 1, invalid: 4 });
  });

  it('a name of a column that is cut inside of a surrogate pair stops no addition', async () => {
    const path = await givenCampaign();
    const name = `${'x'.repeat(63)}\u{1f600}`;
    const file = `id,${name},attributes.${name}\ncut-1,value,value`;
    const pushed = await call(`POST ${path}/pushes`, { file });
    expect(await ended(path, pushed.body.id)).toMatchObject({ state: 'done', fault: null, accepted: 1 });
  });

  it('invalid rows of a file are reported, and a broken file adds no one', async () => {
    const path = await givenCampaign();
    const rows = rowsOf(600).map((row, n) => `${row},${n === 0 ? 'voucher' : `V-${n - 1}`}`);
    const file = [...rows, `p-${files}-0,Again,x,V`, ',Nameless,none,V'].join('\n');
    const broken = await call(`POST ${path}/pushes`, { file: `${file}\n"` });
    expect([broken.status, broken.body.errors]).toMatchObject([422, [{ pointer: '/file' }]]);
    expect((await call(`GET ${path}/pushes`)).body.data).toEqual([]);
    const begun = await call(`POST ${path}/pushes`, { file });
    expect(begun.body).toMatchObject({ source: 'file', total: 602 });
    const told = await ended(path, begun.body.id);
    expect(told).toMatchObject({ state: 'done', done: 602, accepted: 600, duplicates: 1, invalid: 1 });
    const counted = (await call(`POST ${path}/audience-file`, { file })).body;
    expect(counted).toMatchObject({ rows: 602, accepted: 0, duplicates: 601, invalid: 1 });
    expect((await call(`GET ${path}/recipients?ref=r-7`)).body.data).toMatchObject([
      { variables: { voucher: 'V-7' }, status: 'pending' },
    ]);
    expect(told.faults).toEqual([{ row: 602, detail: expect.stringContaining('Name the person') }]);
    const both = await call(`POST ${path}/pushes`, { file, filters: {} });
    expect(both.status).toBe(422);
  });

  it('if a worker dies after a page, no row counts twice and none is lost', async () => {
    const path = await givenCampaign();
    const file = rowsOf(700).join('\n');
    const { body } = await call(`POST ${path}/pushes`, { file: file.split('\n').slice(0, 501).join('\n') });
    const first = await ended(path, body.id);
    expect(first).toMatchObject({ done: 500, accepted: 500, duplicates: 0 });
    // As the first page was committed, and nothing after it.
    await parley.db.execute(sql`UPDATE campaign_push SET state = 'running', total = 700,
      file = ${file}, lease = 'dead', due_at = now(), finished_at = NULL WHERE id = ${body.id}`);
    expect(await ended(path, body.id)).toMatchObject({ done: 700, accepted: 700, duplicates: 0 });
    expect((await call(`GET ${path}`)).body.total).toBe(700);
  });

  it('after the response to a stop, a page that is being written adds no one', async () => {
    const path = await givenCampaign();
    const rows = rowsOf(3);
    const stopped = parley.db.transaction(async (tx) => {
      // The statement of the page waits for this person.
      const person = { orgId: owner.orgId, id: newId('enduser'), externalId: rows[1]!.split(',')[0]! };
      await tx.insert(endUser).values(person);
      const { id } = (await call(`POST ${path}/pushes`, { file: rows.join('\n') })).body;
      const waits = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()`;
      await expect.poll(async () => (await parley.db.execute(waits)).rowCount, { timeout: 20_000 }).toBe(1);
      expect((await call(`POST ${path}/pushes/${id}/cancel`)).body).toMatchObject({ state: 'cancelled', accepted: 0 });
      tx.rollback();
    });
    await expect(stopped).rejects.toThrow('Rollback');
    const later = await call(`POST ${path}/pushes`, { file: rowsOf(2).join('\n') });
    expect(await ended(path, later.body.id)).toMatchObject({ accepted: 2 });
    expect((await call(`GET ${path}`)).body.total).toBe(2);
  });

  // The worker reads the campaign between its claim and its first page, and the people between the page and its write.
  it.each(['campaign', 'end_user'])(
    'an addition that is stopped while its worker reads %s adds no one',
    async (table) => {
      const path = await givenCampaign();
      const campaignId = path.split('/').at(-1)!;
      const id = newId('push');
      await parley.db
        .execute(sql`INSERT INTO campaign_push (org_id, campaign_id, id, source, file, faults, created_by, due_at)
      VALUES (${owner.orgId}, ${campaignId}, ${id}, 'file', ${rowsOf(3).join('\n')}, '[]', 'user_y', 'infinity')`);
      await parley.db.transaction(async (tx) => {
        await tx.execute(sql.raw(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`));
        await parley.db.execute(sql`UPDATE campaign_push SET due_at = now() WHERE id = ${id}`);
        const waiting = async () =>
          (
            await parley.db.execute(sql`SELECT 1 FROM campaign_push WHERE id = ${id} AND lease IS NOT NULL AND EXISTS (
            SELECT 1 FROM pg_locks WHERE NOT granted AND relation = ${table}::regclass)`)
          ).rows.length;
        await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
        await tx.execute(sql`UPDATE campaign_push SET state = 'cancelled', due_at = NULL, lease = NULL, file = NULL,
        finished_at = now() WHERE id = ${id}`);
      });
      const later = await call(`POST ${path}/pushes`, { file: rowsOf(2).join('\n') });
      expect(await ended(path, later.body.id)).toMatchObject({ accepted: 2 });
      expect((await call(`GET ${path}`)).body.total).toBe(2);
    },
  );

  it('large audiences of one organization do not delay that of another', async () => {
    const ids = Array.from({ length: 2_600 }, () => newId('enduser'));
    await parley.db.insert(endUser).values(ids.map((id) => ({ orgId: owner.orgId, id, tags: ['many'] })));
    const orgId = await givenOrganization(parley.db);
    const [others, small] = [await givenAgent(parley.db, orgId), newId('campaign')];
    await parley.db.insert(campaign).values({ ...others, orgId, id: small, name: 'Small', state: 'live' });
    const [one, two] = [await givenCampaign(), await givenCampaign()];
    const row = (ofOrg: string, path: string, after: number) => sql`(${ofOrg}, ${path.split('/').at(-1)!},
      ${newId('push')}, 'filters', '{"tags": ["many"]}'::jsonb, 'user_x', now() + ${after}::int * interval '1 ms')`;
    await parley.db.execute(sql`INSERT INTO campaign_push (org_id, campaign_id, id, source, filter, created_by, due_at)
      VALUES ${row(owner.orgId, one, 1)}, ${row(owner.orgId, two, 2)}, ${row(orgId, small, 3)}`);
    const ends = async () =>
      (
        await parley.db.execute<{ org_id: string; done: number }>(sql`SELECT org_id, done FROM campaign_push
          WHERE finished_at > now() - interval '1 minute' AND created_by = 'user_x' AND filter_names = '{}'
          AND org_id IN (${owner.orgId}, ${orgId}) ORDER BY finished_at`)
      ).rows;
    await expect.poll(async () => (await ends()).length, { timeout: 30_000 }).toBe(3);
    const large = { org_id: owner.orgId, done: 2_600 };
    expect(await ends()).toEqual([{ org_id: orgId, done: 0 }, large, large]);
  });

  it('recipients of a draft wait for its start, and expire when the draft ends', async () => {
    const [draft, dropped] = [await givenCampaign('draft'), await givenCampaign('draft')];
    for (const path of [draft, dropped]) {
      await call(`PATCH ${path}`, { settings: {} });
      const { body } = await call(`POST ${path}/pushes`, { file: rowsOf(2).join('\n') });
      expect(await ended(path, body.id)).toMatchObject({ state: 'done', accepted: 2 });
      expect((await call(`GET ${path}`)).body).toMatchObject({ state: 'draft', counts: { pending: 2 } });
    }
    expect((await call(`POST ${draft}/review`)).body).toMatchObject({ waiting: 2, goes: { count: 2 } });
    const statuses = async (path: string) => (await call(`GET ${path}`)).body.counts;
    await call(`POST ${dropped}/end`);
    await expect.poll(() => statuses(dropped)).toMatchObject({ pending: 0, expired: 2 });
    // The draft had the same time to send, and did not.
    expect(await statuses(draft)).toMatchObject({ pending: 2 });
    await call(`POST ${draft}/start`);
    await expect.poll(() => statuses(draft), { timeout: 20_000 }).toMatchObject({ pending: 0, delivered: 2 });
  });

  it('an open campaign runs one addition at a time; a pause delays it, and a stop keeps added people', async () => {
    const over = await givenCampaign();
    await call(`POST ${over}/end`);
    expect((await call(`POST ${over}/pushes`, { filters: {} })).body.code).toBe('campaign_not_open');
    const path = await givenCampaign();
    // Queued for later, as if no worker had time.
    const id = newId('push');
    await parley.db
      .execute(sql`INSERT INTO campaign_push (org_id, campaign_id, id, source, file, total, created_by, due_at)
      VALUES (${owner.orgId}, ${path.split('/').at(-1)!}, ${id}, 'file', ${rowsOf(3).join('\n')}, 3, 'user_x',
        now() + interval '1 hour')`);
    const second = await call(`POST ${path}/pushes`, { filters: {} });
    expect([second.status, second.body]).toMatchObject([409, { code: 'already_exists', existing_id: id }]);
    await call(`POST ${path}/pause`);
    await parley.db.execute(sql`UPDATE campaign_push SET due_at = now() WHERE id = ${id}`);
    await expect
      .poll(
        async () =>
          (await parley.db.execute(sql`SELECT due_at > now() AS later FROM campaign_push WHERE id = ${id}`)).rows,
      )
      .toEqual([{ later: true }]);
    expect((await call(`GET ${path}/pushes/${id}`)).body).toMatchObject({ is_held: true, done: 0, finished_at: null });
    const stopped = await call(`POST ${path}/pushes/${id}/cancel`);
    expect([stopped.status, stopped.body]).toMatchObject([200, { state: 'cancelled', is_held: false }]);
    expect((await call(`POST ${path}/pushes/${id}/cancel`)).body).toEqual(stopped.body);
    await call(`POST ${path}/resume`);
    const third = await call(`POST ${path}/pushes`, { filters: { tag: 'none' } });
    expect(third.status).toBe(202);
    expect((await call(`GET ${path}`)).body.total).toBe(0);
    const other = `/campaigns/${newId('campaign')}/pushes`;
    expect((await call(`POST ${other}`, { filters: {} })).body.code).toBe('campaign_not_found');
  });
});
