import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownFile } from '../src/kernel/own-files.ts';
import { startTestApp, type TestApp } from '../test/app.ts';
import { type FakeModel, FAKE_MODEL_KEY, startFakeModel } from '../test/fakes/model.ts';
import { signedInOwner, type SignedIn } from '../test/signed-in.ts';
import { errorOf, runCli } from './testing/run-cli.ts';

/** Tests the exit codes of `agents test` and the reports for a server for continuous integration. */
let parley: TestApp;
let model: FakeModel;
let call: SignedIn;
let at: string;
let agent: string;
let folder: string;
let env: Record<string, string>;

const DEFINITION = { provider: 'openai_compatible', model: 'm', instructions: 'Be brief.' };
const SUITE = `cases:
  - name: Greets & <greets>
    turns:
      - say: Hi there
        expect: { says: Hello }
  - name: Opening hours
    turns:
      - say: When do you open?
        expect: { says: '9:00' }
  - name: Thanks
    turns:
      - say: Thank you
        expect: { says: welcome }
`;

beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const owner = await signedInOwner(parley);
  call = owner.call;
  at = `/organizations/${owner.orgId}`;
  model = await startFakeModel();
  await call(`PUT ${at}/models/openai_compatible`, {
    base_url: model.baseUrl('openai_compatible'),
    key: FAKE_MODEL_KEY,
  });
  agent = (await call(`POST ${at}/agents`, { name: 'Doha Books', definition: DEFINITION })).body.id;
  const body = { label: 'CI', verbs: ['read', 'test'], agent_ids: [agent] };
  const token = (await call(`POST ${at}/access-tokens`, body)).body.value as string;
  env = { PARLEY_URL: parley.url, PARLEY_TOKEN: token };
  folder = mkdtempSync(path.join(tmpdir(), 'parley-agent-test-runs-'));
  writeFileSync(path.join(folder, 'suite.yaml'), SUITE);
});
afterEach(() => model.script());
afterAll(async () => {
  await model?.close();
  await parley?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => path.join(folder, name);
const tests = (args: string[], more: Record<string, string> = {}) =>
  runCli(['agents', 'test', agent, '--file', file('suite.yaml'), ...args], { ...env, ...more });
const GOOD = [{ text: 'Hello.' }, { text: 'At 9:00.' }, { text: 'You are welcome.' }];

test('a test run prints text to a pipe and JSON with --json, and writes a report with names and times', async () => {
  model.script(...GOOD);
  const text = await tests(['--junit', file('report.xml')]);
  expect(text).toEqual({
    code: 0,
    stderr: '',
    stdout: 'ok     Greets & <greets>\nok     Opening hours\nok     Thanks\n3 tests passed.\n',
  });
  const report = readFileSync(file('report.xml'), 'utf8');
  expect(report).toMatch(
    /<testsuite name="Doha Books" tests="3" failures="0" errors="0" skipped="0" time="\d+\.\d{3}"/,
  );
  expect(report).toMatch(/timestamp="\d{4}-\d\d-\d\dT/);
  expect(report).toMatch(/<testcase classname="Doha Books" name="Greets &amp; &lt;greets&gt;" time="\d+\.\d{3}">/);
  expect(report).toContain('<system-out>Person: When do you open?\nAgent: At 9:00.</system-out>');
  model.script(...GOOD);
  const json = await tests(['--json']);
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).passed),
  ).toEqual([true, true, true]);
});

