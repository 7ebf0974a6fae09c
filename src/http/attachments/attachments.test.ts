import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { givenOwner, type Owner } from '../../../test/owner.ts';
import { forgetLooseAttachments } from '../../store/attachments/attachments.ts';

const SHOP = 'https://shop.example';
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(600_000, 7)]);

let parley: TestApp;
let owner: Owner;
let agentId: string;
let channelId: string;

beforeAll(async () => {
  parley = await startTestApp();
  owner = await givenOwner(parley);
  ({ agentId } = await givenAgent(parley.db, owner.orgId));
  channelId = await webChat();
});
afterAll(() => parley.stop());

const webChat = (settings: object = {}) =>
  givenChannel(parley.db, owner.orgId, agentId, {
    kind: 'web_chat',
    settings: { allowed_origins: [SHOP], ...settings },
    secrets: { secret: 's' },
    sealingKey: parley.secrets.sealingKey,
  });
const post = async (path: string, bytes: Uint8Array, headers: Record<string, string>) => {
  const type = { 'content-type': 'application/octet-stream' };
  const answer = await fetch(parley.url + path, { method: 'POST', headers: { ...type, ...headers }, body: bytes });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  return { status: answer.status, body: (await answer.json()) as any };
};
const conversation = async () => (await givenConversation(parley.db, owner.orgId, channelId, { status: 'open' })).id;
const send = (id: string, name: string, bytes: Uint8Array) =>
  post(
    `/dashboard/api/organizations/${owner.orgId}/conversations/${id}/files?name=${encodeURIComponent(name)}`,
    bytes,
    { cookie: owner.cookie },
  );
const urlOf = ({ body }: { body: { content: { url: string } } }): string =>
  parley.url + new URL(body.content.url).pathname;
const read = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(url, { headers, method });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const storedFiles = async () => (await parley.db.$client.query('SELECT id, message_id FROM attachment')).rows;

const visitor = async (id = channelId) => {
  const opened = await parley.call('POST', `/chat/${id}/sessions`, { body: {}, headers: { origin: SHOP } });
  return { origin: SHOP, authorization: `Bearer ${opened.body.token as string}` };
};
const say = (
  headers: Record<string, string>,
  bytes: Uint8Array,
  { id = channelId, name = randomUUID() }: { id?: string; name?: string } = {},
) => post(`/chat/${id}/files?client_id=${name}&name=photo.png`, bytes, headers);

describe('a file of a member', () => {
  test('a file is a separate message, which only people with its URL can read', async () => {
    const id = await conversation();
    const sent = await send(id, 'C:\\photos\\A \u202Egnp\u061C.exe', PNG);
    expect(sent).toMatchObject({ status: 201, body: { role: 'member', content: { type: 'image' } } });
    const got = await read(urlOf(sent));
    expect(got.bytes.equals(PNG)).toBe(true);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="A gnp.exe"; filename*=UTF-8''A%20gnp.exe`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const part = await read(urlOf(sent), { range: 'bytes=2-599999' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-599999/${PNG.length}`]);
    expect(part.bytes.equals(PNG.subarray(2, 600_000))).toBe(true);
    expect((await read(urlOf(sent), { range: 'bytes=-5' })).bytes).toHaveLength(5);
    expect((await read(urlOf(sent), { 'if-none-match': got.headers.get('etag')! })).status).toBe(304);
    const head = await read(urlOf(sent), {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(PNG.length), 0]);

    const [, , org, file, token] = new URL(urlOf(sent)).pathname.split('/') as [string, string, string, string, string];
    const other = await givenOrganization(parley.db);
    for (const path of [`${org}/${file}/${'A'.repeat(32)}/a`, `${other}/${file}/${token}/a`, `${org}/x/${token}/a`])
      expect((await read(`${parley.url}/attachments/${path}`)).status).toBe(404);
  });

  test.each([
    ['a page', '<html><script>alert(1)</script>', 'page.html'],
    ['a drawing with a script', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'logo.svg'],
    ['a page that is called a picture', '<!doctype html><img src=x onerror=alert(1)>', 'photo.png'],
  ])('the type %s can only be downloaded and is never shown', async (_what, text, name) => {
    const sent = await send(await conversation(), name, Buffer.from(text));
    expect(sent.body.content).toMatchObject({ type: 'file', name });
    const { headers } = await read(urlOf(sent));
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment; /);
  });

  test('a file that cannot be accepted leaves nothing', async () => {
    const id = await conversation();
    const before = await storedFiles();
    expect(await send(id, 'a', Buffer.alloc(0))).toMatchObject({ status: 400, body: { code: 'body_invalid' } });
    expect((await send(id, 'a', Buffer.alloc(10 * 1024 * 1024 + 1))).status).toBe(413);
    const none = 'conv_01k8v3m9e5f7rsm6z4n0q2x1ab';
    expect(await send(none, 'a', PNG)).toMatchObject({ status: 404, body: { code: 'conversation_not_found' } });
    expect(await storedFiles()).toEqual(before);
  });

  test('a file is deleted with the person who is erased', async () => {
    const id = await conversation();
    const sent = await send(id, 'a.png', PNG);
    const { body } = await owner.call(`GET /conversations/${id}`);
    expect((await owner.call(`DELETE /end-users/${body.end_user.id}`)).status).toBe(204);
    expect((await read(urlOf(sent))).status).toBe(404);
    const { rows } = await parley.db.$client.query('SELECT 1 FROM attachment WHERE message_id = $1', [sent.body.id]);
    expect(rows).toEqual([]);
  });
});

