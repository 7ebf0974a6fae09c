import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROBLEMS } from '../../contract/problems.ts';
import { GUIDE_NAMES } from '../../src/http/docs/guides.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { PATH } from '../installed-package.ts';
import { givenOwner, type Owner } from '../owner.ts';
import { freePort } from '../program.ts';

/**
 * Follows the guides like a newcomer: their blocks are pasted in order, files are saved under the name in their first
 * line, and `channel_…` in a guide is replaced by the output of the previous command.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const guide = (name: string): string => readFileSync(path.join(ROOT, `docs/${name}.md`), 'utf8');

let parley: TestApp;
let owner: Owner;
let folder: string;
let port: number;
const shells: ChildProcess[] = [];
const run = promisify(execFile);

beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  port = await freePort();
  folder = mkdtempSync(path.join(tmpdir(), 'parley-guides-'));
  await installSdk(folder);
  writeFileSync(path.join(folder, 'parley'), `#!/bin/sh\nexec '${ROOT}/parley' "$@"\n`);
  chmodSync(path.join(folder, 'parley'), 0o755);
}, 120_000);
afterAll(async () => {
  for (const shell of shells) {
    try {
      process.kill(-shell.pid!);
    } catch {
      // The process has ended, with all its child processes.
    }
  }
  await parley?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The client library as a package: built, packed and installed. */
async function installSdk(into: string): Promise<void> {
  const dist = path.join(into, 'dist');
  await run(process.execPath, [path.join(ROOT, 'scripts', 'bundle-sdk.mjs'), dist], { cwd: ROOT });
  const npm = (...args: string[]) => run('npm', args, { cwd: into, env: { PATH, HOME: into } });
  const [{ filename }] = JSON.parse((await npm('pack', '--json', dist)).stdout) as [{ filename: string }];
  await npm('install', '--no-audit', '--no-fund', '--offline', `./${filename}`);
}

/** The output of each block. */
async function paste(name: string): Promise<string[]> {
  const blocks = [...guide(name).matchAll(/```(sh|js)\n([^]*?)```/g)].map(([, kind, text]) => ({
    kind,
    text: text!.replaceAll('4100', String(port)),
  }));
  for (const { kind, text } of blocks) if (kind === 'js') save(text);
  const env: Record<string, string> = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
    PARLEY_URL: parley.url,
    PARLEY_EMAIL: 'asha@example.com',
    PARLEY_PASSWORD: 'correct horse battery',
    PARLEY_ORG: owner.orgId,
    PARLEY_CONFIG_DIR: folder,
  };
  const printed: string[] = [];
  for (const { kind, text } of blocks) {
    if (kind !== 'sh') continue;
    const rest = text.split('\n').filter((line) => {
      const [, variable, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
      if (variable === undefined) return true;
      if (value!.endsWith('…')) env[variable] = shown(value!.slice(0, -1), printed);
      return false;
    });
    printed.push(await shell(rest.join('\n'), env));
  }
  return printed.filter((text) => text !== '');
}

function save(text: string): void {
  const [, file] = /^\/\/ (\S+\.mjs)\n/.exec(text) ?? [];
  if (file === undefined) throw new Error(`No name: ${text}`);
  writeFileSync(path.join(folder, file), text);
}

/** The latest text that begins with this. */
function shown(prefix: string, printed: readonly string[]): string {
  for (const text of printed.toReversed()) {
    const [found] = new RegExp(`\\b${prefix}[\\w+/=]+`).exec(text) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`Nothing that begins with ${prefix} was printed.`);
}

