import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { listen, type Listener } from '../../../test/event-stream.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { newId } from '../../kernel/ids.ts';
import { prepareInstallation } from '../../../test/prepare-installation.ts';

/** Two nodes on one database. Pages at one node learn of changes at the other. */
let one: TestApp;
let two: TestApp;
let mine: Person;
let other: Person;
let agentId: string;
let triggerId: string;
const listening: Listener[] = [];

type Person = { cookie: string; orgId: string };
type Answer = { status: number; body: any; cookie: string }; // oxlint-disable-line typescript/no-explicit-any

async function api(call: string, body?: unknown, cookie?: string): Promise<Answer> {
  const [method, path] = call.split(' ') as [string, string];
  const answer = await two.call(method, `/dashboard/api${path}`, {
    ...(body !== undefined && { body }),
    headers: { ...(cookie && { cookie }) },
  });
  return {
    ...answer,
    cookie: answer.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0]!)
      .join('; '),
  };
}

async function follow(topics: string, { at = one, as = mine, org = mine.orgId, since = '' } = {}): Promise<Listener> {
  const listener = await listen(`${at.url}/dashboard/api/organizations/${org}/changes?topics=${topics}`, {
    cookie: as.cookie,
    ...(since && { 'last-event-id': since }),
  });
  listening.push(listener);
  return listener;
}

/** In one event or in several: topics are checked kind by kind, and a change may happen between two checks. */
async function toldOf(listener: Listener, ...meant: string[]): Promise<void> {
  const missing = new Set(meant);
  await listener.next(({ topics }) => {
    for (const topic of topics) missing.delete(topic);
    return missing.size === 0;
  });
}

async function givenMember(role: string, email: string): Promise<Person> {
  const { body } = await api(`POST /organizations/${mine.orgId}/invitations`, { email, role }, mine.cookie);
  const token = new URL(body.url).pathname.split('/').at(-1);
  const { cookie } = await api(`POST /invitations/${token}`, { name: role, password: 'correct horse battery' });
  return { cookie, orgId: mine.orgId };
}

/** Through a call at the other node. */
async function givenConversation(orgId = mine.orgId): Promise<string> {
  const { value } = await two.key(orgId, { permissions: ['triggers'] });
  const started = await two.call('POST', `/api/triggers/${agentId}/${triggerId}`, { key: value, body: {} });
  return started.body.conversation_id;
}

const takeOver = (id: string): Promise<Answer> =>
  api(`POST /organizations/${mine.orgId}/conversations/${id}/take-over`, undefined, mine.cookie);

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ PARLEY_SECRET: one.config.secret }, { database: one.database });
  const { setupUrl } = await prepareInstallation({
    db: one.db,
    sessions: one.app.sessions,
    setupKey: one.secrets.setupKey,
    baseUrl: one.url,
    region: 'us',
    owner: null,
  });
  const token = new URL(setupUrl!).searchParams.get('token');
  const owner = { token, name: 'Asha', email: 'asha@example.com', password: 'correct horse battery' };
  const { body, cookie } = await api('POST /setup', { ...owner, organization_name: 'Mine' });
  mine = { cookie, orgId: body.organizations[0].id };
  const made = await api('POST /organizations', { name: 'Other' }, cookie);
  const { body: invited } = await api(
    `POST /organizations/${made.body.id}/invitations`,
    { email: 'omar@example.com', role: 'owner' },
    cookie,
  );
  const joined = await api(`POST /invitations/${new URL(invited.url).pathname.split('/').at(-1)}`, {
    name: 'Omar',
    password: 'correct horse battery',
  });
  other = { cookie: joined.cookie, orgId: made.body.id };
  ({ agentId } = await givenAgent(one.db, mine.orgId));
  triggerId = await givenTrigger(one.db, mine.orgId, agentId);
});
afterEach(() => {
  for (const listener of listening.splice(0)) listener.close();
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
});

