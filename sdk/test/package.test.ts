import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { PATH, RUNTIMES } from '../../test/installed-package.ts';

/** Builds, packs and installs the package into an empty folder, and runs the examples of the documents in it. */
const ROOT = path.resolve(import.meta.dirname, '..', '..');
const MAX_BYTES = 24_000;
const run = promisify(execFile);
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

let folder: string;
let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-sdk-'));
  const dist = path.join(folder, 'dist');
  await run(process.execPath, [path.join(ROOT, 'scripts', 'bundle-sdk.mjs'), dist], { cwd: ROOT });
  mkdirSync(path.join(folder, 'app'));
  const npm = (...args: string[]) => run('npm', args, { cwd: path.join(folder, 'app'), env: { PATH, HOME: folder } });
  const [{ filename }] = JSON.parse((await npm('pack', '--json', dist)).stdout) as [{ filename: string }];
  await npm('install', '--no-audit', '--no-fund', '--offline', `./${filename}`);

  app = await startTestApp();
  const orgId = await givenOrganization(app.db);
  const { agentId } = await givenAgent(app.db, orgId);
  const { value } = await app.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const TRIGGER = await givenTrigger(app.db, orgId, agentId);
  env = { PATH, HOME: folder, PARLEY_URL: app.url, PARLEY_API_KEY: value, AGENT: agentId, TRIGGER };
});
afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Runtime = readonly [program: string, ...args: string[]];
const program = (...parts: string[]): string => path.join(RUNTIMES ?? '', 'node_modules', ...parts);
const DENO: Runtime = [program('@deno', 'linux-x64-glibc', 'deno'), 'run', '--no-check', '--allow-net', '--allow-env'];
const BUN: Runtime = [program('@oven', 'bun-linux-x64', 'bin', 'bun'), 'run'];

const start = async (file: string, [runtime, ...args]: Runtime = [process.execPath]): Promise<string> =>
  (await run(runtime, [...args, file], { cwd: path.join(folder, 'app'), env: { ...env, NO_COLOR: '1' } })).stdout;

/** Saves each code block of a document under the file name in its first line. */
function save(document: string): string[] {
  return [...read(document).matchAll(/```ts\n\/\/ (\S+\.m[jt]s)\n[^]*?```/g)].map(([block, name]) => {
    writeFileSync(path.join(folder, 'app', name!), block.slice('```ts\n'.length, -'```'.length));
    return name!;
  });
}

describe('the package of the client library', () => {
  test('the package has no dependency, and its types are complete', () => {
    expect(readdirSync(path.join(folder, 'app', 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@parley',
    ]);
    expect(save('docs/sdk.md').length).toBeGreaterThan(6);
    save('README.md');
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = { typeRoots: [path.join(ROOT, 'node_modules', '@types')], types: ['node'] };
    for (const exactOptionalPropertyTypes of [false, true]) {
      const strict = { strict: true, module: 'nodenext', target: 'es2022', exactOptionalPropertyTypes };
      const options = { compilerOptions: { ...strict, ...types, outDir: 'compiled' } };
      writeFileSync(path.join(folder, 'app', 'tsconfig.json'), JSON.stringify(options));
      const { stdout } = spawnSync(process.execPath, [tsc, '-p', path.join(folder, 'app')], { encoding: 'utf8' });
      expect(stdout).toBe('');
    }
  });

  test('the package runs the compiled examples and supports `require`', async () => {
    expect(await start('compiled/start.mjs')).toMatch(EXAMPLES['start.mts']);
    writeFileSync(
      path.join(folder, 'app', 'old.cjs'),
      `const { Parley, ParleyError } = require('@parley/sdk');
       new Parley({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x', maxRetries: 0 }).me()
         .catch((error) => console.log(error instanceof ParleyError, error.code));`,
    );
    expect(await start('old.cjs')).toBe('true connection_failed\n');
  });

  const EXAMPLES = {
    'start.mts': /^waiting_for_user \{ type: 'text'|text: /,
    'stream.mts': /text: ['"]Hello Asha Rao['"]/,
    'people.mts': /^enduser_\w+\n\{[^]*: 1200,[^]*invalid: 0,?\s\}\n1200\n$/,
    'send.mts': /^(queued|sent|delivered)\n$/,
    'errors.mts': /^validation_failed req_\w+ \/email\n$/,
    'observe.mts': /^GET \/api\/me 1 200 null\nreq_\w+\nGET \/api\/me 1 200 null\n200 application\/json/,
  };
  const asTheySay = Object.values(EXAMPLES).map((output) => expect.stringMatching(output));
  const outputs = async (as?: Runtime): Promise<string[]> => {
    save('docs/sdk.md');
    const printed: string[] = [];
    for (const file of Object.keys(EXAMPLES)) printed.push(await start(file, as));
    return printed;
  };
  test('the examples of the documents run', async () => {
    expect(await outputs()).toEqual(asTheySay);
  });
  test.runIf(RUNTIMES)('the examples run in Deno', { tags: ['long'] }, async () => {
    expect(await outputs(DENO)).toEqual(asTheySay);
  });
  test.runIf(RUNTIMES)('the examples run in Bun', { tags: ['long'] }, async () => {
    expect(await outputs(BUN)).toEqual(asTheySay);
  });

  test('the example of the README runs', async () => {
    const [name] = save('README.md');
    const { AGENT, TRIGGER } = env as { AGENT: string; TRIGGER: string };
    const file = path.join(folder, 'app', name!);
    const filled = readFileSync(file, 'utf8')
      .replace('http://127.0.0.1:4000', app.url)
      .replace('agent_…', AGENT)
      .replace('trigger_…', TRIGGER);
    writeFileSync(file, filled);
    expect(await start(name!)).toMatch(/^waiting_for_user [^]*text: /);
  });

  test('the bundle is small, and even smaller if only a part of it is imported', async () => {
    const sizeOf = async (code: string): Promise<number> => {
      const file = path.join(folder, 'app', 'entry.mjs');
      writeFileSync(file, code);
      const bundle = await rolldown({ input: file });
      const { output } = await bundle.generate({ minify: true });
      await bundle.close();
      return Buffer.byteLength(output[0].code);
    };
    const whole = await sizeOf("export * from '@parley/sdk';");
    const part = await sizeOf("export { webhooks } from '@parley/sdk';");
    expect(whole).toBeLessThan(MAX_BYTES);
    const [, size] = /has\s+about\s+(\d+)\s+kB/.exec(read('docs/sdk.md'))!;
    expect(Math.round(whole / 1_000)).toBe(Number(size));
    expect(part).toBeLessThan(whole / 4);
  });
});
