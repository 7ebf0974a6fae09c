/**
 * "npm ci" refuses a lockfile that lacks an optional package for another platform, which npm omits if the registry did
 * not have it at that moment. This check requires an entry for every dependency, an integrity for every downloaded
 * entry, and no entry with a registry URL. `--fix` adds missing entries for other platforms, which npm never downloads
 * on this platform.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, '..', 'package-lock.json');
const lockfile = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lockfile;

const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {}, dev, devOptional }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !isThere(at, name))
    .map(([name, version]) => ({ name, version, dev, devOptional })),
);

if (process.argv.includes('--fix')) {
  for (const { name, version, dev, devOptional } of missing) {
    packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev && { dev }),
      ...(devOptional && { devOptional }),
      optional: true,
    };
  }
  const sorted = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')));
  writeFileSync(FILE, `${JSON.stringify({ ...lockfile, packages: sorted }, null, 2)}\n`);
} else {
  const faults = [
    ...missing.map(({ name }) => `${name} is missing: npm ci would refuse (node scripts/check-lockfile.mjs --fix)`),
    ...Object.entries(packages)
      .filter(([at, { integrity, os }]) => at !== '' && !integrity && (!os || os.includes('linux')) && !isFixed(at))
      .map(([at]) => `${at} has no integrity`),
    ...Object.entries(packages)
      .filter(([, { resolved }]) => resolved)
      .map(([at]) => `${at} names a registry (npm config set omit-lockfile-registry-resolved true)`),
  ];
  for (const fault of faults) console.error(`package-lock.json: ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Finds a package like Node, in the same folder and then in every folder above. */
function isThere(at, name) {
  for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

/** True for an entry that `--fix` added for another processor or C library. */
function isFixed(at) {
  const { os, cpu, libc } = packages[at];
  return Boolean(
    os?.includes('linux') && (libc?.includes('musl') || !cpu?.some((one) => one === 'x64' || one === 'arm64')),
  );
}

/** The package name contains the platform: binding-linux-arm64-musl, darwin-x64, binding-wasm32-wasi. */
function platformOf(name) {
  const parts = name.split(/[/-]/);
  const pick = (known) => known.find((one) => parts.includes(one));
  const os = pick([
    'android',
    'darwin',
    'freebsd',
    'linux',
    'openharmony',
    'win32',
    'aix',
    'sunos',
    'netbsd',
    'openbsd',
  ]);
  const cpu = pick(['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'wasm32', 'loong64', 'mips64el']);
  const libc = parts.includes('musl') ? 'musl' : os === 'linux' && parts.includes('gnu') ? 'glibc' : undefined;
  if (!os && cpu !== 'wasm32')
    throw new Error(`The name of ${name} does not contain its platform. Add the platform by hand.`);
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}
