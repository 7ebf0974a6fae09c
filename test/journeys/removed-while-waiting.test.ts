import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DASHBOARD_BASE } from '../../contract/dashboard/routes.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** Members are removed while their calls wait for another server: a provider, or a model. */
let app: TestApp;
let owner: Owner;
let other: Server;
let url: string;
let agentId: string;
/** The responses that the other server has not sent yet. */
const held: ServerResponse[] = [];
/** The server to which the other server forwards its requests. Null: it holds them. */
let behind: string | null = null;

beforeAll(async () => {
  other = createServer((request, response) => {
    if (behind !== null) return void forward(behind, request, response);
    request.resume();
    held.push(response);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  app = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(app);
  await owner.call('PUT /models/openai_compatible', { base_url: `${url}/v1` });
  const definition = { provider: 'openai_compatible', model: 'local' };
  agentId = (await owner.call('POST /agents', { name: 'Concierge', definition })).body.id;
});
afterAll(async () => {
  other?.closeAllConnections();
  other?.close();
  await app?.stop();
});

async function forward(to: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '' } = request.headers;
  const answer = await fetch(to + request.url!, { headers: { authorization } });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
}

let members = 0;
async function givenMember(role: string) {
  const email = `member-${++members}@example.com`;
  const { body: invitation } = await owner.call('POST /invitations', { email, role });
  const token = (invitation.url as string).split('/').at(-1)!;
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const accepted = await fetch(`${app.url}${DASHBOARD_BASE}/invitations/${token}`, {
    ...post,
    body: JSON.stringify({ name: 'Ravi', password: 'a long and quiet passphrase' }),
  });
  const cookie = accepted.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  const { data } = (await owner.call('GET /members')).body as { data: { id: string; email: string }[] };
  return {
    id: data.find((one) => one.email === email)!.id,
    call: async (call: string, body: object) => {
      const [method, path] = call.startsWith('/') ? ['POST', call] : (call.split(' ') as [string, string]);
      const headers = { ...post.headers, cookie };
      const to = `${app.url}${DASHBOARD_BASE}/organizations/${owner.orgId}${path}`;
      const answer = await fetch(to, { method, headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

const COMPLETION = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'local',
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  choices: [{ index: 0, message: { role: 'assistant', content: 'For members only.' }, finish_reason: 'stop' }],
};

/** Removes the member while the call waits, and then lets the other server answer. */
async function removedDuring(path: string, body: object, answer: object, role = 'member') {
  const member = await givenMember(role);
  const calling = member.call(path, body);
  await expect.poll(() => held.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect((await owner.call(`DELETE /members/${member.id}`)).status).toBe(204);
  // A wait that the server counts as slow.
  await new Promise((resolve) => setTimeout(resolve, 150));
  let done = false;
  void calling.finally(() => (done = true));
  while (!done) {
    for (const response of held.splice(0)) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return calling;
}

test('a channel of a member who is removed while the provider checks it is not connected', async () => {
  const settings = { api_url: url, bot_token: '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' };
  const connecting = { agent_id: agentId, kind: 'telegram', name: 'Bot', settings };
  const bot = { ok: true, result: { id: 1, is_bot: true, username: 'bot', url: '' } };
  const { status, body } = await removedDuring('/channels', connecting, bot);
  expect([status, body['code']]).toEqual([404, 'organization_not_found']);
  const { data } = (await owner.call(`GET /channels?agent_id=${agentId}`)).body as { data: { kind: string }[] };
  expect(data.map(({ kind }) => kind)).toEqual(['sandbox']);
});

test('a member who is removed while a model answers does not read the answer', async () => {
  const trying = { messages: [{ role: 'end_user', text: 'Hi' }] };
  const { status, body } = await removedDuring(`/agents/${agentId}/playground`, trying, COMPLETION);
  expect([status, body['code']]).toEqual([404, 'organization_not_found']);
});

test('a member who is removed during a test of an agent passes no case', async () => {
  const suiteCase = { name: 'hours', turns: [{ say: 'Hi', expect: { max_messages: 1 } }] };
  await owner.call(`PUT /agents/${agentId}/suite`, { cases: [suiteCase] });
  const { status, body } = await removedDuring(`/agents/${agentId}/test`, { case: suiteCase }, COMPLETION);
  expect([status, body['code']]).toEqual([404, 'organization_not_found']);
  const passes = await app.db.execute(sql`SELECT 1 FROM agent_test_pass WHERE org_id = ${owner.orgId}`);
  expect(passes.rows).toEqual([]);
});

test('an admin who is removed while an embedding model answers changes nothing', async () => {
  await owner.call('PUT /models/openai_compatible', { embedding_model: 'small' });
  const vector = { object: 'embedding', index: 0, embedding: Array.from({ length: 8 }, () => 0.1) };
  const answer = { object: 'list', data: [vector], model: 'small', usage: { prompt_tokens: 1, total_tokens: 1 } };
  const { status, body } = await removedDuring('/models/openai_compatible/check', {}, answer, 'admin');
  const { data } = (await owner.call('GET /models')).body as { data: { embedding_dimensions: number | null }[] };
  await owner.call('PUT /models/openai_compatible', { embedding_model: null });
  expect(data.map((one) => one.embedding_dimensions)).toEqual([null]);
  expect([status, body['code']]).toEqual([404, 'organization_not_found']);
});

test.each<[string, (ids: Ids) => [call: string, body: object]]>([
  ['a test message', (ids: Ids) => [`POST /channels/${ids.channel}/test`, { address: PERSON, content: CONTENT }]],
  ['a check of the channel', (ids: Ids) => [`POST /channels/${ids.channel}/check`, {}]],
  ['a campaign', (ids: Ids) => [`PATCH /campaigns/${ids.campaign}`, { settings: { opening: { template: TEMPLATE } } }]],
])('a member who is removed while the provider lists its templates changes nothing: %s', async (_, callOf) => {
  const whatsapp = await startWhatsApp();
  behind = whatsapp.url;
  try {
    const { verify_token: _token, ...secrets } = whatsapp.secrets;
    const settings = { ...whatsapp.settings, ...secrets, api_url: url };
    const shop = { agent_id: agentId, kind: 'whatsapp', name: 'Shop', settings };
    const channel = (await owner.call('POST /channels', shop)).body.id;
    const named = { agent_id: agentId, channel_id: channel, name: 'Spring' };
    const campaign = (await owner.call('POST /campaigns', named)).body.id;
    behind = null;
    const [call, body] = callOf({ channel, campaign });
    const { status, body: problem } = await removedDuring(call, body, { error: { message: 'x', code: 1 } });
    expect([status, problem['code']]).toEqual([404, 'organization_not_found']);
    const { rows } = await app.db.execute(sql`SELECT 1 FROM message WHERE org_id = ${owner.orgId}`);
    expect(rows).toEqual([]);
    expect((await owner.call(`GET /campaigns/${campaign}`)).body.settings.opening ?? null).toBeNull();
    expect((await owner.call(`GET /channels/${channel}`)).body.status).toBe('connected');
  } finally {
    behind = null;
    await whatsapp.stop();
  }
});

type Ids = { channel: string; campaign: string };
const PERSON = '+97430000000';
const TEMPLATE = { name: 'order_ready', language: 'en-US', variables: { '1': 'Asha', '2': 'A-17' } };
const CONTENT = { type: 'template', ...TEMPLATE };
