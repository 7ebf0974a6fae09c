import { spawnSync } from 'node:child_process';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, runCli } from './testing/run-cli.ts';

test.each([
  [
    ['parley', 'agents', 're'],
    ['restore', 'replay'],
  ],
  [
    ['parley', '--json', 'agents', 'suite', 's'],
    ['show', 'set', 'schema'],
  ],
  [
    ['parley', 'completion', ''],
    ['bash', 'zsh', 'fish', '--json', '--url', '--org', '--help'],
  ],
  [['parley', 'keys', 'create', '--sc'], ['--scope']],
])('bash completes %j', async (words, wanted) => {
  const { stdout: script } = await runCli(['completion', 'bash']);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-completion-'));
  writeFileSync(path.join(folder, 'parley'), script);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const lines = `. ./parley; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _parley; echo "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['--norc', '-c', lines], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stdout.trim().split(' ')).toEqual(wanted);
});

test('the scripts for zsh and fish have the same commands', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { stdout } = await runCli(['completion', shell]);
    expect(stdout).toContain('agents suite');
    expect(stdout).toContain('--keep-required');
  }
});

test('`help` explains a command, and refuses an unknown one', async () => {
  const { stdout, code } = await runCli(['help', 'keys', 'create']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: parley keys create')]);
  const wrong = await runCli(['help', 'keys', 'nope']);
  expect([wrong.code, errorOf(wrong).message]).toEqual([1, 'There is no command "nope" in "keys".']);
  expect((await runCli(['--help'])).stdout).toMatch(/ 5 {4}tests of an agent ran[^]* 6 {4}"agents test --replay"/);
});
