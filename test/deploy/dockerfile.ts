import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Runs the steps of a Dockerfile without a container engine: each stage is a folder, and this machine replaces the base
 * images. The runner supports the instructions of our Dockerfile and refuses all others, so that none is skipped
 * silently.
 */
export type Image = {
  /** The root folder of the last stage. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  stopSignal: string;
  healthcheck: string[];
  entrypoint: string[];
  command: string[];
};

type Instruction = { name: string; value: string };

export function readDockerfile(text: string): Instruction[] {
  const whole = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  return whole
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, value] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no instruction: ${line}`);
      return { name, value: value.trim() };
    });
}

/** The variables in `env` are added to the ENV of each stage. */
export function build(context: string, into: string, env: NodeJS.ProcessEnv): Image {
  const source = path.join(into, '.context');
  copyContext(context, source);
  const stages = new Map<string, Image>();
  let now: Image | undefined;
  for (const { name, value } of readDockerfile(readFileSync(path.join(context, 'Dockerfile'), 'utf8'))) {
    if (name === 'ARG' && now === undefined) continue;
    if (name === 'FROM') {
      const [, stage = 'last'] = / AS (\w+)$/.exec(value) ?? [];
      now = emptyImage(path.join(into, stage));
      stages.set(stage, now);
      continue;
    }
    if (now === undefined) throw new Error(`${name} before FROM`);
    follow(now, name, value, (from) => (from === undefined ? source : stages.get(from)!.root), env);
  }
  for (const { root } of stages.values()) if (root !== now!.root) rmSync(root, { recursive: true });
  rmSync(source, { recursive: true });
  return now!;
}

function emptyImage(root: string): Image {
  mkdirSync(root, { recursive: true });
  const none: string[] = [];
  return {
    root,
    workdir: '/',
    env: {},
    user: 'root',
    stopSignal: '',
    healthcheck: none,
    entrypoint: none,
    command: none,
  };
}

function follow(
  image: Image,
  name: string,
  value: string,
  rootOf: (stage: string | undefined) => string,
  env: NodeJS.ProcessEnv,
): void {
  switch (name) {
    case 'WORKDIR':
      image.workdir = path.resolve(image.workdir, value);
      mkdirSync(inside(image, image.workdir), { recursive: true });
      break;
    case 'COPY':
      copy(image, value, rootOf);
      break;
    case 'RUN':
      // An absolute path would point to this machine.
      if (/(^|[\s=])\//.test(value)) throw new Error(`RUN names an absolute path: ${value}`);
      execFileSync('sh', ['-c', value], {
        cwd: inside(image, image.workdir),
        env: { ...env, ...image.env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      break;
    case 'ENV':
      for (const [, key, text] of value.matchAll(/(\w+)=(\S+)/g)) image.env[key!] = text!;
      break;
    case 'USER':
      image.user = value;
      break;
    case 'STOPSIGNAL':
      image.stopSignal = value;
      break;
    case 'HEALTHCHECK':
      image.healthcheck = JSON.parse(/ CMD (\[.*\])$/.exec(value)![1]!) as string[];
      break;
    case 'ENTRYPOINT':
      image.entrypoint = JSON.parse(value) as string[];
      break;
    case 'CMD':
      image.command = JSON.parse(value) as string[];
      break;
    case 'EXPOSE':
    case 'LABEL':
      break;
    default:
      throw new Error(`${name} is not known here: teach it`);
  }
}

const inside = (image: Image, file: string): string => path.join(image.root, path.resolve(image.workdir, file));

function copy(image: Image, value: string, rootOf: (stage: string | undefined) => string): void {
  const words = value.split(/\s+/);
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
  const target = words.pop()!;
  const isFolder = target.endsWith('/') || words.length > 1;
  for (const one of words) {
    const file = path.join(rootOf(from), one);
    const isTree = statSync(file).isDirectory();
    cpSync(file, inside(image, isFolder && !isTree ? path.join(target, path.basename(one)) : target), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/**
 * Lists the files that docker sends to the builder, which are all files of the folder that .dockerignore does not
 * exclude. The last matching line of .dockerignore decides.
 */
function copyContext(folder: string, into: string): void {
  const rules = readFileSync(path.join(folder, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const pattern = line.replace(/^!/, '').replaceAll(/[.+]/g, String.raw`\$&`);
      const glob = pattern.replaceAll('**/', '(.+/)?').replaceAll(/\*/g, '[^/]*');
      return { keeps: line.startsWith('!'), pattern: new RegExp(`^${glob}(/.*)?$`) };
    });
  const isLeftOut = (file: string): boolean => rules.findLast(({ pattern }) => pattern.test(file))?.keeps !== true;
  const walk = (at: string): void => {
    for (const entry of readdirSync(path.join(folder, at), { withFileTypes: true })) {
      const file = path.join(at, entry.name);
      // All exceptions begin with a name in the root folder, so nothing below an excluded folder is included again.
      if (isLeftOut(file)) continue;
      if (entry.isDirectory()) walk(file);
      else cpSync(path.join(folder, file), path.join(into, file));
    }
  };
  mkdirSync(into, { recursive: true });
  walk('');
}

/** The files are read-only, like the layers of an image in a read-only container. */
export function makeReadOnly(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) makeReadOnly(file);
    else if (entry.isFile()) chmodSync(file, 0o444 | (statSync(file).mode & 0o111));
  }
  chmodSync(folder, 0o555);
}
