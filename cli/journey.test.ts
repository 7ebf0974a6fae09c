import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts';
import { BUILT, freePort } from '../test/program.ts';
import { type Site, sitePage, startSite } from '../test/fakes/site.ts';
import { errorOf, runCli } from './testing/run-cli.ts';

/** The test walks through many steps, which take 20 s, or 45 s on a busy machine. */
const LONG_MS = 90_000;

/**
 * The main workflow of the command line, run as a process against the complete program. Each step uses the result of
 * the previous one.
 */
const OWNER = { email: 'owner@example.qa', password: 'correct horse battery' };
let database: TestDatabase;
let folder: string;
let server: ChildProcess;
let site: Site;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite();
  folder = mkdtempSync(path.join(tmpdir(), 'parley-journey-'));
  server = spawn(process.execPath, [BUILT, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: database.url,
      PARLEY_SECRET: randomBytes(36).toString('base64url'),
      PARLEY_OWNER_EMAIL: OWNER.email,
      PARLEY_OWNER_PASSWORD: OWNER.password,
      PARLEY_DEMO: '0',
      PARLEY_EGRESS_ALLOW: '127.0.0.1',
      PORT: String(await freePort()),
      LOG_LEVEL: 'warn',
    },
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const look = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /ready at (\S+)/.exec(output);
      if (found) resolve(found[1]!);
    };
    server.stdout!.on('data', look);
    server.stderr!.on('data', look);
    server.once('exit', () => reject(new Error(output)));
  });
  env = { PARLEY_URL: url, PARLEY_CONFIG_DIR: folder };
  const login = await runCli(['login', '--email', OWNER.email, '--password-stdin'], env, `${OWNER.password}\n`);
  if (login.code !== 0) throw new Error(login.stderr);
});
afterAll(async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  await database.drop();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

// oxlint-disable-next-line typescript/no-explicit-any -- what a script sees: JSON of any shape
type Made = Record<string, any>;

const words = (text: string): string[] => text.split(' ');

async function parley(...args: string[]): Promise<Made> {
  const { code, stdout, stderr } = await runCli(args, env);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as Made;
}

const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

test('the commands lead from an empty database to an answer and a revoked key', { timeout: LONG_MS }, async () => {
  expect(await parley('whoami')).toMatchObject({ user: { email: OWNER.email }, operator: true });
  const agent = await parley('agents', 'create', '--name', 'Concierge');
  const opening = file('agent.json', '{"opening":{"default":"Hello about {{order_id}}"}}');
  expect(await parley('agents', 'update', agent['id'], '--file', opening)).toMatchObject({
    published: { opening: { default: 'Hello about {{order_id}}' } },
  });
  const shown = file('shown.json', JSON.stringify(await parley('agents', 'show', agent['id'])));
  expect(await parley('agents', 'update', agent['id'], '--file', shown)).toMatchObject({ name: 'Concierge' });
  await parley(
    'knowledge',
    'add',
    '--agent',
    agent['id'],
    '--file',
    file('returns.md', 'Returns are free for 30 days.\n'),
  );

  site.pages.set('/help/', sitePage('Help', 'We pack each order twice.', ['/help/gone']));
  const read = await parley('sites', 'add', `${site.url}/help/`, '--agent', agent['id'], '--wait');
  expect(read).toMatchObject({ state: 'done', schedule: 'never', pages: { known: 2, read: 1, faults: 1 } });
  const ofSite = [read['id'], '--agent', agent['id']];
  expect((await parley('sites', 'pages', ...ofSite, '--state', 'fault'))['data']).toMatchObject([
    { url: `${site.url}/help/gone`, fault: { code: 'not_found' } },
  ]);
  const daily = await parley('sites', 'update', ...ofSite, '--schedule', 'daily', '--max-pages', '5');
  expect(daily).toMatchObject({ schedule: 'daily', max_pages: 5 });
  expect(errorOf(await runCli(['sites', 'update', ...ofSite], env)).code).toBe('usage_invalid');
  expect(await parley('sites', 'sync', ...ofSite, '--wait')).toMatchObject({ state: 'done' });
  expect(errorOf(await runCli(['sites', 'stop', ...ofSite], env)).code).toBe('source_not_running');
  expect((await parley('sites', 'list', '--agent', agent['id']))['data']).toMatchObject([{ id: read['id'] }]);
  await parley('sites', 'remove', ...ofSite, '--yes');
  expect((await parley('knowledge', 'list', '--agent', agent['id']))['data']).toHaveLength(1);

  const variables = '[{"name":"order_id","type":"string","required":true}]';
  const trigger = await parley(
    'triggers',
    'create',
    '--agent',
    agent['id'],
    '--name',
    'Order',
    '--variables',
    variables,
  );
  const key = await parley(
    ...words(`keys create --label CRM --scope agent --agent ${agent['id']} --permissions triggers`),
  );
  expect(Object.keys(key)).toHaveLength(10);
  expect((await parley('keys', 'list'))['data']).toMatchObject([{ id: key['id'], last_used: 'Never' }]);

  env['PARLEY_API_KEY'] = key['value'];
  const call = ['trigger', agent['id'], trigger['id'], '--variables', '{"order_id":"A-1043"}'];
  const run = await parley(...call, '--wait', '20');
  expect(run['messages']).toMatchObject([{ role: 'agent', content: { text: 'Hello about A-1043' } }]);
  const turn = await parley('conversations', 'say', run['conversation_id'], '--text', 'How long are returns free?');
  expect(turn['messages'][0].sources).toMatchObject([{ document: 'returns.md' }]);
  expect((await parley('conversations', 'show', run['conversation_id']))['messages']).toHaveLength(3);

  const issued = await parley(
    ...words(`client-tokens create --agent ${agent['id']} --trigger ${trigger['id']} --external-id crm-7`),
    ...words('--origins https://shop.example,http://localhost:3000 --key order-7 --expires-in 120'),
  );
  const answered = await fetch(`${env['PARLEY_URL']}/api/triggers/${agent['id']}/${trigger['id']}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${issued['token']}`, origin: 'http://localhost:3000' },
  });
  expect([answered.status, await answered.json()]).toMatchObject([
    422,
    { errors: [{ pointer: '/variables/order_id' }] },
  ]);
  expect(Date.parse(issued['expires_at']) - Date.now()).toBeLessThan(120_000);
  const elsewhere = ['--external-id', 'crm-7', '--origins', 'http://shop.example'];
  const refused = await runCli(
    [...words(`client-tokens create --agent ${agent['id']} --trigger ${trigger['id']}`), ...elsewhere],
    env,
  );
  expect(errorOf(refused).code).toBe('validation_failed');

  const revoked = await parley('keys', 'revoke', key['id'], '--yes');
  expect(revoked).toMatchObject({ state: 'revoked', last_used: expect.stringMatching(/^20/) });
  expect(errorOf(await runCli(call, env)).code).toBe('key_revoked');
  delete env['PARLEY_API_KEY'];
  const tested = await parley(...call, '--wait', '20');
  expect([tested['status'], tested['messages'].length]).toEqual(['waiting_for_user', 1]);

  const bound = await parley(
    ...words('keys create --label Office --scope organization --permissions triggers --networks 10.0.0.0/8,::1'),
  );
  expect(bound['allowed_networks']).toEqual(['10.0.0.0/8', '::1/128']);
  const narrowed = await parley('keys', 'networks', bound['id'] as string, '--set', '10.1.2.3');
  expect(narrowed['allowed_networks']).toEqual(['10.1.2.3/32']);

  const limits = '{"total":2,"per_minute":60}';
  const limited = await parley(
    ...words('keys create --label Trial --scope organization --permissions triggers --limits'),
    limits,
  );
  expect(limited).toMatchObject({ limits: { total: 2, per_minute: 60 }, remaining: 2 });
  env['PARLEY_API_KEY'] = limited['value'];
  expect((await parley(...call))['status']).toBe('queued');
  expect((await parley('keys', 'list'))['data'][0]).toMatchObject({ label: 'Trial', remaining: 1 });
  const lowered = await parley('keys', 'limits', limited['id'] as string, '--set', '{"total":1}');
  expect(lowered).toMatchObject({ limits: { total: 1, per_minute: 60 }, remaining: 0 });
  expect(errorOf(await runCli(call, env)).code).toBe('key_used_up');
  delete env['PARLEY_API_KEY'];
  const raised = await runCli(['keys', 'limits', limited['id'] as string, '--set', '{"total":9}'], env);
  expect(errorOf(raised).code).toBe('validation_failed');
});

