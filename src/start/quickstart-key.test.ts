import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetQuickstartKey, keepQuickstartKey, QUICKSTART_MS, quickstartFile } from './quickstart-key.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quickstart-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('the key file is readable only by this user, and is removed when the key expires', async () => {
  const data = path.join(folder, 'data');
  await forgetQuickstartKey(data);
  await keepQuickstartKey(data, 'parley_us_x');
  const file = quickstartFile(data);
  expect(await readFile(file, 'utf8')).toBe('parley_us_x\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await forgetQuickstartKey(data);
  expect((await stat(file)).isFile()).toBe(true);
  const past = new Date(Date.now() - QUICKSTART_MS);
  await utimes(file, past, past);
  await forgetQuickstartKey(data);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});
