import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The linter of this repository, run over a copy in which each forbidden import is planted once. */
const ROOT = path.resolve(import.meta.dirname, '..');

const FORBIDDEN: [file: string, code: string, because: RegExp][] = [
  ['contract/a.ts', `import '../src/kernel/x.ts';`, /contract may not import kernel/],
  ['contract/b.ts', `import 'node:crypto';`, /contract imports typebox alone/],
  ['src/kernel/a.ts', `import '../store/x.ts';`, /kernel may not import store/],
  ['src/kernel/deep/a.ts', `import '../../config/x.ts';`, /kernel may not import config/],
  ['src/kernel/c.ts', `import type { D } from './d.ts';\nexport type C = D[];`, /Dependency cycle/],
  ['src/kernel/d.ts', `import type { C } from './c.ts';\nexport type D = C | null;`, /Dependency cycle/],
  ['src/config/a.ts', `import '../store/x.ts';`, /config may not import store/],
  ['src/store/a.ts', `import '../access/x.ts';`, /store may not import access/],
  ['src/store/b.ts', `import '../engine/x.ts';`, /store may not import engine/],
  ['src/access/a.ts', `import '../features/agents/x.ts';`, /access may not import features/],
  ['src/access/b.ts', `import 'pg';`, /only the store knows SQL/],
  ['src/engine/a.ts', `import '../store/x.ts';`, /engine may not import store/],
  ['src/engine/b.ts', `export const call = () => fetch('https://x.example');`, /Only kernel\/egress/],
  ['src/engine/c.ts', `import 'undici';`, /only kernel\/egress opens sockets/],
  ['src/channels/a.ts', `import '../features/agents/x.ts';`, /channels may not import features/],
  ['src/features/agents/a.ts', `import '../triggers/x.ts';`, /never imports another feature/],
  ['src/features/agents/b.ts', `import '../../http/x.ts';`, /features may not import http/],
  ['src/features/agents/c.ts', `import 'drizzle-orm/pg-core';`, /only the store knows SQL/],
  ['src/features/agents/d.ts', `export * from '../triggers/x.ts';`, /never imports another feature/],
  [
    'src/features/agents/e.ts',
    `export const late = () => import('../triggers/x.ts');`,
    /never imports another feature/,
  ],
  ['src/features/agents/f.ts', `import '../../worker/x.ts';`, /features may not import worker/],
  ['src/answering/a.ts', `import '../features/agents/x.ts';`, /answering may not import features/],
  ['src/answering/b.ts', `import '../worker/x.ts';`, /answering may not import worker/],
  ['src/answering/c.ts', `import '../access/x.ts';`, /answering may not import access/],
  ['src/engine/d.ts', `import '../answering/x.ts';`, /engine may not import answering/],
  ['src/channels/b.ts', `import '../answering/x.ts';`, /channels may not import answering/],
  ['src/http/f.ts', `import '../answering/x.ts';`, /http may not import answering/],
  ['src/http/g.ts', `import '../engine/x.ts';`, /http may not import engine/],
  ['src/http/a.ts', `import '../store/x.ts';`, /http may not import store/],
  ['src/http/api/agents/a.ts', `import '../../../worker/x.ts';`, /http may not import worker/],
  ['src/http/b.ts', `import type { X } from '../store/x.ts';\nexport type Y = X;`, /http may not import store/],
  ['src/worker/a.ts', `import '../http/x.ts';`, /worker may not import http/],
  ['src/worker/b.ts', `import 'fastify';`, /only http knows the web framework/],
  ['src/store/c.ts', `import '../app/x.ts';`, /store may not import app/],
  ['src/app/a.ts', `import '../start/x.ts';`, /app may not import start/],
  ['src/http/c.ts', `import '../../test/x.ts';`, /http may not import test/],
  ['src/http/d.ts', `export const home = process.env.HOME;`, /Disallowed usage of `process\.env`/],
  [
    'src/http/e.ts',
    `import { env } from 'node:process';\nexport const home = env.HOME;`,
    /Only src\/config reads the environment/,
  ],
  ['cli/a.ts', `import '../src/access/x.ts';`, /cli may not import access/],
  ['dashboard/a.ts', `import '../src/http/x.ts';`, /dashboard may not import http/],
  ['dashboard/src/pages/agents/a.tsx', `import '../channels/x.ts';`, /A page is imported only by/],
  [
    'dashboard/src/pages/home/b.tsx',
    `export const late = () => import('../agents/editor/x.tsx');`,
    /A page is imported only by/,
  ],
  ['dashboard/src/parts/a.tsx', `import '../pages/agents/x.module.css';`, /A page is imported only by/],
  ['sdk/src/a.ts', `import '../../contract/x.ts';`, /sdk may not import contract/],
  ['sdk/src/c.ts', `import 'node:crypto';`, /client library imports no package/],
  ['sdk/src/b.ts', `import '../../src/kernel/x.ts';`, /sdk may not import kernel/],
  [
    'dashboard/src/b.tsx',
    `import type { X } from '../../src/store/x.ts';\nexport type Y = X;`,
    /dashboard may not import store/,
  ],
];

const ALLOWED: [file: string, code: string][] = [
  ['contract/ok.ts', `import 'typebox';\nimport './x.ts';`],
  [
    'src/store/ok.ts',
    `import 'pg';\nimport '../kernel/x.ts';\nimport type { X } from '../engine/x.ts';\nexport type Y = X;`,
  ],
  ['src/features/agents/ok.ts', `import '../../store/x.ts';\nimport './deep/x.ts';\nimport '../../answering/x.ts';`],
  ['src/features/agents/ok2.ts', `import '../../engine/x.ts';\nimport '../../channels/x.ts';`],
  ['src/answering/ok.ts', `import '../store/x.ts';\nimport '../engine/x.ts';\nimport '../channels/x.ts';`],
  ['src/worker/ok.ts', `import '../answering/x.ts';\nimport '../features/agents/x.ts';`],
  ['src/http/api/agents/ok.ts', `import '../triggers/x.ts';\nimport '../../../features/channels/x.ts';`],
  ['src/app/app.ts', `import '../http/x.ts';\nimport '../store/x.ts';`],
  ['dashboard/src/pages/agents/ok.tsx', `import './editor/x.ts';\nimport '../../parts/x.ts';`],
  ['dashboard/src/pages/agents/editor/ok.tsx', `import '../x.ts';`],
  ['dashboard/src/routes.tsx', `import './pages/agents/x.ts';\nimport './pages/home/x.ts';`],
  ['src/http/ok.test.ts', `import '../store/x.ts';`],
];

let folder: string;
let output: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-boundaries-'));
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'scripts/lint-boundaries.mjs']) {
    cpSync(path.join(ROOT, name), path.join(folder, name));
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  for (const [file, code] of [...FORBIDDEN, ...ALLOWED]) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${code}\n`);
  }
  const oxlint = path.join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format', 'unix'], { cwd: folder, encoding: 'utf8' });
  output = run.stdout;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (file: string): string[] => output.split('\n').filter((line) => line.includes(`${file}:`));

describe('lint finds', () => {
  test.each(FORBIDDEN)('%s: %s', (file, _code, because) => {
    expect(linesOf(file).join('\n')).toMatch(because);
  });
});

describe('lint allows', () => {
  test.each(ALLOWED)('%s', (file) => {
    expect(linesOf(file).filter((line) => /may not import|never imports|alone|Only|A page is/.test(line))).toEqual([]);
  });
});
