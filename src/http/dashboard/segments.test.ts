import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_SEGMENTS } from '../../../contract/dashboard/segments.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { newId } from '../../kernel/ids.ts';
import { segment } from '../../store/schema/segment.ts';

/** Filters of end users under a name. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let member: Client;
let viewer: Client;
let at: string;

beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
  member = (await addMember(server, owner.call, owner.orgId, 'member')).call;
  viewer = (await addMember(server, owner.call, owner.orgId, 'viewer')).call;
  at = `/organizations/${owner.orgId}/segments`;
});
afterAll(() => server.stop());

const names = async () => (await viewer(`GET ${at}`)).body.data.map(({ name }: { name: string }) => name);

describe('segments', () => {
  test('segments are saved and deleted by members, listed by name, and recorded in the activity list', async () => {
    const made = await member(`POST ${at}`, { name: 'VIPs', filters: { tag: 'vip', attribute: 'plan=gold' } });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'VIPs', filters: { tag: 'vip', attribute: 'plan=gold' } },
    });
    await member(`POST ${at}`, { name: 'blocked', filters: { blocked: true } });
    expect(await names()).toEqual(['blocked', 'VIPs']);
    expect((await viewer(`POST ${at}`, { name: 'Mine', filters: { tag: 'x' } })).status).toBe(403);
    expect((await viewer(`DELETE ${at}/${made.body.id}`)).status).toBe(403);
    expect((await member(`DELETE ${at}/${made.body.id}`)).status).toBe(204);
    expect((await member(`DELETE ${at}/${made.body.id}`)).body.code).toBe('segment_not_found');
    const audit = (await owner.call(`GET /organizations/${owner.orgId}/audit?subject_id=${made.body.id}`)).body.data;
    expect(audit.map(({ action }: { action: string }) => action)).toEqual(['segment.deleted', 'segment.created']);
  });

  test('a segment needs a filter and a unique name, whatever the case of its letters', async () => {
    await member(`POST ${at}`, { name: 'Gold', filters: { attribute: 'plan=gold' } });
    const code = async (body: object) => (await member(`POST ${at}`, body)).body.code;
    expect(await code({ name: 'GOLD', filters: { tag: 'x' } })).toBe('already_exists');
    expect(await code({ name: 'All', filters: {} })).toBe('validation_failed');
    expect(await code({ name: 'Odd', filters: { color: 'red' } })).toBe('validation_failed');
    const both = await Promise.all([1, 2].map(() => code({ name: 'Race', filters: { tag: 'x' } })));
    expect(both.filter((one) => one === 'already_exists')).toHaveLength(1);
  });

  test('an organization has a maximum number of segments', async () => {
    const row = (n: number) => ({ orgId: owner.orgId, id: newId('segment'), name: `n${n}`, filters: { tag: 'x' } });
    const left = MAX_SEGMENTS - (await names()).length;
    await server.db.insert(segment).values(Array.from({ length: left }, (_, n) => row(n)));
    const refused = await member(`POST ${at}`, { name: 'One more', filters: { tag: 'x' } });
    expect(refused.body).toMatchObject({ code: 'already_exists' });
    expect(await names()).toHaveLength(MAX_SEGMENTS);
  });
});
