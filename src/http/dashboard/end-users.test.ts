import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_TAGS } from '../../../contract/end-users.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { givenOrganization } from '../../../test/factories.ts';
import { newId } from '../../kernel/ids.ts';
import { endUser } from '../../store/schema/end-user.ts';

/** One tag on several people of the list. */
let server: DashboardServer;
let member: Client;
let orgId: string;
let at: string;

beforeAll(async () => {
  server = await startDashboard();
  const owner = await setUpOwner(server);
  orgId = owner.orgId;
  member = (await addMember(server, owner.call, orgId, 'member')).call;
  at = `/organizations/${orgId}/end-users`;
});
afterAll(() => server.stop());

const given = async (tags: string[], of = orgId): Promise<string> => {
  const id = newId('enduser');
  await server.db.insert(endUser).values({ orgId: of, id, name: 'Mona', tags });
  return id;
};
const tagsOf = async (id: string): Promise<string[]> => (await member(`GET ${at}/${id}`)).body.tags;
const tag = async (ids: string[], action: string, name = 'vip') =>
  (await member(`POST ${at}/tags`, { ids, action, tag: name })).body;

test('a tag is added and removed once for each person, and other tags stay', async () => {
  const [one, two] = [await given(['new']), await given(['vip'])];
  const before = (await member(`GET ${at}/${two}`)).body;
  expect(await tag([one, two], 'add')).toEqual({ changed: 1, full: 0 });
  expect([await tagsOf(one), await tagsOf(two)]).toEqual([['new', 'vip'], ['vip']]);
  expect((await member(`GET ${at}/${two}`)).body).toEqual(before);
  expect(await tag([one, two], 'remove')).toEqual({ changed: 2, full: 0 });
  expect([await tagsOf(one), await tagsOf(two)]).toEqual([['new'], []]);
  const { created_at: made, updated_at: changed } = (await member(`GET ${at}/${one}`)).body;
  expect(changed > made).toBe(true);
});

test('a person with the maximum number of tags does not change, and is counted', async () => {
  const id = await given(Array.from({ length: MAX_TAGS }, (_, number) => `t${number}`));
  expect(await tag([id, await given([])], 'add')).toEqual({ changed: 1, full: 1 });
  expect(await tagsOf(id)).toHaveLength(MAX_TAGS);
  expect(await tag([id], 'remove', 't0')).toEqual({ changed: 1, full: 0 });
});

test('people of another organization do not change', async () => {
  const other = await givenOrganization(server.db);
  const theirs = await given(['new'], other);
  expect(await tag([theirs], 'add')).toEqual({ changed: 0, full: 0 });
  const { rows } = await server.db.execute(sql`SELECT tags FROM end_user WHERE org_id = ${other} AND id = ${theirs}`);
  expect(rows).toEqual([{ tags: ['new'] }]);
});

test('parallel calls lose no tag and add none twice', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => given([])));
  const names = Array.from({ length: 8 }, (_, number) => `tag ${number}`);
  await Promise.all(names.map((name, at) => tag(at % 2 === 0 ? ids : ids.toReversed(), 'add', name)));
  await Promise.all(names.map(() => tag(ids, 'add', 'same')));
  for (const id of ids) expect((await tagsOf(id)).toSorted()).toEqual(['same', ...names]);
});
