import { StartError } from '../src/kernel/start-error.ts';
import { readOptions } from './read-options.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

/**
 * `npm run cluster -- --nodes 3 --workers 2 [--redis]`: runs a region of several processes on this machine, until
 * Ctrl-C.
 */
const USAGE = `Usage: npm run cluster -- [--nodes 3] [--workers 2] [--redis]

Starts one PostgreSQL on DATA_DIR, so many api nodes and workers, and a balancer on PORT before them. A process that is
killed is started again. --redis starts a redis-server beside it, so that limits are exact over all nodes; without it
each node holds its part. All variables of the README apply; DATABASE_URL is the cluster's own. Ctrl-C stops it all.`;
const MOST = 16;

let cluster: Cluster | null = null;
let stopping: Promise<void> | null = null;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Of each process's greeting, only the parts that differ are printed. */
const onLine = (name: string, line: string): void => {
  if (cluster !== null || line.startsWith('{')) say(`${name.padEnd(9)} ${line}`);
};

async function stop(why: string, code: number): Promise<void> {
  stopping ??= (async () => {
    say(`\nStopping (${why})…`);
    await starting.then((started) => started.stop()).catch(() => {});
    say('Stopped.');
    process.exit(code);
  })();
  await stopping;
}

const { values } = readOptions(
  {
    options: {
      nodes: { type: 'string', default: '3' },
      workers: { type: 'string', default: '2' },
      redis: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  },
  USAGE,
);
const [nodes, workers] = [Number(values.nodes), Number(values.workers)];
if (values.help) {
  say(USAGE);
  process.exit(0);
}
if (![nodes, workers].every((count) => Number.isInteger(count) && count >= 1 && count <= MOST)) {
  process.stderr.write(`--nodes and --workers are numbers from 1 to ${MOST}.\n\n${USAGE}\n`);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal, 0));
say(`Starting PostgreSQL, ${nodes} api nodes, ${workers} workers…`);
const starting = startCluster({ nodes, workers, withRedis: values.redis, env: process.env, onLine });

try {
  const started = await starting;
  greet(started);
  cluster = started;
} catch (error) {
  if (stopping === null) {
    const fix = error instanceof StartError ? `\n        ${error.fix}` : '';
    process.stderr.write(`cluster: ${(error as Error).message}${fix}\n`);
    process.exit(1);
  }
}

/**
 * The first node's greeting contains the URL of the balancer, which is the node's base URL. The setup link and the curl
 * command use this URL.
 */
function greet({ url, nodes, workers, databaseUrl, redisUrl }: Cluster): void {
  say(
    nodes[0]!
      .output()
      .replaceAll(/^\{.*\n/gm, '')
      .trimEnd(),
  );
  say('\nProcesses:');
  say(`  balancer  ${url}`);
  for (const node of nodes) say(`  ${node.name.padEnd(9)} ${node.url}  pid ${node.pid()}`);
  for (const worker of workers) say(`  ${worker.name.padEnd(9)} pid ${worker.pid()}`);
  say(`  database  ${databaseUrl}`);
  say(`  limits    ${redisUrl === null ? `each node holds 1/${nodes.length}` : `exact, counted in ${redisUrl}`}`);
  say('\nKill a node and look on: kill -9 PID. Ctrl-C stops everything.\n');
}
