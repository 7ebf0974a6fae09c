import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorOf, runCli } from '../cli/testing/run-cli.ts';
import { ownFile } from '../src/kernel/own-files.ts';
import { startTestApp, type TestApp } from './app.ts';
import { packPackage, PATH } from './installed-package.ts';
import { type SignedIn, signedInOwner } from './signed-in.ts';

/**
 * The example repository in its original form. The test copies it into a new git repository with the files of a
 * release, clones it, and runs the steps of its own workflow against a real server.
 */
const run = promisify(execFile);
type Step = { run?: string; if?: string; env?: Record<string, string> };
type Job = { env: Record<string, string>; steps: Step[] };
type Ended = { code: number; stdout: string; stderr: string };

let parley: TestApp;
let call: SignedIn;
let at: string;
let agent: string;
let folder: string;
let shipped: string;
let repository: string;
let values: Record<string, string>;

const git = async (...args: string[]): Promise<void> => {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  await run('git', [...who, ...args], { cwd: repository });
};
const commit = async (): Promise<void> => {
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--message', 'Change');
};

beforeAll(async () => {
  parley = await startTestApp();
  const owner = await signedInOwner(parley);
  call = owner.call;
  at = `/organizations/${owner.orgId}`;
  folder = mkdtempSync(path.join(tmpdir(), 'parley-agent-in-ci-'));
  shipped = path.join(folder, 'shipped');
  cpSync(ownFile('examples/agent-in-ci'), shipped, { recursive: true });
  mkdirSync(path.join(shipped, 'parley'));
  // The files of a release: the package, and SHA256SUMS, which also has lines of other files.
  const file = await packPackage(path.join(shipped, 'parley'));
  const { stdout } = await run('sha256sum', [file], { cwd: path.join(shipped, 'parley') });
  writeFileSync(path.join(shipped, 'parley', 'SHA256SUMS'), `${'0'.repeat(64)}  parley-0.1.0.cdx.json\n${stdout}`);

  const definition = JSON.parse(readFileSync(path.join(shipped, 'agent.json'), 'utf8')) as object;
  agent = (await call(`POST ${at}/agents`, { name: 'Doha Books', definition })).body.id;
  const person = { PARLEY_URL: parley.url, PARLEY_EMAIL: 'asha@example.com', PARLEY_PASSWORD: 'correct horse battery' };
  const document = path.join(shipped, 'documents', 'Opening hours.md');
  const asPerson = (...args: string[]) => runCli(args, person);
  for (const args of [
    ['knowledge', 'add', '--agent', agent, '--file', document, '--name', 'Opening hours'],
    ['agents', 'suite', 'set', agent, '--file', path.join(shipped, 'suite.yaml')],
  ]) {
    const { code, stderr } = await asPerson(...args);
    if (code !== 0) throw new Error(stderr);
  }
  const token = async (...verbs: string[]): Promise<string> =>
    (await call(`POST ${at}/access-tokens`, { label: 'CI', verbs, agent_ids: [agent] })).body.value;
  values = {
    'vars.PARLEY_URL': parley.url,
    'vars.PARLEY_AGENT': agent,
    'secrets.PARLEY_TEST_TOKEN': await token('read', 'test'),
    'secrets.PARLEY_PUBLISH_TOKEN': await token('read', 'test', 'push', 'publish'),
  };
});
afterAll(async () => {
  await parley?.stop();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  repository = mkdtempSync(path.join(folder, 'repository-'));
  cpSync(shipped, repository, { recursive: true });
  await git('init', '--quiet', '--initial-branch', 'main');
  await commit();
});

/** Runs the workflow for an event in a fresh clone, with an empty home and no registry, until a step fails. */
async function workflow(event: 'pull_request' | 'push'): Promise<Ended & { clone: string }> {
  const clone = mkdtempSync(path.join(folder, 'clone-'));
  await run('git', ['clone', '--quiet', repository, clone]);
  const { jobs } = parse(readFileSync(path.join(clone, '.github/workflows/agent.yaml'), 'utf8')) as {
    jobs: { agent: Job };
  };
  const filled = (env: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).map(([name, text]) => [
        name,
        text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_whole, key: string) => values[key]!),
      ]),
    );
  const outcome = { code: 0, stdout: '', stderr: '', clone };
  const HOME = mkdtempSync(path.join(folder, 'home-'));
  for (const step of jobs.agent.steps) {
    if (step.run === undefined || (step.if !== undefined && step.if !== `github.event_name == '${event}'`)) continue;
    const env = {
      PATH,
      HOME,
      npm_config_registry: 'http://127.0.0.1:9',
      ...filled(jobs.agent.env),
      ...filled(step.env),
    };
    const ended = await run('bash', ['-c', step.run], { cwd: clone, env }).then(
      (done) => ({ code: 0, ...done }),
      (error: Ended) => error,
    );
    outcome.stdout += ended.stdout;
    outcome.stderr += ended.stderr;
    outcome.code = ended.code;
    if (ended.code !== 0) break;
  }
  return outcome;
}

