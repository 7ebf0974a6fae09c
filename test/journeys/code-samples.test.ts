import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiCall, samplesOf } from '../../contract/code-samples.ts';
import { describePublicApi } from '../../scripts/sdk-types.ts';
import { callOf, endpointsOf } from '../../src/http/docs/reference.ts';
import { newId } from '../../src/kernel/ids.ts';
import { campaign as campaigns } from '../../src/store/schema/campaign.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenApproval, givenOrganization, givenTrigger } from '../factories.ts';

/** Runs the sample of every route in every language against a server, exactly as the reference shows it. */
const ROOT = path.resolve(import.meta.dirname, '..', '..');
const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
/** A response without a body, and a search for a tag that no one has. */
const SILENT = ['eraseEndUser', 'reportLeakedKeys', 'searchEndUsers'];
type Language = (typeof LANGUAGES)[number];
type Case = { id: string; call: ApiCall; key: string };

let app: TestApp;
let folder: string;
const cases = new Map<Language, Case[]>();

beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(path.join(tmpdir(), 'parley-samples-'));
  mkdirSync(path.join(folder, 'node_modules', '@parley'), { recursive: true });
  const sdk = path.join(folder, 'sdk');
  mkdirSync(sdk);
  const manifest = { name: '@parley/sdk', type: 'module', exports: './src/parley.ts' };
  writeFileSync(path.join(sdk, 'package.json'), JSON.stringify(manifest));
  symlinkSync(path.join(ROOT, 'sdk', 'src'), path.join(sdk, 'src'));
  symlinkSync(sdk, path.join(folder, 'node_modules', '@parley', 'sdk'));
  symlinkSync(path.join(ROOT, 'node_modules', 'openai'), path.join(folder, 'node_modules', 'openai'));
  for (const language of LANGUAGES) cases.set(language, await casesOf());
});
afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Each language has its own organization, in which all IDs of the reference exist. */
async function casesOf(): Promise<Case[]> {
  const orgId = await givenOrganization(app.db);
  const { agentId: agent, channelId: channel } = await givenAgent(app.db, orgId);
  const trigger = await givenTrigger(app.db, orgId, agent, {
    variables: [{ name: 'order_id', type: 'string', required: false }],
  });
  const campaign = newId('campaign');
  const row = { orgId, id: campaign, agentId: agent, channelId: channel, name: 'Test', settings: {}, attended: true };
  await app.db.insert(campaigns).values({ ...row, state: 'live' });
  const { value: key } = await app.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const own = await app.key(orgId, { scope: 'campaign', campaignId: campaign, permissions: ['campaigns'] });
  // Events are stored from the first call of their list on.
  await app.call('GET', '/api/events', { key });
  const post = async (at: string, body: object, as = key) => (await app.call('POST', at, { key: as, body })).body;
  const started = await post(`/api/triggers/${agent}/${trigger}`, { end_user: { external_id: 'crm-1', name: 'Asha' } });
  const ended = await post(`/api/triggers/${agent}/${trigger}`, { end_user: { external_id: 'crm-2' } });
  await post(`/api/triggers/${agent}/${trigger}/runs/${ended.id}/cancel`, {});
  const sent = await post(`/api/channels/${agent}/${channel}/messages`, {
    to: { end_user: { external_id: 'crm-1' } },
    content: { type: 'text', text: 'Hello' },
  });
  const people = [{ end_user: { external_id: 'crm-3' }, send_at: new Date(Date.now() + 3_600_000).toISOString() }];
  const pushed = await post(`/api/campaigns/${campaign}/recipients`, { recipients: people }, own.value);
  const found = await app.call('GET', '/api/end-users?external_id=crm-1', { key });
  const person = found.body.data[0].id as string;
  const talks = await app.call('GET', `/api/end-users/${person}/conversations`, { key });
  const { id: erased } = await post('/api/end-users', { external_id: 'crm-4' });
  const ids: Record<string, string> = {
    AGENT_ID: agent,
    TRIGGER_ID: trigger,
    RUN_ID: started.id,
    CAMPAIGN_ID: campaign,
    RECIPIENT_ID: pushed.results[0].recipient_id,
    EXTERNAL_ID: 'crm-42',
    END_USER_ID: person,
    CONVERSATION_ID: talks.body.data[0].id,
    CHANNEL_KIND: 'sms',
    CHANNEL_ID: channel,
    MESSAGE_ID: sent.id,
    APPROVAL_ID: await givenApproval(app.db, orgId, started),
  };
  const other: Record<string, Record<string, string>> = {
    followRun: { RUN_ID: ended.id },
    eraseEndUser: { END_USER_ID: erased },
  };
  // The person of the examples is created before a call mentions them.
  const isFirst = (name: string): boolean => name === 'createEndUser';
  const endpoints = endpointsOf(describePublicApi()).toSorted(
    (a, b) => Number(isFirst(b.operation.operationId)) - Number(isFirst(a.operation.operationId)),
  );
  return endpoints.map((endpoint) => {
    const call = callOf(endpoint);
    const { operationId: id } = endpoint.operation;
    const filled = call.path.replaceAll(/[A-Z_]{2,}/g, (name) => other[id]?.[name] ?? ids[name] ?? name);
    const body = id === 'createCompletion' ? { ...(call.body as object), model: agent } : call.body;
    return {
      id,
      call: { ...call, body, path: filled, ...withIds(call.body, ids) },
      key: filled.startsWith('/api/campaigns') ? own.value : key,
    };
  });
}

