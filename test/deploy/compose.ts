import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { podman } from './engine.ts';
import type { Tree } from './tools.ts';

/**
 * Runs compose.yaml with podman, because podman-compose of Debian 12 (1.0.3) lacks `ipv4_address`, ignores `depends_on`
 * conditions and quotes health checks wrongly. This file supports the settings of our compose.yaml, and refuses every
 * other setting.
 */
export type Project = {
  up(): Promise<void>;
  /** Returns the name of a service's container. */
  container(service: string): string;
  isHealthy(service: string): Promise<boolean>;
  /** Stops the services in reverse order, with their grace period. Returns the exit code of each service. */
  stop(): Promise<Record<string, number>>;
  remove(): Promise<void>;
};

const READY_WITHIN_MS = 240_000;
const KNOWN = new Set(['image', 'build', 'restart', 'depends_on', 'environment', 'networks', 'read_only', 'tmpfs', 'cap_drop', 'cap_add', 'security_opt', 'stop_grace_period', 'command', 'healthcheck', 'ports', 'volumes', 'shm_size', 'user']); // prettier-ignore

export function composeProject(compose: Tree, folder: string, env: Record<string, string>): Project {
  const project: string = compose.name;
  const services = Object.entries<Tree>(fill(compose.services, env));
  const container = (service: string): string => `${project}-${service}`;
  const scoped = (name: string): string => `${project}_${name}`;
  const started: string[] = [];

  const isHealthy = (service: string): Promise<boolean> =>
    podman('healthcheck', 'run', container(service)).then(
      () => true,
      () => false,
    );

  async function waitFor(service: string, condition: string): Promise<void> {
    await start(service);
    if (condition === 'service_started') return;
    if (condition === 'service_healthy') return until(() => isHealthy(service), `${service} is not healthy`);
    if (condition !== 'service_completed_successfully') throw new Error(`unknown condition: ${condition}`);
    const code = await podman('wait', container(service));
    if (code !== '0') throw new Error(`${service} ends with ${code}:\n${await podman('logs', container(service))}`);
  }

  async function start(name: string): Promise<void> {
    if (started.includes(name)) return;
    const service = services.find(([one]) => one === name)![1];
    for (const [needed, { condition }] of Object.entries<Tree>(service.depends_on ?? {}))
      await waitFor(needed, condition);
    // Services start after their dependencies, so the project stops and is removed in reverse order.
    started.push(name);
    await podman('run', '--detach', '--name', container(name), ...options(name, service), service.image, ...(service.command ?? [])); // prettier-ignore
  }

  function options(name: string, service: Tree): string[] {
    const unknown = Object.keys(service).filter((key) => !KNOWN.has(key));
    if (unknown.length > 0) throw new Error(`compose.ts does not know ${unknown.join(', ')} of ${name}: add it.`);
    const networks: [string, Tree][] = Array.isArray(service.networks)
      ? service.networks.map((network: string) => [network, null])
      : Object.entries<Tree>(service.networks);
    const joined = networks.map(([network, more]) => `${scoped(network)}:alias=${name}${more?.ipv4_address ? `,ip=${more.ipv4_address}` : ''}`); // prettier-ignore
    const volumes = (service.volumes ?? []).map((volume: string) =>
      volume.startsWith('.') ? path.join(folder, volume) : scoped(volume),
    );
    return [
      ...each('--network', joined),
      ...each(
        '--env',
        Object.entries(service.environment ?? {}).map(([key, value]) => `${key}=${String(value)}`),
      ),
      ...each('--volume', volumes),
      ...each('--publish', service.ports),
      ...each('--tmpfs', service.tmpfs),
      ...each('--cap-drop', service.cap_drop),
      ...each('--cap-add', service.cap_add),
      ...each(
        '--security-opt',
        service.security_opt?.map((option: string) => option.replace(/:true$/, '')),
      ),
      ...(service.read_only ? ['--read-only'] : []),
      ...(service.user ? ['--user', service.user] : []),
      ...(service.shm_size ? ['--shm-size', service.shm_size] : []),
      ...(service.restart ? ['--restart', service.restart] : []),
      ...(service.stop_grace_period ? ['--stop-timeout', String(Number.parseInt(service.stop_grace_period, 10))] : []),
      ...health(service.healthcheck),
    ];
  }

  return {
    container,
    isHealthy,
    async up() {
      for (const [name, network] of Object.entries<Tree>(compose.networks)) {
        const subnets = (network?.ipam?.config ?? []).flatMap(({ subnet }: Tree) => ['--subnet', subnet]);
        await podman('network', 'create', ...subnets, ...(network?.internal ? ['--internal'] : []), scoped(name));
      }
      for (const [name] of services) await start(name);
    },
    async stop() {
      const codes: Record<string, number> = {};
      for (const name of started.toReversed()) {
        await podman('stop', container(name));
        codes[name] = Number(await podman('inspect', '--format', '{{.State.ExitCode}}', container(name)));
      }
      return codes;
    },
    async remove() {
      for (const name of started.toReversed())
        await podman('rm', '--force', '--time', '0', '--ignore', container(name));
      for (const name of Object.keys(compose.volumes)) await podman('volume', 'rm', '--force', scoped(name));
      for (const name of Object.keys(compose.networks)) await podman('network', 'rm', '--force', scoped(name));
    },
  };
}

const each = (flag: string, values: unknown[] = []): string[] => values.flatMap((value) => [flag, String(value)]);

function health(check: Tree): string[] {
  if (check === undefined) return [];
  if (check.disable) return ['--no-healthcheck'];
  const times = (['interval', 'timeout', 'retries'] as const).filter((name) => check[name] !== undefined);
  // podman 4.3 splits an array that begins with CMD at its spaces, and adds CMD to any other array.
  const [kind, ...command] = check.test;
  return [
    '--health-cmd',
    JSON.stringify(kind === 'CMD' ? command : check.test),
    ...times.flatMap((name) => [`--health-${name}`, String(check[name])]),
  ];
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` in every text. */
function fill(value: Tree, env: Record<string, string>): Tree {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
      if (env[name]) return env[name];
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return rest ?? '';
    });
  if (Array.isArray(value)) return value.map((one) => fill(one, env));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, env)]));
}

export async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const from = performance.now(); !(await holds());) {
    if (performance.now() - from > READY_WITHIN_MS) throw new Error(otherwise);
    await pause(500);
  }
}