test('a failed call is repeated once; a second failure fails the case but does not stop the run', async () => {
  model.script({ status: 500 }, ...GOOD);
  expect(await tests([])).toMatchObject({ code: 0 });
  model.script(GOOD[0]!, { status: 500 }, { status: 500 }, GOOD[2]!);
  const failed = await tests(['--junit', file('report.xml')]);
  expect(failed.code).toBe(5);
  expect(failed.stdout).toMatch(/^ok .*\nERROR {2}Opening hours\n {9}\S.*\nok {5}Thanks\n/);
  expect(failed.stderr).toBe('Error: 1 of 3 tests failed. (tests_failed)\n');
  const report = readFileSync(file('report.xml'), 'utf8');
  expect(report).toContain('tests="3" failures="0" errors="1" skipped="0"');
  expect(report).toMatch(/name="Opening hours"[^>]*>\n\s+<error type="provider_failed" message="/);
});

test('a test run opens the path of the report before the first case, and writes the report when the run stops', async () => {
  const before = model.calls.length;
  const closed = await tests(['--junit', path.join(folder, 'none', 'report.xml')]);
  expect([closed.code, closed.stderr]).toEqual([1, expect.stringContaining('cannot be written (ENOENT)')]);
  expect(model.calls.length).toBe(before);
  const stopped = await tests(['--junit', file('stopped.xml')], { PARLEY_TOKEN: 'parley_token_us_x' });
  expect(stopped.code).toBe(3);
  expect(readFileSync(file('stopped.xml'), 'utf8')).toMatch(/errors="1"[^]*name="The run stopped"[^]*token_invalid/);
});

test('an invalid file is refused before the first case, with the name of the invalid case', async () => {
  const before = model.calls.length;
  writeFileSync(file('wrong.yaml'), SUITE.replace('says: welcome', 'say: welcome').replace('Opening hours', 'Thanks'));
  const refused = await runCli(['agents', 'test', agent, '--file', file('wrong.yaml'), '--json'], env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(errorOf(refused)).toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('Case "Thanks", /cases/2/turns/0/expect'),
  });
  writeFileSync(file('twice.yaml'), SUITE.replace('Opening hours', 'Thanks'));
  const twice = await runCli(['agents', 'test', agent, '--file', file('twice.yaml'), '--json'], env);
  expect(errorOf(twice).message).toContain('Case "Thanks", /cases/2/name: Another case has this name.');
  expect(model.calls.length).toBe(before);
});

test('--only runs the named cases, and the recordings of the other cases stay', async () => {
  model.script(...GOOD);
  expect(await tests(['--record', file('recorded.json')])).toMatchObject({ code: 0 });
  const recorded = readFileSync(file('recorded.json'), 'utf8');
  model.script(GOOD[1]!);
  const one = await tests(['--only', 'OPENING', '--record', file('recorded.json')]);
  expect(one).toMatchObject({ code: 0, stdout: 'ok     Opening hours\n1 tests passed.\n' });
  const after = JSON.parse(readFileSync(file('recorded.json'), 'utf8')).cases;
  const before = JSON.parse(recorded).cases;
  expect(Object.keys(after)).toEqual(Object.keys(before));
  expect(after.Thanks).toEqual(before.Thanks);
  const none = await tests(['--only', 'nothing', '--json']);
  expect(errorOf(none)).toEqual({ code: 'usage_invalid', message: 'No case has this text in its name: nothing.' });
});

test('a token that cannot push tests a definition from a file, and the draft does not change', async () => {
  const definition = { ...DEFINITION, instructions: 'Be formal.' };
  writeFileSync(file('agent.json'), JSON.stringify(definition));
  model.script(...GOOD);
  expect(await tests(['--definition', file('agent.json')])).toMatchObject({ code: 0 });
  expect(JSON.stringify(model.calls.at(-1)!.body)).toContain('Be formal.');
  const { body } = await call(`GET ${at}/agents/${agent}`);
  expect([body.definition.instructions, body.unpublished_changes]).toEqual(['Be brief.', false]);
  writeFileSync(
    file('agent.json'),
    JSON.stringify({ ...definition, rules: [{ name: 'x', words: ['a'], action: 'start_steps' }] }),
  );
  const refused = await tests(['--definition', file('agent.json'), '--json']);
  expect(errorOf(refused).message).toContain('/definition/rules/0/action: There are no steps to start.');
  const both = await tests(['--definition', file('agent.json'), '--version', '1', '--json']);
  expect(errorOf(both).message).toBe('Use either --version or --definition.');
});

test('a test run shows a failed case at its line in a GitHub Actions job', async () => {
  model.script(GOOD[0]!, { text: 'At 10:00,\n100% sure.' }, GOOD[2]!);
  const { stdout } = await tests([], { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder });
  const line = stdout.split('\n').find((one) => one.startsWith('::error '));
  expect(line).toMatch(/^::error file=suite\.yaml,line=6,title=Opening hours::turn 1, says: expected .*100%25 sure/);
});

test('a test run keeps its exit code if the reader closes the pipe early', async () => {
  model.script({ text: 'No.' }, { text: 'No.' }, { text: 'No.' });
  const { PATH } = process.env;
  const child = spawn(
    process.execPath,
    [ownFile('dist/parley.js'), 'agents', 'test', agent, '--file', file('suite.yaml'), '--junit', file('epipe.xml')],
    { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(5);
  expect(existsSync(file('epipe.xml')) && readFileSync(file('epipe.xml'), 'utf8')).toContain('failures="3"');
});