/** A body contains well-formed IDs, which do not exist. */
const withIds = (body: unknown, { AGENT_ID: agent, TRIGGER_ID: trigger }: Record<string, string>) =>
  body !== undefined && {
    body: JSON.parse(
      JSON.stringify(body)
        .replaceAll(/\bagent_[0-9a-z]{26}\b/g, agent!)
        .replaceAll(/\btrigger_[0-9a-z]{26}\b/g, trigger!),
    ) as unknown,
  };

const codeOf = (call: ApiCall, language: Language): string =>
  samplesOf(call, app.url).find(({ name }) => name === language)!.code;

const run = promisify(execFile);
/** The output of each case, in order. One process runs all cases. */
async function outputs(
  language: Language,
  program: string,
  ending: string,
  runner: string,
): Promise<Map<string, string>> {
  const at = path.join(folder, language);
  mkdirSync(at);
  const list = cases.get(language)!;
  for (const { id, call } of list) writeFileSync(path.join(at, id + ending), codeOf(call, language));
  const order = path.join(at, 'order.json');
  writeFileSync(order, JSON.stringify(list.map(({ id, key }) => ({ file: path.join(at, id + ending), key }))));
  const file = path.join(at, `all${ending}`);
  writeFileSync(file, runner);
  const { stdout } = await run(program, [file, order], { cwd: at, maxBuffer: 50_000_000 });
  const parts = stdout.split('=====\n').slice(1);
  expect(parts.length).toBe(list.length);
  return new Map(list.map(({ id }, n) => [id, parts[n]!.trim()]));
}

const python = ['python3', 'python'].find((name) => !spawnSync(name, ['--version']).error);

describe('the samples of the reference', () => {
  test('the samples use a method of the client library for every route, with the right types', () => {
    const config = { strict: true, module: 'nodenext', target: 'es2022', noEmit: true, skipLibCheck: true };
    const types = { typeRoots: [path.join(ROOT, 'node_modules', '@types')], types: ['node'] };
    const more = { allowImportingTsExtensions: true, preserveSymlinks: false };
    const at = path.join(folder, 'types');
    mkdirSync(at);
    writeFileSync(
      path.join(at, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...config, ...types, ...more } }),
    );
    for (const { id, call } of cases.get('TypeScript')!) {
      const code = codeOf(call, 'TypeScript');
      expect(code, id).not.toContain('parley.request(');
      writeFileSync(path.join(at, `${id}.mts`), code);
    }
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(spawnSync(process.execPath, [tsc, '-p', at], { encoding: 'utf8' }).stdout).toBe('');
  });

  test('the samples run with curl', async () => {
    const runner = `node -e 'for (const { file, key } of JSON.parse(require("fs").readFileSync(process.argv[1]))) {
      console.log("=====");
      const env = { ...process.env, PARLEY_API_KEY: key };
      console.log(require("child_process").execFileSync("bash", [file], { env, stdio: ["ignore", "pipe", "ignore"] }).toString());
    }' "$1"`;
    for (const [id, output] of await outputs('curl', 'bash', '.sh', runner)) {
      const answer = output.startsWith('{') ? (JSON.parse(output) as { code?: string }) : {};
      expect(answer.code, id).toBeUndefined();
      expect(output !== '' || SILENT.includes(id), id).toBe(true);
    }
  });

  test('the samples run with the client library', async () => {
    const runner = `import { readFileSync } from 'node:fs';
      for (const { file, key } of JSON.parse(readFileSync(process.argv[2]!, 'utf8'))) {
        console.log('=====');
        process.env['PARLEY_API_KEY'] = key;
        await import(file);
      }`;
    const printed = await outputs('TypeScript', process.execPath, '.mts', runner);
    expect([...printed].flatMap(([id, output]) => (output === '' ? id : [])).toSorted()).toEqual(SILENT.toSorted());
  });

  test.skipIf(!python || !process.env['TEST_HTTPX'])('the samples run with Python', async () => {
    const program = ['/usr/bin/python3', python!].find((one) => !spawnSync(one, ['-c', 'import httpx']).status)!;
    const runner = `import json, os, runpy, sys
for one in json.load(open(sys.argv[1])):
    print("=====", flush=True)
    os.environ["PARLEY_API_KEY"] = one["key"]
    runpy.run_path(one["file"])
`;
    for (const [id, output] of await outputs('Python', program, '.py', runner))
      expect(output, id).toMatch(id === 'followRun' ? /^event: run$/m : /^20\d/);
  });

  test.skipIf(!python)('the Python samples are valid Python', () => {
    const texts = cases.get('Python')!.map(({ call }) => codeOf(call, 'Python'));
    const check = 'import ast, json, sys\nprint(len([ast.parse(text) for text in json.load(sys.stdin)]))';
    const parsed = execFileSync(python!, ['-c', check], { input: JSON.stringify(texts) });
    expect(Number(parsed)).toBe(texts.length);
  });
});
