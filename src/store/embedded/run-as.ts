import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../../kernel/start-error.ts';

/**
 * Postgres refuses to run as root, and if root starts Parley, Postgres runs as another user: the owner of the data, or
 * otherwise "nobody". This other user must reach the programs and the data, and often cannot, because a checkout in
 * root's own home is below a folder with mode 0700. If the other user cannot reach the files, the process gets the
 * capability to pass closed folders. The capability is an ambient capability, set by util-linux' setpriv. The secure
 * bit keeps the capability for access(2), with which Postgres looks for its own files. All other rights of root are
 * dropped in any case.
 */
export type RunAs = { uid: number; gid: number; how: 'same' | 'switch' | 'setpriv'; capability?: string };

const NOBODY = 65_534;
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'];
/** Bits of capabilities(7). The list begins with the weaker right, but containers often grant only the second right. */
const CAPABILITIES = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
];

/**
 * Chooses the user who runs the programs in `binaries` on the data in `dataDir/postgres`. The function changes nothing.
 */
export function chooseRunAs(dataDir: string, binaries: string): RunAs {
  const self = { uid: process.getuid!(), gid: process.getgid!() };
  if (self.uid !== 0) return { ...self, how: 'same' };
  const user = ownerOf(path.join(dataDir, 'postgres')) ?? ownerOf(dataDir) ?? { uid: NOBODY, gid: NOBODY };
  const closed = closedFolder(dataDir, user) ?? closedFolder(binaries, user);
  if (!closed) return { ...user, how: 'switch' };
  const capability = CAPABILITIES.find(({ bit }) => (effectiveCapabilities() >> bit) & 1n);
  if (!capability || !setpriv()) {
    throw new StartError(
      `Postgres does not run as root, and its user (id ${user.uid}) may not enter the folder ${closed}.`,
      `Move Parley and its DATA_DIR out of it (for example to /opt/parley), run Parley as an ordinary user, or allow entering with "chmod o+x ${closed}".`,
    );
  }
  return { ...user, how: 'setpriv', capability: capability.name };
}

/**
 * Starts a program as the chosen user with an empty environment and in its own session, so that Ctrl-C at a terminal
 * reaches only Parley.
 */
export function spawnAs(runAs: RunAs, command: string, args: string[], stdio: SpawnOptions['stdio']): ChildProcess {
  const options: SpawnOptions = {
    stdio,
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  };
  if (runAs.how === 'same') return spawn(command, args, options);
  if (runAs.how === 'switch') return spawn(command, args, { ...options, uid: runAs.uid, gid: runAs.gid });
  const rights = [
    `--reuid=${runAs.uid}`,
    `--regid=${runAs.gid}`,
    '--clear-groups',
    `--inh-caps=+${runAs.capability}`,
    `--ambient-caps=+${runAs.capability}`,
    `--bounding-set=-all,+${runAs.capability}`,
    '--securebits=+no_setuid_fixup',
  ];
  return spawn(setpriv()!, [...rights, '--', command, ...args], options);
}

const setpriv = (): string | undefined => SETPRIV.find((file) => existsSync(file));

function ownerOf(file: string): { uid: number; gid: number } | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

/** The outermost existing folder on the path to `target` (inclusive) that the user may not enter. */
function closedFolder(target: string, user: { uid: number; gid: number }): string | undefined {
  const way = [path.resolve(target)];
  while (path.dirname(way[0]!) !== way[0]) way.unshift(path.dirname(way[0]!));
  return way.find((folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return false;
    const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001;
    return (found.mode & bit) === 0;
  });
}

function effectiveCapabilities(): bigint {
  const line = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return line ? BigInt(`0x${line[1]}`) : 0n;
}
