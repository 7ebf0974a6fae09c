/**
 * Builds `sdk/dist`, the package of the client library, for `npm pack ./sdk/dist`. The package has one file of code for
 * each export, its types, and no dependency. The command `npm start` does not need this package.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = path.resolve(import.meta.dirname, '..');
const SDK = path.join(ROOT, 'sdk');
/** A test builds into another folder, because a second test may read the package at the same time. */
const DIST = path.resolve(process.argv[2] ?? path.join(SDK, 'dist'));

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });

const { version, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
/**
 * The code of each export, with the packages that the code may import. The code of `react` imports the code of
 * `browser`.
 */
const ENTRIES = { parley: [], browser: [], react: ['react', './browser.js'] };
const paths = (id) => (id.endsWith('browser.ts') ? './browser.js' : id);
for (const [name, imports] of Object.entries(ENTRIES)) {
  const bundle = await rolldown({
    input: path.join(SDK, 'src', `${name}.ts`),
    platform: 'neutral',
    cwd: SDK,
    external: (id) => id === 'react' || (name === 'react' && id === './browser.ts'),
    // The build reads the version from src/version.ts.
    transform: { define: { PARLEY_SDK_VERSION: JSON.stringify(version) } },
  });
  const { output } = await bundle.write({ dir: DIST, format: 'esm', entryFileNames: `${name}.js`, paths });
  await bundle.close();
  if (output.length !== 1 || output[0].imports.some((each) => !imports.includes(paths(each))))
    throw new Error(`The client library imports a package: ${output[0].imports.join(', ')}`);
}

const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', SDK, '--outDir', DIST], { stdio: 'inherit' });
if (status !== 0) throw new Error('The types of the client library are wrong.');

const manifest = {
  name: '@parley/sdk',
  version,
  description: 'Client library of the Parley API, for Node, Deno, Bun and edge runtimes',
  license,
  type: 'module',
  exports: {
    '.': { types: './parley.d.ts', default: './parley.js' },
    './browser': { types: './browser.d.ts', default: './browser.js' },
    './react': { types: './react.d.ts', default: './react.js' },
  },
  peerDependencies: { react: '>=18' },
  peerDependenciesMeta: { react: { optional: true } },
  types: './parley.d.ts',
  sideEffects: false,
  engines: { node: '>=20' },
};
writeFileSync(path.join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(DIST, 'LICENSE'));
copyFileSync(path.join(ROOT, 'docs', 'sdk.md'), path.join(DIST, 'README.md'));