async function shell(script: string, env: Record<string, string>): Promise<string> {
  if (script.trim() === '') return '';
  const child = spawn('sh', ['-euc', script], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  shells.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${script}\nended with ${String(code)}:\n${output}`);
  return output;
}

test('the steps of the guide about people work: sync, search, opt-out, export and erase', async () => {
  const printed = await paste('end-users');
  expect(printed[1]).toMatch(/^enduser_\w+ crm-42 \{ plan: 'gold' \}\n$/);
  expect(printed[2]).toMatch(
    /crm-42 updated enduser_\w+\ncrm-43 created enduser_\w+\ncrm-44 invalid .*\/phone Must be/,
  );
  expect(printed[3]).toBe("[ 'crm-42' ]\n[ 'crm-42' ]\n");
  expect(printed[4]).toBe('opted_out\n');
  expect(printed[5]).toContain('end_user conversations messages runs approvals recipients ratings');
}, 120_000);

test('the guide about messages works: sending on three channels, and receiving', async () => {
  writeFileSync(path.join(folder, 'parley.mjs'), /\/\/ parley\.mjs\n[^]*?(?=```)/.exec(guide('end-users'))![0]);
  const printed = await paste('sending');
  const printedText = printed.join('\n');
  expect(printedText).toMatch(/channel_\w+ sandbox connected text,/);
  expect(printedText).toContain('delivered');
  expect(printedText).toMatch(/sent \ncrm-42 Your order has shipped/);
  // The agent's answer to the inbound message.
  const log = () => readFileSync(path.join(folder, 'endpoint.log'), 'utf8').trim().split('\n').length;
  await expect.poll(log, { timeout: 30_000 }).toBe(2);
  expect(printed.at(-1)).toBe('sent \n');
}, 120_000);

test('the guide about campaigns works from creation to end', async () => {
  const printedText = (await paste('campaigns')).join('\n');
  expect(printedText).toMatch(
    /row-1 pending.*\nrow-2 pending.*\nrow-3 duplicate already_enrolled.*\nrow-4 invalid .*\/phone Must be/,
  );
  for (const row of ['row-1', 'row-2']) expect(printedText).toContain(`${row} delivered`);
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  // The guide may have run before midnight, and midnight may have passed since.
  expect(printedText).toMatch(new RegExp(`row-5 (?:pending|waiting_window) .*(?:${tomorrow}|${today})T`));
  expect(printedText).toMatch(/paused\nlive\ncancelled/);
  expect(printedText).toContain('"state": "ended"');
}, 120_000);

test('the guide about the web chat works: a site proves who its visitor is', async () => {
  // The endpoint of the guide about messages still listens.
  port = await freePort();
  await paste('web-chat');
  const site = `http://127.0.0.1:${port}`;
  let page = '';
  const read = async (): Promise<string> => (page = await (await fetch(site)).text());
  await expect.poll(() => read().catch(() => ''), { timeout: 30_000 }).toContain('data-user-hash');
  const value = (name: string): string => new RegExp(`${name}="([^"]+)"`).exec(page)![1]!;
  const session = await fetch(value('src').replace('widget.js', 'sessions'), {
    method: 'POST',
    headers: { origin: site, 'content-type': 'application/json' },
    body: JSON.stringify({ external_id: value('data-external-id'), user_hash: value('data-user-hash') }),
  });
  expect(await session.json()).toMatchObject({ identified: true });
  expect((await fetch(value('src'))).status).toBe(200);
}, 120_000);

test('every guide shows the address of this server, and names only existing codes', async () => {
  // Each page links to all others, so every page is read once.
  const pages = new Map<string, Promise<Answer>>();
  const read = (at: string): Promise<Answer> => {
    const known = pages.get(at) ?? parley.call('GET', at);
    pages.set(at, known);
    return known;
  };
  const { text: front } = await read('/docs');
  // All alternatives of a field are shown, with their members.
  for (const says of ['&#34;text&#34; | &#34;image&#34;', 'With type location.', '<td><code>Prefer</code></td>'])
    expect(front).toContain(says);
  for (const name of GUIDE_NAMES) {
    expect(front).toContain(`href="/docs/guides/${name}"`);
    const { status, text } = await read(`/docs/guides/${name}`);
    expect(status).toBe(200);
    expect(text).not.toContain('http://127.0.0.1:4000');
    for (const [, at] of text.matchAll(/href="(\/docs[^"#]*)/g))
      expect([at, (await read(at!)).status]).toEqual([at, 200]);
    for (const [, at, anchor] of text.matchAll(/href="(\/docs\/guides\/[^"#]*)?#([^"]+)"/g))
      expect([anchor, (at ? await read(at) : { text }).text.includes(` id="${anchor}"`)]).toEqual([anchor, true]);
    // The rows of the guide's error table: status and code.
    for (const [, status_, code] of guide(name).matchAll(/\| (4\d\d|503) `(\w+)`/g))
      expect([code, String(PROBLEMS[code as keyof typeof PROBLEMS]?.status)]).toEqual([code, status_]);
  }
  expect((await parley.call('GET', '/docs/guides/constructor')).status).toBe(404);
});