const change = (find: string, put: string): void => {
  const file = path.join(repository, 'agent.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(find, put));
};
const report = (clone: string): string => readFileSync(path.join(clone, 'report.xml'), 'utf8');
const live = async (): Promise<string> => (await call(`GET ${at}/agents/${agent}`)).body.published.opening.en;

test('a pull request is checked with the release file, and publishes nothing', async () => {
  change('How can I help?', 'What are you looking for?');
  await commit();
  const ended = await workflow('pull_request');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(report(ended.clone)).toContain('tests="4" failures="0"');
  const { body } = await call(`GET ${at}/agents/${agent}`);
  expect(body).toMatchObject({
    unpublished_changes: false,
    published: { opening: { en: body.definition.opening.en } },
  });
  expect(await live()).toContain('How can I help?');
});

test('a push publishes the agent if the tests pass, and not if one fails', async () => {
  change('How can I help?', 'What are you looking for?');
  await commit();
  expect(await workflow('push')).toMatchObject({ code: 0, stderr: '' });
  expect(await live()).toContain('What are you looking for?');
  change('Welcome to Doha Books', 'Welcome');
  await commit();
  const failed = await workflow('push');
  expect(failed.code).toBe(5);
  expect(report(failed.clone)).toMatch(/failures="1"[^]*turn 1, says: expected/);
  expect(await live()).toContain('Doha Books');
});

test('no step runs from a file with a wrong checksum, without a checksum, or without a release', async () => {
  const sums = path.join(repository, 'parley', 'SHA256SUMS');
  const refused = async (why: RegExp) => {
    await commit();
    const ended = await workflow('pull_request');
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(why);
    expect(existsSync(path.join(ended.clone, '.parley'))).toBe(false);
  };
  const right = readFileSync(sums, 'utf8');
  writeFileSync(sums, right.replace(/^[0-9a-f]{4}(?=.*server)/m, 'abcd'));
  await refused(/parley-server-.*FAILED|did NOT match/s);
  writeFileSync(sums, right.replace(/^.*server.*\n/m, ''));
  await refused(/has no line for parley-server-VERSION\.tgz/);
  writeFileSync(sums, right);
  rmSync(path.join(repository, 'parley', /parley-server\S+/.exec(right)![0]));
  await refused(/set PARLEY_RELEASES/);
  rmSync(path.join(repository, 'parley'), { recursive: true });
  await refused(/Copy SHA256SUMS and parley-server-VERSION\.tgz/);
});

test('a token without the verb publish is refused with a separate exit code', async () => {
  values['secrets.PARLEY_PUBLISH_TOKEN'] = values['secrets.PARLEY_TEST_TOKEN']!;
  const ended = await workflow('push');
  expect(ended.code).toBe(4);
  expect(errorOf(ended).code).toBe('token_too_narrow');
});

/**
 * A bare name in `npx`, or in `npm install` of our package, would run a foreign package that someone published under
 * this name.
 */
test('no script or page resolves a Parley package by its bare name', async () => {
  const { stdout } = await run(
    'git',
    ['ls-files', 'README.md', 'docs', 'examples', 'deploy', 'scripts', 'contract', 'sdk', '.ci'],
    {
      cwd: ownFile('.'),
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  const bare = /\bnpx\s+(?!\.|`)[\w@-]+|\bnpm (?:i|install|exec)\s+(?:-\S+\s+)*@?parley\S*/g;
  const found = stdout
    .trim()
    .split('\n')
    .filter((file) => existsSync(ownFile(file)))
    .flatMap((file) => [...readFileSync(ownFile(file), 'utf8').matchAll(bare)].map(([text]) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