test('a program with an access token can do what the token permits, and a refusal names the missing verb', async () => {
  const agent = await parley('agents', 'create', '--name', 'Piped');
  const token = await parley(
    ...words(`tokens create --label CI --verbs read,push --agents ${agent['id']} --expires 30`),
  );
  expect(token).toMatchObject({ kind: 'person', verbs: ['read', 'push'], agent_ids: [agent['id']] });
  // There is no session and no folder, as in CI.
  const ci = { PARLEY_URL: env['PARLEY_URL']!, PARLEY_TOKEN: token['value'] as string };
  const show = await runCli(['agents', 'show', agent['id'] as string], ci);
  expect(JSON.parse(show.stdout)).toMatchObject({ name: 'Piped' });
  expect(JSON.parse((await runCli(['whoami'], ci)).stdout)).toMatchObject({ token: { label: 'CI' } });
  const draft = path.join(folder, 'draft.json');
  writeFileSync(draft, JSON.stringify({ definition: JSON.parse(show.stdout).definition }));
  const update = ['agents', 'update', agent['id'] as string, '--file', draft];
  expect((await runCli([...update, '--draft'], ci)).code).toBe(0);
  for (const [args, code] of [
    [update, 'token_too_narrow'],
    [['agents', 'list'], 'token_too_narrow'],
    [['keys', 'list'], 'token_not_accepted'],
    [['tokens', 'list'], 'token_not_accepted'],
    [['end-users', 'list'], 'token_not_accepted'],
  ] as const) {
    const ended = await runCli([...args], ci);
    expect({ args, code: errorOf(ended).code, exit: ended.code }).toEqual({ args, code, exit: 4 });
  }
  expect((await parley('tokens', 'list'))['data']).toMatchObject([{ id: token['id'], state: 'active' }]);
  expect(await parley('tokens', 'revoke', token['id'] as string, '--yes')).toMatchObject({ state: 'revoked' });
  const after = await runCli(['agents', 'show', agent['id'] as string], ci);
  expect([errorOf(after).code, after.code]).toEqual(['token_revoked', 3]);
  expect(await parley('agents', 'delete', agent['id'] as string, '--yes')).toMatchObject({ deleted: true });
});

