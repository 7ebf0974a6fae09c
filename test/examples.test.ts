import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = globSync('examples/*/README.md', { cwd: ROOT })
  .filter((file) => readFileSync(path.join(ROOT, file), 'utf8').includes('npm install'))
  .map((file) => path.dirname(file));

test('an example that installs packages has a package.json, so that npm does not change that of Parley', () => {
  expect(FOLDERS).toContain(path.join('examples', 'web-page'));
  expect(FOLDERS.filter((folder) => !existsSync(path.join(ROOT, folder, 'package.json')))).toEqual([]);
});