describe('GET /dashboard/api/organizations/:org_id/changes', () => {
  it('a stream first reports all topics, and then the topics that change on any node', async () => {
    const id = await givenConversation();
    const listener = await follow(`conversations,conversation:${id},runs:${triggerId}`);
    const first = await listener.next();
    expect(first.data.topics).toEqual(['conversations', `conversation:${id}`, `runs:${triggerId}`]);
    await takeOver(id);
    await toldOf(listener, `conversation:${id}`, 'conversations');
    await givenConversation();
    await toldOf(listener, 'conversations', `runs:${triggerId}`);
  });

  it('a stream reports changed settings, the status, and the recipients of a campaign', async () => {
    const { body: channels } = await api(`GET /organizations/${mine.orgId}/channels`, undefined, mine.cookie);
    const channel_id = channels.data.find((one: { agent_id: string }) => one.agent_id === agentId).id;
    const given = { agent_id: agentId, channel_id, name: 'Autumn' };
    const { body: made } = await api(`POST /organizations/${mine.orgId}/campaigns`, given, mine.cookie);
    const at = `/organizations/${mine.orgId}/campaigns/${made.id}`;
    const listener = await follow(`campaign:${made.id}`);
    await listener.next();
    const nextTopics = async (): Promise<string[]> => (await listener.next()).data.topics;
    await api(`PATCH ${at}`, { settings: { per_minute: 60 } }, mine.cookie);
    expect(await nextTopics()).toEqual([`campaign:${made.id}`]);
    await api(`POST ${at}/start`, undefined, mine.cookie);
    await nextTopics();
    const { value } = await two.key(mine.orgId, {
      scope: 'campaign',
      campaignId: made.id,
      permissions: ['campaigns'],
    });
    const recipients = [{ end_user: { external_id: 'followed' } }];
    await two.call('POST', `/api/campaigns/${made.id}/recipients`, { key: value, body: { recipients } });
    // Added, started, messaged: one look may see several of these at once.
    const delivered = async (): Promise<number> =>
      (await api(`GET ${at}`, undefined, mine.cookie)).body.counts.delivered;
    do await nextTopics();
    while ((await delivered()) === 0);
    const { body: list } = await api(`GET ${at}/recipients`, undefined, mine.cookie);
    await api(`POST ${at}/recipients/${list.data[0].id}/cancel`, undefined, mine.cookie);
    await nextTopics();
  });

  it('a stream reports keys, their first use, requests, audit entries and first steps', async () => {
    const { value } = await one.key(mine.orgId, { permissions: ['triggers'] });
    const listener = await follow('keys,requests,audit,first_steps');
    await listener.next();
    await two.call('GET', '/api/me', { key: value });
    await toldOf(listener, 'keys', 'requests', 'first_steps');
    await api(`PATCH /organizations/${mine.orgId}`, { name: 'Mine again' }, mine.cookie);
    expect((await listener.next(({ topics }) => topics.includes('audit'))).event).toBe('changed');
  });

  it('a stream continues at its position on another node, and names only changes since then', async () => {
    const [still, moved] = [await givenConversation(), await givenConversation()];
    const topics = `conversation:${still},conversation:${moved}`;
    // Their turns are taken first, so that nothing else changes afterwards.
    const listener = await follow(topics);
    const statusOf = async (id: string): Promise<string> =>
      (await api(`GET /organizations/${mine.orgId}/conversations/${id}`, undefined, mine.cookie)).body.runs[0].status;
    for (const id of [moved, still]) await expect.poll(() => statusOf(id)).toBe('waiting_for_user');
    // The listener has received everything when its position equals that of a new listener.
    const now = await follow(topics);
    const { id: position } = await now.next();
    await expect.poll(() => listener.events.at(-1)!.id).toBe(position);
    const since = listener.events.at(-1)!.id;
    listener.close();
    const unchanged = await follow(topics, { at: two, since });
    expect((await unchanged.next()).data.topics).toEqual([]);
    await takeOver(moved);
    const resumed = await follow(topics, { at: two, since });
    expect((await resumed.next()).data.topics).toEqual([`conversation:${moved}`]);
  });

  it('a continued stream with one more topic reports the new topic and the changed old ones', async () => {
    const [first, second] = [await givenConversation(), await givenConversation()];
    const listener = await follow(`conversation:${first}`);
    const statusOf = async (id: string): Promise<string> =>
      (await api(`GET /organizations/${mine.orgId}/conversations/${id}`, undefined, mine.cookie)).body.runs[0].status;
    for (const id of [first, second]) await expect.poll(() => statusOf(id)).toBe('waiting_for_user');
    const now = await follow(`conversation:${first}`);
    const { id: position } = await now.next();
    await expect.poll(() => listener.events.at(-1)!.id).toBe(position);
    const both = `conversation:${first},conversation:${second}&since=${position}.new`;
    expect((await (await follow(both)).next()).data.topics).toEqual([`conversation:${second}`]);
    await takeOver(first);
    const changed = [`conversation:${first}`, `conversation:${second}`];
    expect((await (await follow(both)).next()).data.topics).toEqual(changed);
    expect((await follow(`conversation:${first}&since=%20`)).status).toBe(422);
  });

  it('a stream never reports another organization, even if its record is named', async () => {
    const id = await givenConversation();
    const spy = await follow(`conversations,conversation:${id},runs:${triggerId},requests`, {
      as: other,
      org: other.orgId,
    });
    await spy.next();
    const witness = await follow(`conversation:${id}`);
    await witness.next();
    await takeOver(id);
    await witness.next();
    // Everything that the witness received, the same look would have sent to the spy.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(spy.events.filter(({ event }) => event === 'changed')).toHaveLength(1);
    expect((await follow('conversations', { as: other })).status).toBe(404);
    expect((await follow('conversations', { as: { cookie: '', orgId: '' } })).status).toBe(401);
  });

  it('a stream of an unknown topic is refused', async () => {
    expect((await follow('people')).status).toBe(422);
    expect((await follow(`conversation:${newId('run')}`)).status).toBe(422);
    expect((await follow(Array.from({ length: 9 }, () => 'keys').join(','))).status).toBe(422);
  });

  it('a stream ends for an ended session and for a removed member, and viewers may read', async () => {
    const viewer = await givenMember('viewer', 'vi@example.com');
    const removed = await givenMember('member', 'mo@example.com');
    const [left, out, stays] = [
      await follow('conversations', { as: viewer }),
      await follow('conversations', { as: removed }),
      await follow('conversations'),
    ];
    await Promise.all([left, out, stays].map((listener) => listener.next()));
    await api('POST /sign-out', undefined, viewer.cookie);
    await left.ended;
    const { body } = await api(`GET /organizations/${mine.orgId}/members`, undefined, mine.cookie);
    const member = body.data.find(({ email }: { email: string }) => email === 'mo@example.com');
    await api(`DELETE /organizations/${mine.orgId}/members/${member.id}`, undefined, mine.cookie);
    await out.ended;
    await givenConversation();
    await stays.next();
    expect((await follow('conversations', { as: viewer })).status).toBe(401);
    expect((await follow('conversations', { as: removed })).status).toBe(404);
  });

  it('only a person with too many windows is refused a stream', async () => {
    const many = await Promise.all(Array.from({ length: 24 }, () => follow('keys')));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await follow('keys')).status).toBe(429);
    const theirs = await follow('keys', { as: other, org: other.orgId });
    expect(theirs.status).toBe(200);
    for (const listener of many) listener.close();
    await expect.poll(async () => (await follow('keys')).status).toBe(200);
  });

  it('an open stream does not delay a stop of the server', async () => {
    const third = await startTestApp({ PARLEY_SECRET: one.config.secret }, { database: one.database });
    const listener = await follow('conversations', { at: third });
    await listener.next();
    const begun = performance.now();
    await third.stop();
    await listener.ended;
    // The deadline for work in progress is 25 s.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
