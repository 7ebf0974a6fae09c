import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DASHBOARD_BASE } from '../../contract/dashboard/routes.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** Members are removed while their calls wait for another server: a provider, or a model. */
let app: TestApp;
let owner: Owner;
let other: Server;
let url: string;
let agentId: string;
/** The responses that the other server has not sent yet. */
const held: ServerResponse[] = [];

beforeAll(async () => {
  other = createServer((request, response) => {
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

let members = 0;
async function givenMember() {
  const email = `member-${++members}@example.com`;
  const { body: invitation } = await owner.call('POST /invitations', { email, role: 'member' });
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
    call: async (path: string, body: object) => {
      const headers = { ...post.headers, cookie };
      const to = `${app.url}${DASHBOARD_BASE}/organizations/${owner.orgId}${path}`;
      const answer = await fetch(to, { ...post, headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

/** Removes the member while the call waits, and then lets the other server answer. */
async function removedDuring(path: string, body: object, answer: object) {
  const member = await givenMember();
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
  const message = { role: 'assistant', content: 'For members only.' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const facts = { id: 'c', object: 'chat.completion', created: 1, model: 'local', usage };
  const completion = { ...facts, choices: [{ index: 0, message, finish_reason: 'stop' }] };
  const { status, body } = await removedDuring(`/agents/${agentId}/playground`, trying, completion);
  expect([status, body['code']]).toEqual([404, 'organization_not_found']);
});
