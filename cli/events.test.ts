import { type ChildProcess, spawn } from 'node:child_process';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyWebhook } from '../src/kernel/standard-webhooks.ts';
import { type TestApp, startTestApp } from '../test/app.ts';
import { startReceiver } from '../test/fakes/receiver.ts';
import { BUILT } from '../test/program.ts';
import { signedInOwner, type SignedIn } from '../test/signed-in.ts';

const lines: { route?: string }[] = [];
let parley: TestApp;
let call: SignedIn;
let orgId: string;

beforeAll(async () => {
  parley = await startTestApp({ LOG_LEVEL: 'info' }, { lines });
  ({ call, orgId } = await signedInOwner(parley));
});
afterAll(() => parley?.stop());

type Tail = { child: ChildProcess; lines: () => string[]; stderr: () => string; ended: Promise<number | null> };

function tail(...args: string[]): Tail {
  const env = {
    PATH: process.env['PATH'],
    PARLEY_URL: parley.url,
    PARLEY_EMAIL: 'asha@example.com',
    PARLEY_PASSWORD: 'correct horse battery',
  };
  const child = spawn(process.execPath, [BUILT, 'events', 'tail', ...args], { env });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return {
    child,
    lines: () => out.split('\n').slice(0, -1),
    stderr: () => err,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

const looks = (): number => lines.filter(({ route }) => route?.endsWith('/events')).length;
const watched = async (): Promise<number> =>
  (await parley.db.execute(sql`SELECT 1 FROM event_tail WHERE org_id = ${orgId}`)).rows.length;

test('events tail prints one JSON line per event of the wanted type, and ends cleanly on Ctrl-C', async () => {
  const tailing = tail('--type', 'api_key.created');
  // The first request only sets the start of the stream, so earlier events may be missed.
  await expect.poll(looks).toBeGreaterThan(0);
  expect(await watched()).toBe(1);
  await parley.key(orgId, { permissions: ['triggers'] });
  const { body: key } = await call(`POST /organizations/${orgId}/keys`, {
    label: 'CRM',
    scope: 'organization',
    permissions: ['triggers'],
  });
  await call(`POST /organizations/${orgId}/keys/${key.id}/revoke`);
  await expect.poll(() => tailing.lines().length).toBe(2);
  expect(JSON.parse(tailing.lines()[1]!)).toMatchObject({
    type: 'api_key.created',
    data: { id: key.id, label: 'CRM' },
  });
  tailing.child.kill('SIGINT');
  expect([await tailing.ended, tailing.stderr(), tailing.lines().length]).toEqual([0, '', 2]);
  const { rows } = await parley.db.execute(sql`SELECT count(*)::int AS n FROM session`);
  // The session of this one command has ended. The owner's own session remains.
  expect(rows).toEqual([{ n: 1 }]);
});

test('events tail forwards each event to a local URL, signed like a delivery', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const before = looks();
  const tailing = tail('--type', 'api_key.created', '--forward', `${receiver.url}/webhooks`);
  await expect.poll(looks).toBeGreaterThan(before);
  const { secret } = JSON.parse(
    await expect
      .poll(() => tailing.lines()[0])
      .toBeDefined()
      .then(() => tailing.lines()[0]!),
  );
  receiver.answer = () => ({ status: 500 });
  const key = { label: 'CRM', scope: 'organization', permissions: ['triggers'] };
  for (const label of ['one', 'two']) await call(`POST /organizations/${orgId}/keys`, { ...key, label });
  await expect.poll(() => tailing.lines().length).toBe(3);
  expect(
    tailing
      .lines()
      .slice(1)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { data: { label: 'one' }, forwarded: { status: 500 } },
    { data: { label: 'two' }, forwarded: { status: 500 } },
  ]);
  expect(receiver.calls).toHaveLength(2);
  for (const { headers, body, at, path } of receiver.calls) {
    expect(verifyWebhook(secret, headers as Record<string, string>, body, at)).toBe(true);
    expect(path).toBe('/webhooks');
  }
  tailing.child.kill('SIGINT');
  expect(await tailing.ended).toBe(0);
  for (const wrong of [
    ['--forward', 'localhost:3000'],
    ['--forward', 'http://x', '--secret', 'x'],
    ['--secret', secret],
  ])
    expect(await tail(...wrong).ended).toBe(1);
});

test('events tail lists the known types if the wanted type is unknown', async () => {
  const failed = tail('--type', 'nonsense');
  expect(await failed.ended).toBe(1);
  expect(failed.stderr()).toContain('conversation.started');
});
