import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Builds and runs containers with podman and buildah, without an image registry. One root file system from Debian's
 * packages contains Node, PostgreSQL, Redis and Caddy. This root file system gets the names of all base images, so it
 * replaces every base image. The packages come from the mirror in the system's apt settings.
 *
 * The FOLDER contains the root file system and the layers of earlier builds. The FOLDER is outside the checkout and
 * remains after the test. The test creates missing parts of the FOLDER. To start from nothing, remove the FOLDER.
 */
const FOLDER = path.join(tmpdir(), 'parley-containers');
const ENTRYPOINT = path.join(import.meta.dirname, 'stand-in.sh');
const VERSION = createHash('sha256').update(readFileSync(ENTRYPOINT)).digest('hex').slice(0, 12);
const ROOT_IMAGE = `localhost/stand-in:${VERSION}`;
const PACKAGES = ['ca-certificates', 'libatomic1', 'postgresql', 'redis-server', 'caddy'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const OVERLAY = 0x794c7630;

/** scripts/test-tools.mjs installs podman and the other programs. The path is undefined if the installation failed. */
export const PODMAN = process.env.TEST_PODMAN;

export const podman = (...args: string[]): Promise<string> => run('podman', args);

/** Prepares podman, and gives the root file system each of the names. */
export async function prepareEngine(names: readonly string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  Object.assign(process.env, settings(FOLDER));
  // Removes the layers of sources that have changed.
  await podman('image', 'prune', '--force', '--filter', 'until=168h');
  if (!(await exists(ROOT_IMAGE))) await importRoot(FOLDER);
  for (const name of names) await podman('tag', ROOT_IMAGE, `localhost/${name}`);
}

const exists = (image: string): Promise<boolean> =>
  podman('image', 'exists', image).then(
    () => true,
    () => false,
  );

/** Builds the unchanged Dockerfile, in which npm uses the settings and the cache of this machine. */
export async function buildImage(context: string, name: string): Promise<void> {
  const npm = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
  const mounts = [
    [npm, '/root/.npm'],
    [path.join(homedir(), '.npmrc'), '/root/.npmrc:ro'],
  ].filter(([from]) => existsSync(from!));
  const volumes = mounts.flatMap((mount) => ['--volume', mount.join(':')]);
  await run('buildah', ['bud', '--layers', '--format', 'docker', '--pull-never', ...volumes, '--tag', name, context]);
}

/** The promise resolves with the output, and rejects with the output if the command fails. */
function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(output.trim())
        : reject(
            new Error(
              `${command} ${args.join(' ')} ends with ${code}:\n${output.slice(-2_000)}${errors.slice(-2_000)}`,
            ),
          ),
    );
  });
}

/** podman uses its own storage and networks, so the system's podman does not change. */
function settings(folder: string): Record<string, string> {
  const driver = statfsSync(folder).type === OVERLAY ? 'vfs' : 'overlay';
  const write = (name: string, lines: string[]): string => {
    const file = path.join(folder, name);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };
  const storage = ['[storage]', `driver = "${driver}"`, `graphroot = "${folder}/storage"`, `runroot = "${folder}/run"`];
  const limits = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]';
  const engine = '[engine]\ncgroup_manager = "cgroupfs"\nruntime = "runc"\nevents_logger = "file"';
  const network = `[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "${folder}/networks"`;
  return {
    CONTAINERS_STORAGE_CONF: write('storage.conf', storage),
    CONTAINERS_CONF: write('containers.conf', [limits, engine, network]),
    CONTAINERS_REGISTRIES_CONF: write('registries.conf', ['unqualified-search-registries = []']),
    BUILDAH_ISOLATION: 'chroot',
    // Without systemd, nothing runs the health checks, so the test runs them.
    DISABLE_HC_SYSTEMD: 'true',
  };
}

async function importRoot(folder: string): Promise<void> {
  const root = path.join(folder, 'root');
  if (!existsSync(root)) await makeRoot(root);
  const entrypoint = path.join(root, 'usr/local/bin/stand-in');
  cpSync(ENTRYPOINT, entrypoint);
  chmodSync(entrypoint, 0o755);
  const changes = [
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    // The folders have the same layout as in the official Caddy image.
    'ENV XDG_CONFIG_HOME=/config',
    'ENV XDG_DATA_HOME=/data',
    'ENTRYPOINT ["/usr/local/bin/stand-in"]',
    'CMD ["caddy","run","--config","/etc/caddy/Caddyfile","--adapter","caddyfile"]',
  ].flatMap((change) => ['--change', change]);
  const archive = `${root}.tar`;
  await run('tar', ['-C', root, '-cf', archive, '.']);
  await run('podman', ['import', '--quiet', ...changes, archive, ROOT_IMAGE]);
  rmSync(archive);
}

/**
 * The preparation takes a minute or two. The file system is complete or absent, because it gets its name at the end.
 */
async function makeRoot(root: string): Promise<void> {
  const unfinished = `${root}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const [mirror] = (await run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages', 'Component: main'])).split('\n'); // prettier-ignore
  const [uri, codename] = mirror!.split(' ') as [string, string];
  await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, codename, unfinished, uri]);
  const at = (file: string): string => path.join(unfinished, file);
  for (const unneeded of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'])
    rmSync(at(unneeded), { recursive: true, force: true });
  // PostgreSQL's JIT, which compose.yaml turns off, would use 300 MB.
  const libraries = at(`usr/lib/${readdirSync(at('usr/lib')).find((name) => name.endsWith('-linux-gnu'))!}`);
  for (const file of readdirSync(libraries)) if (file.startsWith('libLLVM')) rmSync(path.join(libraries, file));
  cpSync(process.execPath, at('usr/local/bin/node'));
  const version = await run('npm', ['--version']);
  await run('npm', ['install', '--global', '--prefix', at('usr/local'), '--no-audit', '--no-fund', `npm@${version}`]);
  // The build trusts the certificate authorities that this machine trusts, for its packages.
  cpSync(CERTIFICATES, at(CERTIFICATES.slice(1)));
  renameSync(unfinished, root);
}
