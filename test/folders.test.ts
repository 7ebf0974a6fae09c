import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** scripts/check-folders.mjs, run over a repository with a small glossary. */
const CHECK = path.resolve(import.meta.dirname, '../scripts/check-folders.mjs');

const GLOSSARY = `# Glossary

| Noun | Definition | Code |
|---|---|---|
| campaign | It sends first messages. | \`campaigns\` |
| API key | A secret of a backend. | \`api-keys\` |
| end user | A person with whom an agent talks. | – |

| Today, in code or on screen | Write | Where |
|---|---|---|
| numbers | statistics | \`src/features/numbers\` |
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'folders-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(files: string[]): { code: number | null; lines: string[] } {
  const root = mkdtempSync(path.join(folder, 'repository-'));
  for (const file of ['docs/glossary.md', ...files]) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), file === 'docs/glossary.md' ? GLOSSARY : '');
  }
  spawnSync('git', ['init', '-q'], { cwd: root });
  spawnSync('git', ['add', '.'], { cwd: root });
  const { status, stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  return { code: status, lines: stderr.split('\n').filter(Boolean) };
}

describe('a folder that is not a noun of the glossary is found', () => {
  test.each([
    ['src/features/spending/read.ts', 'src/features/spending'],
    ['src/store/numbers/days.ts', 'src/store/numbers'],
    ['dashboard/src/pages/desk/page.tsx', 'dashboard/src/pages/desk'],
    ['dashboard/src/pages/campaigns/repeat/card.tsx', 'dashboard/src/pages/campaigns/repeat'],
  ])('%s', (file, found) => {
    const { code, lines } = check([file, 'src/features/campaigns/create.ts']);
    expect(code).toBe(1);
    expect(lines).toEqual([`${found}: "${path.basename(found)}" is not a noun of docs/glossary.md`]);
  });
});

test('a noun in the singular or plural, its name in code, and a folder deeper in a room are accepted', () => {
  const files = [
    'src/main.ts',
    'src/features/deps.ts',
    'src/features/campaigns/clock/play.ts',
    'src/store/api-keys/read.ts',
    'src/http/end-users/list.ts',
    'dashboard/src/pages/campaigns/end-user/page.tsx',
    'dashboard/src/parts/anything/part.tsx',
  ];
  expect(check(files)).toEqual({ code: 0, lines: [] });
});