describe('a file of a visitor', () => {
  test('a file is stored once, however often it is sent, and the agent learns of it', async () => {
    const from = await visitor();
    const name = randomUUID();
    const first = await say(from, PNG, { name });
    expect(first).toMatchObject({ status: 201, body: { message: { client_id: name, content: { type: 'image' } } } });
    const again = await say(from, PNG, { name });
    expect(again.body.message).toEqual(first.body.message);
    expect((await storedFiles()).filter((one) => one.message_id === first.body.message.id)).toHaveLength(1);
    expect((await read(urlOf({ body: first.body.message }))).bytes.equals(PNG)).toBe(true);
    await expect
      .poll(async () => (await parley.call('GET', `/chat/${channelId}/messages`, { headers: from })).body.data.length)
      .toBeGreaterThan(1);
  });

  test('a file is refused if the chat accepts no files, or if no visitor is identified', async () => {
    const id = await webChat({ files: false });
    expect(await say(await visitor(id), PNG, { id })).toMatchObject({
      status: 422,
      body: { code: 'content_unsupported' },
    });
    expect((await say({ origin: SHOP }, PNG)).status).toBe(401);
    expect((await say({ ...(await visitor()), origin: 'https://other.example' }, PNG)).status).toBe(403);
  });

  test('the limit of a visitor stops a flood of files', async () => {
    const from = await visitor();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await say(from, Buffer.from('GIF89a'))).status);
    expect(new Set(statuses.slice(0, 10))).toEqual(new Set([201]));
    expect(statuses.at(-1)).toBe(429);
  });

  test('another process attaches the file of a killed process, and a file without a message is deleted', async () => {
    const from = await visitor();
    const { body } = await say(from, PNG);
    await parley.db.$client.query(
      "UPDATE attachment SET message_id = NULL, created_at = now() - interval '2 hours' WHERE message_id = $1",
      [body.message.id],
    );
    await parley.db.$client.query(
      `INSERT INTO attachment (org_id, id, token, provider_message_id, name, type, size, hash, created_at)
        VALUES ($1, 'attachment_lost', 't', 'visitor_x:y', 'n', 't', 1, 'h', now() - interval '2 hours'),
          ($1, 'attachment_new', 't', 'visitor_x:y', 'n', 't', 1, 'h', now())`,
      [owner.orgId],
    );
    expect(await forgetLooseAttachments(parley.db.$client, 100)).toBe(1);
    const left = await storedFiles();
    expect(left.filter((one) => one.message_id === body.message.id)).toHaveLength(1);
    expect(left.map(({ id }) => id)).toContain('attachment_new');
    expect(left.map(({ id }) => id)).not.toContain('attachment_lost');
  });
});

const filled = (gigabytes: number) =>
  parley.db.$client.query(
    `INSERT INTO attachment (org_id, id, token, name, type, size, hash)
      SELECT $1, 'attachment_' || n, 't', 'n', 't', 1024 * 1024 * 1024, 'h' FROM generate_series(1, $2::int) n
      ON CONFLICT DO NOTHING`,
    [owner.orgId, gigabytes],
  );

test('visitors can use only a part of the storage limit of an organization', async () => {
  const id = await conversation();
  await filled(8);
  expect(await say(await visitor(), PNG)).toMatchObject({ status: 409, body: { code: 'attachments_full' } });
  expect(await send(id, 'a.png', PNG)).toMatchObject({ status: 201 });
  await filled(10);
  expect(await send(id, 'a.png', PNG)).toMatchObject({ status: 409, body: { code: 'attachments_full' } });
});
