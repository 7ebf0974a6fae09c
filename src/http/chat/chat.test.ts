import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization, givenTrigger } from '../../../test/factories.ts';
import { head, rawExchange } from '../../../test/raw-http.ts';
import { createVisitorTokens } from '../../access/visitors/visitor-token.ts';
import { sealSecrets } from '../../features/channels/ask-provider.ts';
import type { ChannelsDeps } from '../../features/channels/deps.ts';
import { readChannel } from '../../features/channels/read-channels.ts';
import { channel } from '../../store/schema/channel.ts';
import { conversation, message } from '../../store/schema/conversation.ts';
import { endUser } from '../../store/schema/end-user.ts';
import { rating } from '../../store/schema/rating.ts';
import { SLOW_BODY_MS } from '../route/mount-routes.ts';

const SHOP = 'https://shop.example';
const SECRET = 'the channel’s own secret';

let parley: TestApp;
let orgId: string;
let agentId: string;
let channelId: string;
let foreign: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  const definition = { rules: [{ words: ['hours'], reply: { default: 'We are open all day.' } }] } as never;
  ({ agentId } = await givenAgent(parley.db, orgId, { definition }));
  channelId = await webChat(orgId, agentId);
  const other = await givenOrganization(parley.db);
  foreign = await webChat(other, (await givenAgent(parley.db, other)).agentId);
});
afterAll(() => parley.stop());

const webChat = (org: string, agent: string, settings: Record<string, unknown> = {}) =>
  givenChannel(parley.db, org, agent, {
    kind: 'web_chat',
    settings: { allowed_origins: [SHOP], ...settings },
    secrets: { secret: SECRET },
    sealingKey: parley.secrets.sealingKey,
  });

type Call = { token?: string; origin?: string | null; body?: unknown; headers?: Record<string, string> };
const call = (method: string, path: string, { token, origin = SHOP, body, headers }: Call = {}): Promise<Answer> =>
  parley.call(method, `/chat/${path}`, {
    body,
    headers: { ...(origin !== null && { origin }), ...(token && { authorization: `Bearer ${token}` }), ...headers },
  });
const visit = async (body: object = {}, more: Call = {}, id = channelId): Promise<string> =>
  (await call('POST', `${id}/sessions`, { body, ...more })).body.token as string;
const say = (token: string, text: string, client_id: string = randomUUID()) =>
  call('POST', `${channelId}/messages`, { token, body: { client_id, text } });
const history = async (token: string) => (await call('GET', `${channelId}/messages`, { token })).body;
const textsOf = (answer: { data: { content: { text: string } }[] }) => answer.data.map(({ content }) => content.text);
const until = async <T>(look: () => Promise<T | null | undefined | false>): Promise<T> => {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const seen = await look();
    if (seen) return seen;
    await sleep(25);
  }
  throw new Error('did not come');
};
const statusOf = async (id: string) =>
  (await parley.db.select({ status: message.status }).from(message).where(eq(message.id, id)))[0]?.status;
const proof = (externalId: string, secret = SECRET) => createHmac('sha256', secret).update(externalId).digest('hex');