test('the commands manage campaigns, channels and organizations', { tags: ['long'] }, async () => {
  const agent = await parley('agents', 'create', '--name', 'Sales');
  const channel = await parley('channels', 'connect', '--agent', agent['id'], '--kind', 'sandbox', '--name', 'Trial');
  const campaign = await parley(
    ...words(`campaigns create --agent ${agent['id']} --channel ${channel['id']} --name Offers`),
  );
  const opening = { text: { default: 'Use {{code}}' } };
  const settings = { opening, quiet_hours: { from: '21:00', to: '08:00' }, per_minute: 600 };
  const file = path.join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  expect(await parley('campaigns', 'update', campaign['id'], '--file', file)).toMatchObject({ settings });
  const replies = path.join(folder, 'replies.json');
  writeFileSync(replies, JSON.stringify([{ text: 'stop', after_minutes: 5, percent: 10 }]));
  const report = path.join(folder, 'report.csv');
  expect(
    await parley(
      ...words(`campaigns rehearse ${campaign['id']} --made-up 200 --zones Asia/Qatar,Europe/London`),
      '--replies',
      replies,
      '--rows',
      report,
    ),
  ).toMatchObject({ sent: 200, replied: expect.closeTo(20, -1) as number });
  expect(readFileSync(report, 'utf8').split('\r\n')).toHaveLength(202);
  expect(await parley('campaigns', 'review', campaign['id'])).toMatchObject({ waiting: 0 });
  expect(await parley('campaigns', 'audience', campaign['id'], '--tag', 'none', '--dry-run')).toMatchObject({
    accepted: 0,
  });
  expect(
    await parley('campaigns', 'test', campaign['id'], '--address', 'me', '--variables', '{"code":"1"}'),
  ).toMatchObject({ status: 'delivered' });
  expect(await parley('campaigns', 'start', campaign['id'])).toMatchObject({ state: 'live' });
  expect(await parley('campaigns', 'audience', campaign['id'], '--tag', 'none')).toMatchObject({
    state: 'done',
    accepted: 0,
    finished_at: expect.any(String),
  });
  const key = await parley('keys', 'create', '--label', 'Push', '--scope', 'campaign', '--campaign', campaign['id']);
  expect(key).toMatchObject({ permissions: ['campaigns'], campaign_id: campaign['id'] });
  const pushed = await fetch(`${env['PARLEY_URL']}/api/campaigns/${campaign['id']}/recipients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key['value']}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      recipients: ['a', 'b'].map((ref) => ({
        end_user: { external_id: ref },
        ref,
        send_at: new Date(Date.now() + 86_400_000).toISOString(),
      })),
    }),
  });
  expect(pushed.status).toBe(202);
  const { data } = await parley('campaigns', 'recipients', campaign['id'], '--status', 'pending', '--ref', 'b');
  expect(data).toMatchObject([{ ref: 'b', status: 'pending' }]);
  const { stdout } = await runCli(['campaigns', 'export-recipients', campaign['id'], '--ref', 'b'], env);
  expect(stdout).toMatch(/^\uFEFFrecipient_id,.*\r\n\w+,b,b,b,pending,.*\r\n$/);
  const cancelled = await parley('campaigns', 'cancel-recipient', campaign['id'], data[0].id);
  expect(cancelled).toMatchObject({ ref: 'b', status: 'cancelled' });
  for (const [move, state] of [
    ['pause', 'paused'],
    ['resume', 'live'],
  ] as const)
    expect(await parley('campaigns', move, campaign['id'])).toMatchObject({ state });
  expect(await parley('campaigns', 'end', campaign['id'], '--yes')).toMatchObject({ state: 'ended' });
  expect(await parley('campaigns', 'show', campaign['id'])).toMatchObject({ counts: { cancelled: 1 }, total: 2 });
  expect(await parley('campaigns', 'update', campaign['id'], '--name', 'Winter offers')).toMatchObject({
    name: 'Winter offers',
    settings,
  });
  expect(await parley('campaigns', 'delete', campaign['id'], '--yes')).toEqual({ id: campaign['id'], deleted: true });
  expect(errorOf(await runCli(['campaigns', 'show', campaign['id']], env)).code).toBe('campaign_not_found');
  const other = await parley('orgs', 'create', '--name', 'Other', '--plan', 'paid');
  expect(other).toMatchObject({ plan: 'paid' });
  expect(errorOf(await runCli(['agents', 'list'], env)).code).toBe('organization_ambiguous');
  expect(await parley('agents', 'list', '--org', other['id'])).toEqual({ data: [] });
  const { data: everything } = (await parley('orgs', 'list', '--installation')) as { data: { id: string }[] };
  expect(everything.map(({ id }) => id)).toContain(other['id']);
  expect(await parley('orgs', 'plan', other['id'], 'free')).toMatchObject({ plan: 'free' });
});

test('the doctor finds no problem, and the session file contains no password', async () => {
  const { ok, checks } = await parley('doctor');
  // The test's server uses another database.
  expect(checks.filter((check: { status: string }) => check.status !== 'ok')).toEqual([
    { name: 'database', status: 'skipped', detail: 'The embedded database does not run in this DATA_DIR.' },
  ]);
  expect(ok).toBe(true);
  expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).not.toContain(OWNER.password);
});
