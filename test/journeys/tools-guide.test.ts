import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '../../src/kernel/standard-webhooks.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { givenOwner, type Owner } from '../owner.ts';
import { freePort } from '../program.ts';

/** The receiver from docs/tools.md, unchanged, called by the worker and by a forger. */
const [, RECEIVER] = /```js\n(\/\/ receiver\.mjs\n[^]*?)```/.exec(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/tools.md'), 'utf8'),
)!;

let parley: TestApp;
let owner: Owner;
let model: FakeModel;
let folder: string;
let receiver: ChildProcess | undefined;
let url: string;

beforeAll(async () => {
  model = await startFakeModel();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  folder = mkdtempSync(path.join(tmpdir(), 'parley-receiver-'));
  writeFileSync(path.join(folder, 'receiver.mjs'), RECEIVER!);
});
afterAll(async () => {
  receiver?.kill();
  await parley.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(secret: string, port: number): Promise<void> {
  const env = { PATH: process.env['PATH'], TOOL_SECRET: secret, PORT: String(port) };
  receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env, stdio: 'inherit' });
  const status = () => fetch(url, { method: 'POST' }).then((answer) => answer.status, String);
  await expect.poll(status, { timeout: 15_000 }).toBe(401);
}

test('the receiver of the guide responds to Parley and to no other caller', async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/tools`;
  const account = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  await owner.call('PUT /models/openai_compatible', account);
  const parameters = { type: 'object', properties: { order_id: { type: 'string' } } };
  const tools = [{ name: 'order_status', description: 'Looks an order up.', parameters, url, read_only: true }];
  const { agentId } = await givenAgent(parley.db, owner.orgId, {
    definition: { provider: 'openai_compatible', model: 'local', tools },
  });
  const made = await owner.call(`POST /agents/${agentId}/tool-secrets`, { tool: 'order_status', url });
  await start(made.body.secret, port);

  const triggerId = await givenTrigger(parley.db, owner.orgId, agentId);
  model.script({ tool: 'order_status', args: { order_id: 'A-1043' } }, { text: 'It has shipped.' });
  const { value: key } = await parley.key(owner.orgId);
  const { body: run } = await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, {
    key,
    body: { end_user: { external_id: 'crm-7' }, message: 'Where is my order?' },
    headers: { prefer: 'wait=15' },
  });
  expect(run.messages[0].content.text).toBe('It has shipped.');
  const read = JSON.stringify(model.calls.at(-1)!.body.messages.at(-1));
  for (const part of ['A-1043', 'crm-7', 'shipped']) expect(read).toContain(part);

  const body = JSON.stringify({ tool: 'order_status', arguments: {}, context: { end_user: {} } });
  const forged = (secret: string, sent: string, at = new Date()) =>
    fetch(url, { method: 'POST', headers: signWebhook(secret, 'one', at, body), body: sent }).then((one) => one.status);
  expect(await forged(made.body.secret, body)).toBe(200);
  expect(await forged(newWebhookSecret(), body)).toBe(401);
  expect(await forged(made.body.secret, body.replace('order_status', 'order_cancel'))).toBe(401);
  expect(await forged(made.body.secret, body, new Date(Date.now() - 600_000))).toBe(401);
});
