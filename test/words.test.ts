import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Runs scripts/check-words.mjs on a repository in which each kind of text contains a listed word. */
const CHECK = path.resolve(import.meta.dirname, '../scripts/check-words.mjs');

const PLANTED: [file: string, text: string, line: number, found: RegExp][] = [
  ['README.md', '# Title\n\nWhoever has the link can join.\n', 3, /"Whoever": write the caller/],
  ['pages/a.md', 'The secret is made\nanew.\n', 2, /"anew": write again/],
  ['src/a.ts', '/** A turn that nobody waits for. */\nexport {};\n', 1, /"nobody": write no one/],
  ['src/b.tsx', "export const said = 'Somebody has saved it.';\n", 1, /"Somebody": write a person/],
  ['scripts/a.mjs', '// Row 6 of the contract, section 3.\n', 1, /"contract, section 3": write the numbered list/],
];

/** Names of variables and test values are not sentences. */
const ALLOWED = `const nobody = server.as(null);\nawait nobody('GET /x');\nexport const NOBODY = 1;\nexport const user = 'nobody@example.qa';\n`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'words-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(files: [file: string, text: string][]): { code: number | null; lines: string[] } {
  const root = mkdtempSync(path.join(folder, 'repository-'));
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  spawnSync('git', ['init', '-q'], { cwd: root });
  spawnSync('git', ['add', '.'], { cwd: root });
  const { status, stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  return { code: status, lines: stderr.split('\n').filter(Boolean) };
}

test.each(PLANTED)('a listed word in %s is reported with its line and the plain word', (file, text, line, found) => {
  const { code, lines } = check([[file, text]]);
  expect(code).toBe(1);
  expect(lines).toEqual([expect.stringMatching(found)]);
  expect(lines[0]).toMatch(new RegExp(`^${file}:${line}: `));
});

test('names of variables, values, and files of other kinds are ignored', () => {
  expect(
    check([
      ['src/ok.ts', ALLOWED],
      ['data.json', '"nobody knows"'],
    ]),
  ).toEqual({ code: 0, lines: [] });
});