/** The events of a stream as they arrive; `next` fails when the stream ends first. */
async function follow(token: string, id = channelId) {
  const stop = new AbortController();
  const answer = await fetch(`${parley.url}/chat/${id}/events`, {
    headers: { origin: SHOP, authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const ended = async (): Promise<true> => {
    for (let end = false; !end; end = (await reader.read()).done);
    return true;
  };
  return {
    ended,
    status: answer.status,
    stop: () => stop.abort(),
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
    next: async (event: string): Promise<any> => {
      for (;;) {
        const end = rest.indexOf('\n\n');
        if (end >= 0) {
          const part = rest.slice(0, end);
          rest = rest.slice(end + 2);
          if (part.includes(`event: ${event}\n`)) return JSON.parse(/^data: (.*)$/m.exec(part)![1]!);
          continue;
        }
        const { done, value } = await reader.read();
        if (done) throw new Error('the stream ended');
        rest += value;
      }
    },
  };
}

describe('which pages may use the chat', () => {
  test('only pages on the list may use the chat, by exact origin', async () => {
    const allowed = await call('POST', `${channelId}/sessions`, { body: {} });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    for (const origin of [
      'https://shop.example.evil.example',
      'http://shop.example',
      'https://a.shop.example',
      'null',
      null,
    ]) {
      const refused = await call('POST', `${channelId}/sessions`, { origin, body: {} });
      expect([refused.status, refused.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('a site that was refused is shown to the owner until it is allowed, five at most', async () => {
    const id = await webChat(orgId, agentId);
    const deps = { db: parley.db, connector: { inboundUrl: () => null } } as unknown as ChannelsDeps;
    const refusedOrigins = async () => (await readChannel(deps, orgId, id)).refused_origins.map(({ origin }) => origin);
    await call('POST', `${id}/sessions`, { origin: 'null', body: {} });
    await call('POST', `${id}/sessions`, { origin: 'https://blog.example', body: {} });
    await call('OPTIONS', `${id}/messages`, { origin: 'https://blog.example' });
    await expect.poll(refusedOrigins).toEqual(['https://blog.example']);
    for (let n = 0; n < 8; n++) await call('OPTIONS', `${id}/messages`, { origin: `https://a${n}.example` });
    await expect.poll(async () => (await refusedOrigins()).length).toBe(5);
    const [last] = await refusedOrigins();
    const settings = { allowed_origins: [SHOP, last] };
    await parley.db.update(channel).set({ settings }).where(eq(channel.id, id));
    expect(await refusedOrigins()).toHaveLength(4);
    expect((await call('OPTIONS', `${id}/messages`, { origin: last! })).status).toBe(204);
    // The owner sees that the site shows the chat now.
    const reached = async () => (await readChannel(deps, orgId, id)).reached_origins.map(({ origin }) => origin);
    await expect.poll(reached).toEqual([last]);
  });

  test('a preflight gets the same decision as the call', async () => {
    const yes = await call('OPTIONS', `${channelId}/messages`);
    expect([yes.status, yes.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization, content-type']);
    expect((await call('OPTIONS', `${channelId}/messages`, { origin: 'https://evil.example' })).status).toBe(403);
  });

  test('a site that was removed from the list is refused on its next call', async () => {
    const id = await webChat(orgId, agentId);
    const token = await visit({}, {}, id);
    await parley.db.update(channel).set({ settings: {} }).where(eq(channel.id, id));
    expect((await call('GET', `${id}/messages`, { token })).status).toBe(403);
  });

  test("Parley's own page may use the chat, unless the channel has none", async () => {
    expect((await call('POST', `${channelId}/sessions`, { origin: parley.url, body: {} })).status).toBe(200);
    const without = await webChat(orgId, agentId, { hosted_page: false });
    expect((await call('POST', `${without}/sessions`, { origin: parley.url, body: {} })).status).toBe(403);
    expect((await call('GET', without)).status).toBe(404);
  });
});

describe('the identity of a visitor', () => {
  test('a valid token for this channel and this site is required', async () => {
    const token = await visit();
    const bytes = Buffer.from(token, 'base64url');
    bytes[40]! ^= 1;
    const old = createVisitorTokens(parley.secrets.visitorKey, () => Date.now() - 31 * 86_400_000);
    const address = 'visitor_aaaaaaaaaaaaaaaaaaaaaa';
    const about = { channelId, address, origin: SHOP, externalId: null, provenBy: null, name: null };
    const others = createVisitorTokens(Buffer.alloc(32), Date.now);
    const tokens = {
      none: undefined,
      forged: bytes.toString('base64url'),
      'signed by others': others.issue({ ...about, locale: null }).token,
      'run out': old.issue({ ...about, locale: null }).token,
      'of another channel': await visit({}, {}, foreign),
      'of another site': await visit({}, { origin: parley.url }),
      garbage: 'x',
    };
    for (const [name, wrong] of Object.entries(tokens)) {
      for (const [method, path] of [
        ['GET', 'messages'],
        ['GET', 'events'],
        ['POST', 'messages'],
        ['POST', 'read'],
      ]) {
        const answer = await call(method!, `${channelId}/${path}`, {
          token: wrong,
          ...(method === 'POST' && { body: {} }),
        });
        expect([name, answer.status, answer.body.code]).toEqual([name, 401, 'visitor_token_invalid']);
        // The widget must be able to read it, to start again.
        expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
      }
    }
    expect((await call('GET', `${channelId}/messages`, { token })).status).toBe(200);
  });

  test('a visitor who returns with the old token continues the same conversation, and reading creates no row', async () => {
    const before = await parley.db.$count(endUser);
    const token = await visit({ name: 'Asha', locale: 'ar' });
    expect(await parley.db.$count(endUser)).toBe(before);
    await say(token, 'hello');
    const again = await visit({}, { token });
    expect(again).not.toBe(token);
    await say(again, 'hello again');
    expect(textsOf(await history(again))).toEqual(expect.arrayContaining(['hello', 'hello again']));
    expect(await parley.db.$count(endUser)).toBe(before + 1);
  });

  test('a name with several lines is stored as one line', async () => {
    await say(await visit({ name: "Ann\n=cmd|' /C calc'!A0\u0007" }), 'hello from Ann');
    const people = await parley.db.select({ name: endUser.name }).from(endUser);
    expect(people.map(({ name }) => name)).toContain("Ann =cmd|' /C calc'!A0");
  });

  test('a person whom the host identifies is the same in every browser, if the host proves the identity', async () => {
    const first = await visit({ external_id: 'crm-1', user_hash: proof('crm-1'), name: 'Asha' });
    await say(first, 'from the phone');
    const second = await visit({ external_id: 'crm-1', user_hash: proof('crm-1') });
    expect(textsOf(await history(second))).toContain('from the phone');
    const people = await parley.db.select().from(endUser).where(eq(endUser.externalId, 'crm-1'));
    expect(people).toMatchObject([{ orgId, name: 'Asha' }]);
    for (const user_hash of [proof('crm-2'), proof('crm-1', 'guessed'), undefined]) {
      const refused = await call('POST', `${channelId}/sessions`, { body: { external_id: 'crm-1', user_hash } });
      expect([refused.status, refused.body.code]).toEqual([401, 'signature_invalid']);
    }
    // Signed out: a new, unknown visitor.
    expect(textsOf(await history(await visit({}, { token: first })))).toEqual([]);
  });
});

const renewSecret = async (id: string, secret: string): Promise<void> => {
  const at = { orgId, id, kind: 'web_chat', settings: { allowed_origins: [SHOP] } };
  const sealed = await sealSecrets(parley.db, parley.secrets.sealingKey, at, { secret });
  await parley.db.update(channel).set({ sealed }).where(eq(channel.id, id));
};

describe('a new secret of the channel', () => {
  test('a new secret ends visitors that the old secret identified, on their next call and in open streams', async () => {
    const id = await webChat(orgId, agentId);
    const body = { external_id: 'crm-9', user_hash: proof('crm-9') };
    const token = await visit(body, {}, id);
    const anonymous = await visit({}, {}, id);
    const stream = await follow(token, id);
    await stream.next('ready');
    await renewSecret(id, 'a new secret');
    const refused = await call('GET', `${id}/messages`, { token });
    expect([refused.status, refused.body.code]).toEqual([401, 'visitor_token_invalid']);
    expect(await stream.ended()).toBe(true);
    expect((await call('GET', `${id}/messages`, { token: anonymous })).status).toBe(200);
    expect((await call('POST', `${id}/sessions`, { body })).status).toBe(401);
    const again = await visit({ ...body, user_hash: proof('crm-9', 'a new secret') }, {}, id);
    expect((await call('GET', `${id}/messages`, { token: again })).status).toBe(200);
  });

  test('a new secret does not continue the conversation of a person whom the old secret identified', async () => {
    const id = await webChat(orgId, agentId);
    const token = await visit({ external_id: 'crm-8', user_hash: proof('crm-8') }, {}, id);
    await renewSecret(id, 'a new secret');
    const { body } = await call('POST', `${id}/sessions`, { token, body: {} });
    expect(body.identified).toBe(false);
  });

  test('a change of other settings does not end the sessions of visitors', async () => {
    const id = await webChat(orgId, agentId);
    const token = await visit({ external_id: 'crm-7', user_hash: proof('crm-7') }, {}, id);
    await renewSecret(id, SECRET);
    expect((await call('GET', `${id}/messages`, { token })).status).toBe(200);
  });
});

describe('an open stream', () => {
  test.each([
    ['when its site is removed from the list', { settings: { allowed_origins: ['https://other.example'] } }],
    ['when the channel is disabled', { enabled: false }],
    ['when the channel is disconnected', { deletedAt: new Date() }],
  ])('an open stream ends: %s', async (_when, change) => {
    const id = await webChat(orgId, agentId);
    const openStream = await follow(await visit());
    const stream = await follow(await visit({}, {}, id), id);
    await Promise.all([openStream.next('ready'), stream.next('ready')]);
    await parley.db.update(channel).set(change).where(eq(channel.id, id));
    expect(await stream.ended()).toBe(true);
    // Streams of other channels stay open.
    const isOver = await Promise.race([openStream.ended(), sleep(1_200).then(() => false)]);
    expect(isOver).toBe(false);
    openStream.stop();
  });
});

describe('a message', () => {
  test('the agent answers, the answer is pushed at once, and receipts are stored', async () => {
    const token = await visit();
    const stream = await follow(token);
    await stream.next('ready');
    const sent = await say(token, 'Your hours?');
    expect(sent).toMatchObject({ status: 201, body: { answering: true, message: { role: 'end_user' } } });
    let answer;
    do [answer] = (await stream.next('messages')).data.filter(({ role }: { role: string }) => role === 'agent');
    while (!answer);
    expect(answer).toMatchObject({ content: { text: 'We are open all day.' }, client_id: null });
    await until(async () => (await statusOf(answer.id)) === 'delivered');
    const read = await call('POST', `${channelId}/read`, { token, body: { message_id: answer.id } });
    expect(read.status).toBe(204);
    expect(await statusOf(answer.id)).toBe('read');
    stream.stop();
  });

  test('“stop” is confirmed once, and later messages get no answer', async () => {
    const token = await visit();
    await say(token, 'STOP');
    await until(async () => (await history(token)).data.length === 2);
    expect((await say(token, 'Are you there?')).body.answering).toBe(false);
    expect((await history(token)).data.map(({ role }: { role: string }) => role)).toEqual([
      'end_user',
      'agent',
      'end_user',
    ]);
  });

  test('at most 256 pages of one network address have a stream, and further pages poll', async () => {
    // Signed here: an address may open only so many sessions a minute.
    const { issue } = createVisitorTokens(parley.secrets.visitorKey, Date.now);
    const visitor = { channelId, origin: SHOP, externalId: null, provenBy: null, name: null, locale: null };
    const tokens = Array.from({ length: 33 }, () => issue({ ...visitor, address: `visitor_${randomUUID()}` }).token);
    const last = tokens.pop()!;
    const streams = await Promise.all(tokens.flatMap((token) => Array.from({ length: 8 }, () => follow(token))));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect((await follow(last)).status).toBe(429);
    for (const stream of streams) stream.stop();
    await until(async () => {
      const stream = await follow(last);
      stream.stop();
      return stream.status === 200;
    });
  });

  test('a message is stored once, however often it is sent', async () => {
    const token = await visit();
    const name = randomUUID();
    const answers = await Promise.all(Array.from({ length: 6 }, () => say(token, 'only once', name)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.message.id)).size).toBe(1);
    expect(textsOf(await history(token)).filter((text) => text === 'only once')).toHaveLength(1);
    // The same client id from another visitor is another message.
    const other = await visit();
    expect((await say(other, 'mine', name)).body.message.content.text).toBe('mine');
  });

  test('a message is visible only to its own visitor', async () => {
    const [one, other] = [await visit(), await visit()];
    await say(one, 'a secret');
    expect((await history(other)).data).toEqual([]);
    const mine = (await history(one)).data[0];
    expect((await call('GET', `${channelId}/messages?before=${mine.id}`, { token: other })).body.data).toEqual([]);
    const there = await call('GET', `${foreign}/messages`, { token: await visit({}, {}, foreign) });
    expect(there.body.data).toEqual([]);
  });

  test('messages are listed page by page', async () => {
    const token = await visit({ external_id: 'pages', user_hash: proof('pages') });
    await say(token, 'first');
    const [row] = await parley.db
      .select({ id: message.conversationId })
      .from(message)
      .where(eq(message.id, (await history(token)).data[0].id));
    const { newId } = await import('../../kernel/ids.ts');
    const rows = Array.from({ length: 40 }, (_, n) => ({
      orgId,
      id: newId('msg', Date.now() + n),
      conversationId: row!.id,
      role: 'member',
      content: { type: 'text' as const, text: `n${n}` },
      status: 'delivered',
    }));
    await parley.db.insert(message).values(rows);
    const page = await history(token);
    expect([page.data.length, page.has_more, page.data.at(-1).content.text]).toEqual([30, true, 'n39']);
    const earlier = (await call('GET', `${channelId}/messages?before=${page.data[0].id}`, { token })).body;
    expect(earlier.has_more).toBe(false);
    expect(new Set([...page.data, ...earlier.data].map(({ id }) => id)).size).toBe(
      page.data.length + earlier.data.length,
    );
  });

  test('a message is refused if it is empty, too long or not JSON', async () => {
    const token = await visit();
    expect((await say(token, '   ')).status).toBe(422);
    expect((await say(token, 'x'.repeat(4_001))).status).toBe(422);
    expect((await say(token, 'x', 'no uuid')).status).toBe(422);
    expect((await call('POST', `${channelId}/messages`, { token, body: 'x'.repeat(40_000) })).status).toBe(413);
    expect(
      (await call('POST', `${channelId}/messages`, { token, headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(400);
  });

  test('a message above the rate limit is refused in a form that the page can read', async () => {
    const token = await visit();
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => say(token, `${n}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(refused[0]!.headers.get('retry-after')).toBe('60');
    expect(refused[0]!.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect((await say(await visit(), 'another visitor')).status).toBe(201);
  });
});

describe('a message from a backend', () => {
  const send = async (body: object) => {
    const key = await parley.key(orgId, { permissions: ['channels', 'triggers'] });
    return parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, { key: key.value, body });
  };

  test('a message from a backend waits for an identified person who has not opened the chat yet', async () => {
    const sent = await send({ to: { end_user: { external_id: 'new-1' } }, content: { type: 'text', text: 'Welcome' } });
    expect(sent.status).toBe(202);
    await until(async () => (await statusOf(sent.body.id)) === 'sent');
    const token = await visit({ external_id: 'new-1', user_hash: proof('new-1') });
    expect(textsOf(await history(token))).toEqual(['Welcome']);
    await until(async () => (await statusOf(sent.body.id)) === 'delivered');
    await say(token, 'thanks');
    expect(textsOf(await history(token))).toContain('thanks');
    expect(await parley.db.$count(conversation, eq(conversation.id, sent.body.conversation_id))).toBe(1);
    const [row] = await parley.db
      .select()
      .from(message)
      .where(eq(message.id, (await history(token)).data[1].id));
    expect(row!.conversationId).toBe(sent.body.conversation_id);
  });

  test('a message in a conversation that a trigger started also waits', async () => {
    const triggerId = await givenTrigger(parley.db, orgId, agentId, { channelId });
    const key = await parley.key(orgId, { permissions: ['triggers'] });
    const body = { end_user: { external_id: 'new-2' }, message: 'hours' };
    await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, { key: key.value, body });
    const token = await visit({ external_id: 'new-2', user_hash: proof('new-2') });
    const seen = await until(async () => {
      const texts = textsOf(await history(token));
      return texts.length === 2 && texts;
    });
    expect(seen).toEqual(['hours', 'We are open all day.']);
  });

  test('a scheduled message arrives through an open stream only when it is due', async () => {
    const token = await visit({ external_id: 'later', user_hash: proof('later') });
    await say(token, 'hello');
    const stream = await follow(token);
    await stream.next('ready');
    const at = new Date(Date.now() + 3_000).toISOString();
    const to = { end_user: { external_id: 'later' } };
    const sent = await send({ to, content: { type: 'text', text: 'On time' }, send_at: at });
    expect(textsOf(await history(token))).not.toContain('On time');
    let texts: string[];
    do texts = textsOf(await stream.next('messages'));
    while (!texts.includes('On time'));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    await until(async () => (await statusOf(sent.body.id)) === 'delivered');
    stream.stop();
  });

  test('a message arrives through an open stream although a pause had removed its time', async () => {
    const token = await visit({ external_id: 'paused', user_hash: proof('paused') });
    await say(token, 'hello');
    const begin = async () => {
      const stream = await follow(token);
      await stream.next('ready');
      return stream;
    };
    const stream = await begin();
    const hear = async (text: string, from = stream): Promise<string[]> => {
      const texts = textsOf(await from.next('messages'));
      return texts.includes(text) ? texts : hear(text, from);
    };
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const to = { end_user: { external_id: 'paused' } };
    const { body } = await send({ to, content: { type: 'text', text: 'After the pause' }, send_at: at });
    const set = (values: ReturnType<typeof sql>) =>
      parley.db.execute(sql`UPDATE message SET ${values} WHERE org_id = ${orgId} AND id = ${body.id}`);
    await set(sql`created_at = now() - interval '1 hour'`);
    // The feed has read the waiting message when it passes on a later one.
    await say(token, 'before the pause');
    await hear('before the pause');
    await set(sql`due_at = NULL`);
    await say(token, 'during the pause');
    await hear('during the pause');
    await set(sql`status = 'sent', send_at = NULL`);
    expect(await hear('After the pause')).toContain('After the pause');
    stream.stop();
    // A stream that opens during the pause also gets the message.
    await set(sql`status = 'queued'`);
    const late = await begin();
    await set(sql`status = 'sent'`);
    expect(await hear('After the pause', late)).toContain('After the pause');
    late.stop();
  });
});

describe('ratings', () => {
  let id: string;
  beforeAll(async () => {
    const rules = [{ name: 'Hours', words: ['hours'], reply: { default: 'We are open all day.' } }];
    const bye = { name: 'Bye', words: ['bye'], reply: { default: 'Goodbye.' }, action: 'complete' as const };
    const definition = { survey: {}, rules: [...rules, bye] };
    id = await webChat(orgId, (await givenAgent(parley.db, orgId, { definition })).agentId);
  });
  const rate = (token: string, body: object) => call('POST', `${id}/ratings`, { token, body });
  const messagesOf = async (token: string) => (await call('GET', `${id}/messages`, { token })).body.data;
  const talk = (token: string, text: string) =>
    call('POST', `${id}/messages`, { token, body: { client_id: randomUUID(), text } });
  const answered = async (text: string) => {
    const token = await visit({}, {}, id);
    await talk(token, text);
    const answer = await until(async () =>
      (await messagesOf(token)).find((one: { role: string }) => one.role === 'agent'),
    );
    return { token, answer };
  };
  const surveyed = async () => {
    const { token } = await answered('bye');
    const survey = await until(async () =>
      (await messagesOf(token)).find((one: { rating: { kind: string } | null }) => one.rating?.kind === 'survey'),
    );
    return { token, survey };
  };

  test('a visitor rates an answer, changes the rating, and no one else can rate it', async () => {
    const { token, answer } = await answered('hours');
    expect(answer.rating).toEqual({ kind: 'answer', score: null, comment: null });
    const message_id = answer.id;
    expect((await rate(token, { message_id, score: 1 })).body).toEqual({ kind: 'answer', score: 1, comment: null });
    expect((await rate(token, { message_id, score: -1 })).status).toBe(200);
    expect((await messagesOf(token))[1].rating.score).toBe(-1);
    const stranger = await visit({}, {}, id);
    expect((await rate(stranger, { message_id, score: 1 })).body.code).toBe('message_not_found');
    const [own] = await messagesOf(token);
    expect((await rate(token, { message_id: own.id, score: 1 })).body.code).toBe('message_not_found');
    for (const wrong of [{ score: 2 }, { score: 0 }, { score: 1, comment: 'Good' }])
      expect((await rate(token, { message_id, ...wrong })).status).toBe(422);
    expect((await call('POST', `${id}/ratings`, { body: { message_id, score: 1 } })).status).toBe(401);
    await parley.db.update(channel).set({ settings: { allowed_origins: [SHOP], thumbs: false } }).where(eq(channel.id, id)); // prettier-ignore
    expect((await rate(token, { message_id, score: 1 })).body.code).toBe('content_unsupported');
    await parley.db
      .update(channel)
      .set({ settings: { allowed_origins: [SHOP] } })
      .where(eq(channel.id, id));
    expect((await messagesOf(token))[1].rating.score).toBe(-1);
  });

  test('a visitor rates a conversation that the agent ended, with a comment, until the time is over', async () => {
    const { token, survey } = await surveyed();
    const rated = (more: object) => rate(token, { message_id: survey.id, ...more });
    expect(survey).toMatchObject({ rating: { score: null, comment: null }, content: { type: 'choices' } });
    for (const wrong of [{ score: -1 }, { score: 4, comment: ' ' }, { score: 4, comment: 'a\u0007b' }, { score: 4, comment: 'x'.repeat(1_001) }])
      expect((await rated(wrong)).status).toBe(422); // prettier-ignore
    expect((await rated({ score: 4 })).status).toBe(200);
    expect((await rated({ score: 5, comment: 'Fast' })).body).toEqual({ kind: 'survey', score: 5, comment: 'Fast' });
    const [row] = await parley.db.select().from(rating).where(eq(rating.messageId, survey.id));
    expect(row).toMatchObject({ score: 5, comment: 'Fast', agentVersion: 1, kind: 'survey' });
    const [talked] = await parley.db.select().from(conversation).where(eq(conversation.id, row!.conversationId));
    expect([talked!.status, talked!.runId]).toEqual(['resolved', row!.runId]);

    const early = new Date(Date.now() - 11 * 60_000);
    await parley.db.update(rating).set({ ratedAt: early }).where(eq(rating.messageId, survey.id));
    expect((await rated({ score: 1 })).body.code).toBe('rating_closed');
    // A repeated call has the same result.
    expect((await rated({ score: 5 })).body).toEqual({ kind: 'survey', score: 5, comment: 'Fast' });
  });

  test('a typed score is stored as a message and a rating, and gets no answer', async () => {
    const { token, survey } = await surveyed();
    expect((await talk(token, '2')).body).toMatchObject({ answering: false, message: { content: { text: '2' } } });
    expect((await messagesOf(token)).find((one: { id: string }) => one.id === survey.id).rating.score).toBe(2);
  });
});

describe('the script and the page', () => {
  test('the script contains the texts of the channel, and browsers cache it', async () => {
    const title = '</script><script>alert(1)//';
    const id = await webChat(orgId, agentId, { title, avatar: '</x>', suggestions: [title, 'Second\u2028line'] });
    const script = await call('GET', `${id}/widget.js`, { origin: null });
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(script.text).not.toMatch(/<\/(?:script|x)>|\u2028/);
    expect(script.text).not.toContain(SHOP);
    const etag = script.headers.get('etag')!;
    const again = await call('GET', `${id}/widget.js`, { origin: null, headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const page = await call('GET', `${id}?utm_source=x&lang=ar`);
    expect(page.text).toContain(`?v=${etag.slice(1, -1)}`);
    expect(page.text).toContain('<html lang="ar" dir="rtl">');
    expect(page.text).not.toContain('<script>alert');
    // Without `?lang`, the page has the first language of the browser that the chat has.
    const headers = { 'accept-language': 'fr-FR,ar-QA;q=0.9,en;q=0.8' };
    const accepted = await call('GET', id, { headers });
    expect(accepted.text).toContain('<html lang="ar" dir="rtl">');
    expect(accepted.headers.get('vary')).toContain('accept-language');
    const named = await call('GET', `${id}/widget.js?v=${etag.slice(1, -1)}`, { origin: null });
    expect(named.headers.get('cache-control')).toContain('immutable');
  });

  test('the script of a disabled channel does nothing, and calls are refused', async () => {
    const id = await webChat(orgId, agentId);
    const token = await visit({}, {}, id);
    await parley.db.update(channel).set({ enabled: false }).where(eq(channel.id, id));
    expect((await call('GET', `${id}/widget.js`)).text).toContain('"enabled":false');
    expect((await call('GET', `${id}/messages`, { token })).body.code).toBe('channel_disabled');
    expect((await call('GET', id)).status).toBe(409);
  });

  const MSG = 'msg_00000000000000000000000000';
  test.each([
    ['sessions', '{}'],
    ['messages', JSON.stringify({ client_id: randomUUID(), text: 'late' })],
    [`files?client_id=${randomUUID()}&name=late.txt`, 'late'],
    ['ratings', JSON.stringify({ message_id: MSG, score: 1 })],
    ['read', JSON.stringify({ message_id: MSG })],
  ])('a call to %s is refused if the channel is disabled before the body is complete', async (path, body) => {
    const id = await webChat(orgId, agentId);
    const { issue } = createVisitorTokens(parley.secrets.visitorKey, Date.now);
    const about = { origin: SHOP, externalId: null, provenBy: null, name: null, locale: null };
    const { token } = issue({ ...about, channelId: id, address: `visitor_${randomUUID()}` });
    const type = `Content-Type: ${path.startsWith('files') ? 'text/plain' : 'application/json'}`;
    const headers = [`Origin: ${SHOP}`, `Authorization: Bearer ${token}`, type];
    const begin = head({ method: 'POST', path: `/chat/${id}/${path}`, headers, body }) + body.slice(0, 1);
    const disabled = Promise.withResolvers<void>();
    const asking = rawExchange(Number(new URL(parley.url).port), [begin, disabled.promise, body.slice(1)]);
    // The gate notes the site after it has read the channel.
    const noted = sql`SELECT 1 FROM refused_origin WHERE channel_id = ${id}`;
    await until(async () => (await parley.db.execute(noted)).rows.length > 0);
    await parley.db.update(channel).set({ enabled: false }).where(eq(channel.id, id));
    await sleep(SLOW_BODY_MS);
    disabled.resolve();
    const [answer] = (await asking).answers;
    expect([answer!.status, answer!.json().code]).toEqual([409, 'channel_disabled']);
  });

  test('channels of other kinds have no chat', async () => {
    const [sandbox] = await parley.db.select({ id: channel.id }).from(channel).where(eq(channel.kind, 'sandbox'));
    for (const id of [sandbox!.id, 'channel_00000000000000000000000000', 'x', '%00'])
      for (const path of ['', '/widget.js', '/messages'])
        expect((await call('GET', `${id}${path}`)).body.code).toMatch(/channel_not_found|request_invalid/);
  });
});
