import { loadConfig } from '../src/config/config.ts';
import { StartError } from '../src/kernel/start-error.ts';
import { startEmbeddedPostgres } from '../src/store/embedded/start-embedded-postgres.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Child, startChild } from './child.ts';
import { freePort } from './ports.ts';
import { startRedis } from './redis.ts';

/**
 * One region on one machine, with the same processes as on many machines: one PostgreSQL, api nodes and workers as
 * separate processes that share nothing else, a load balancer in front of the nodes, and optionally a Redis.
 */
export type Cluster = {
  /** The balancer's. */
  url: string;
  databaseUrl: string;
  redisUrl: string | null;
  balancer: Balancer;
  nodes: readonly (Child & { url: string })[];
  workers: readonly Child[];
  stop(): Promise<void>;
};

export type ClusterOptions = {
  nodes: number;
  workers: number;
  withRedis?: boolean;
  /** The URL of a running server. Absent: the cluster starts an embedded server. */
  databaseUrl?: string;
  /** The settings of `serve`. Settings that only fit a single process are replaced. */
  env: Readonly<Record<string, string | undefined>>;
  onLine(name: string, line: string): void;
};

/** Maximum connections of one process (docs/operations.md), plus a few for people. */
const CONNECTIONS_PER_PROCESS = 20;
const SPARE_CONNECTIONS = 20;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { nodes, workers, withRedis, env, onLine } = options;
  const config = configOf(env);
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).toReversed()) await end();
  };
  try {
    const say = (text: string): void => onLine('database', text);
    const tuning = { max_connections: String(CONNECTIONS_PER_PROCESS * (nodes + workers) + SPARE_CONNECTIONS) };
    const log = { info: () => {}, warn: say, error: say };
    const database =
      options.databaseUrl === undefined
        ? await startEmbeddedPostgres({ dataDir: config.dataDir, log, tuning })
        : { url: options.databaseUrl, fresh: false, stop: async () => {} };
    started.push(database.stop);
    const redis = withRedis ? await startRedis(env.PATH ?? '') : null;
    if (redis) started.push(redis.stop);
    const redisUrl = redis?.url ?? config.redisUrl;

    const ports = await Promise.all(Array.from({ length: nodes }, freePort));
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const balancer = await startBalancer({ host: config.host, port: config.port, nodes: urls });
    started.push(balancer.stop);
    const shared = {
      LOG_LEVEL: 'warn',
      ...env,
      DATABASE_URL: database.url,
      PARLEY_SECRET: config.secret,
      HOST: '127.0.0.1',
      // The address for people and keys: the balancer's, unless the operator has set another.
      [`BASE_URL_${config.region.toUpperCase()}`]: env[`BASE_URL_${config.region.toUpperCase()}`] ?? balancer.url,
      ...(redisUrl !== null && { REDIS_URL: redisUrl }),
      PARLEY_DEMO: env.PARLEY_DEMO ?? (database.fresh ? '1' : '0'),
    };
    const api: Cluster['nodes'][number][] = [];
    // There is one address, but each process needs its own port. The cluster uses the ports after the first port: first
    // for nodes, then for workers.
    const metricsEnv = (index: number) =>
      config.metricsAddress && {
        METRICS_ADDRESS: `${config.metricsAddress.host}:${config.metricsAddress.port + index}`,
      };
    const startNode = (index: number): Promise<void> => {
      const nodeEnv = { ...shared, PORT: String(ports[index]), ...metricsEnv(index) };
      const child = startChild({ name: `api-${index + 1}`, role: 'api', env: nodeEnv, onLine });
      api[index] = { ...child, url: urls[index]! };
      return child.ready();
    };
    const working: Child[] = [];
    started.push(async () => void (await Promise.all([...api, ...working].map((child) => child.stop()))));
    // The first process migrates, creates the demo and prints its key. The processes after the first read the secret
    // and the demo from the database.
    await startNode(0);
    await Promise.all(Array.from({ length: nodes - 1 }, (_, n) => startNode(n + 1)));
    for (let n = 1; n <= workers; n += 1) {
      working.push(
        startChild({
          name: `worker-${n}`,
          role: 'worker',
          env: { ...shared, PORT: '0', ...metricsEnv(nodes + n - 1) },
          onLine,
        }),
      );
    }
    await Promise.all(working.map((child) => child.ready()));
    return { url: balancer.url, databaseUrl: database.url, redisUrl, balancer, nodes: api, workers: working, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The launcher reads the environment like each of its processes, so that a mistake is reported once and before anything
 * starts.
 */
function configOf(env: ClusterOptions['env']) {
  const loaded = loadConfig({ ...env, DATABASE_URL: undefined });
  if ('config' in loaded) return loaded.config;
  throw new StartError(
    loaded.faults.map(({ variable, fault, fix }) => `${variable} ${fault}. ${fix}`).join('\n'),
    'Nothing was started.',
  );
}
