import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBinaries, makeLinks } from './binaries.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'parley-links-'));
  mkdirSync(path.join(root, 'native', 'lib'), { recursive: true });
  writeFileSync(path.join(root, 'native', 'lib', 'libpq.so.5.18'), '');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  writeFileSync(path.join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the start creates the links that the package lists, and can be repeated', () => {
  makeLinks(root);
  makeLinks(root);
  expect(existsSync(path.join(root, 'native', 'lib', 'libpq.so.5'))).toBe(true);
});

test('the start names the user who must start the program once if the links cannot be created', () => {
  rmSync(path.join(root, 'native', 'lib'), { recursive: true });
  expect(() => makeLinks(root)).toThrow(/libraries of the embedded database are not linked yet/);
});

test('the start finds the installed Postgres and its major version', () => {
  expect(findBinaries().major).toBeGreaterThanOrEqual(18);
});
