import path from 'node:path';
import type { RateLimits } from '../../contract/limits.ts';
import { REGION_IDS, REGIONS, type Region } from '../../contract/regions.ts';
import { parseAllow } from '../kernel/egress.ts';
import type { ScannerKeys } from '../kernel/scanner-signature.ts';
import { readLimits } from './limits.ts';
import type { BlobSettings } from '../kernel/blob-store.ts';
import { readBlobs } from './blobs.ts';
import { type MailServer, readMail } from './mail.ts';
import {
  baseUrl,
  cellCount,
  choice,
  databaseUrl,
  emailAddress,
  flag,
  hostName,
  listenAddress,
  nameServers,
  networks,
  portNumber,
  type Reading,
  redisUrl,
  scannerKeys,
  webUrl,
} from './readers.ts';
import { checkDatabase, checkPrevious, checkSecret, ownSecrets } from './secret-file.ts';
import { readTraces, type TraceSettings } from './traces.ts';
import { unknownVariables } from './variables.ts';
import type { ConfigFault, Environment } from './environment.ts';

/**
 * The configuration contains all settings from the environment, read once at start. No other room reads the
 * environment.
 */
export type Config = {
  port: number;
  host: string;
  /** The absolute path of the data folder. */
  dataDir: string;
  /** Null: the embedded database in `dataDir` is used. */
  databaseUrl: string | null;
  /** A pooler in transaction mode in front of `databaseUrl`, for requests and workers. Null: no pooler is used. */
  poolerUrl: string | null;
  redisUrl: string | null;
  region: Region;
  /** The base URLs have no trailing slash. */
  baseUrls: Record<Region, string>;
  /** The base URL of this region. */
  baseUrl: string;
  /**
   * The secret has at least 32 characters. Keys are derived from the secret (secrets.ts). The program never uses the
   * secret directly and never prints it.
   */
  secret: string;
  /** The previous secret, while the secret is being rotated (docs/operations.md). */
  previousSecret: string | null;
  /** True: the secret is stored in `dataDir` and does not come from the environment. */
  hasOwnSecret: boolean;
  /** The first owner, who is created without the setup link. */
  owner: { email: string; password: string } | null;
  /** Null: a fresh embedded database gets the demo, and any other database does not. */
  demo: boolean | null;
  limits: RateLimits;
  /** The hosts and CIDRs that kernel/egress allows. */
  egressAllow: string[];
  /** The name servers for look-ups of domain records. Empty: the name servers of the system are used. */
  dnsServers: string[];
  /**
   * The number of cells of a new installation on a Citus cluster. Null: the installation gets two cells for each node.
   */
  cells: number | null;
  /** The keys of secret scanners by the names that their reports use. */
  leakReportKeys: ScannerKeys;
  /** The addresses and CIDRs of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  logLevel: LogLevel;
  /** Null: the log is readable text on a terminal, otherwise JSON. */
  logFormat: LogFormat | null;
  upgradeUrl: string | null;
  metricsAddress: { host: string; port: number } | null;
  /** The operator's own mail server. Null: without a mail server, people pass links on themselves. */
  mail: MailServer | null;
  /** The object store for files of conversations. Null: files stay in the database. */
  blobs: BlobSettings | null;
  /** Null: tracing is off. */
  traces: TraceSettings | null;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ['pretty', 'json'] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

export type LoadOptions = {
  /**
   * True for commands that do not create an installation. For these commands, a folder without a database is an error.
   */
  mustExist?: boolean;
};

/**
 * Reads the environment and reports all faults together. The function writes a file only if there is no fault: the
 * secret of an embedded installation, on its first start.
 */
export function loadConfig(
  env: Environment = process.env,
  { mustExist = false }: LoadOptions = {},
): { config: Config; warnings: string[] } | { faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const read = createRead(env, faults);
  const port = read('PORT', portNumber, 4000);
  const host = read('HOST', hostName, '127.0.0.1');
  const region = read('PARLEY_REGION', choice(REGION_IDS), 'us');
  const baseUrls = readBaseUrls(read, region, host, port);
  const given = env.PARLEY_SECRET?.trim() || null;
  const config: Config = {
    port,
    host,
    dataDir: readDataDir(env),
    ...readDatabase(read, env, faults),
    redisUrl: read<string | null>('REDIS_URL', redisUrl, null),
    region,
    baseUrls,
    baseUrl: baseUrls[region],
    secret: '',
    previousSecret: null,
    hasOwnSecret: given === null,
    owner: readOwner(env, faults),
    demo: read<boolean | null>('PARLEY_DEMO', flag, null),
    limits: readLimits(env.PARLEY_LIMITS, faults),
    egressAllow: read('PARLEY_EGRESS_ALLOW', egressList, []),
    leakReportKeys: read<ScannerKeys>('PARLEY_LEAK_REPORT_KEYS', scannerKeys, new Map()),
    cells: read<number | null>('PARLEY_CELLS', cellCount, null),
    dnsServers: read<string[]>('DNS_SERVERS', nameServers, []),
    trustedProxies: read<string[]>('TRUSTED_PROXIES', networks, []),
    logLevel: read<LogLevel>('LOG_LEVEL', choice(LOG_LEVELS), 'info'),
    logFormat: read<LogFormat | null>('LOG_FORMAT', choice(LOG_FORMATS), null),
    upgradeUrl: read<string | null>('UPGRADE_URL', webUrl, null),
    metricsAddress: read<Config['metricsAddress']>('METRICS_ADDRESS', listenAddress, null),
    blobs: readBlobs(env, faults),
    mail: readMail(env, faults),
    traces: readTraces(env, faults),
  };
  const before = env.PARLEY_SECRET_PREVIOUS?.trim() || null;
  faults.push(...checkSecret(given, Boolean(env.DATABASE_URL?.trim())), ...checkPrevious(given, before));
  if (mustExist && config.databaseUrl === null) faults.push(...checkDatabase(config.dataDir));
  if (faults.length > 0) return { faults };

  const own = given === null ? ownSecrets(config.dataDir) : { secret: given, previousSecret: before };
  if ('fault' in own) return { faults: [own] };
  return { config: { ...config, ...own }, warnings: [...unknownVariables(env), ...exposure(config)] };
}

/** Finds the place of the database. The function reads and creates nothing else. */
export function loadDatabasePlace(env: Environment = process.env) {
  const faults: ConfigFault[] = [];
  const database = readDatabase(createRead(env, faults), env, faults);
  return { dataDir: readDataDir(env), ...database, fault: faults[0] ?? null };
}

const createRead =
  (env: Environment, faults: ConfigFault[]): Read =>
  (variable, reader, absent) => {
    const text = env[variable]?.trim();
    if (text === undefined || text === '') return absent;
    const reading = reader(text);
    if ('value' in reading) return reading.value;
    faults.push({ variable, ...reading });
    return absent;
  };

/** If a direct address is set, the other address is the address of a pooler. */
function readDatabase(read: Read, env: Environment, faults: ConfigFault[]) {
  const url = read<string | null>('DATABASE_URL', databaseUrl, null);
  const direct = read<string | null>('DATABASE_DIRECT_URL', databaseUrl, null);
  if (direct === null) return { databaseUrl: url, poolerUrl: null };
  if (!env.DATABASE_URL?.trim()) {
    faults.push({
      variable: 'DATABASE_DIRECT_URL',
      fault: 'is set without DATABASE_URL',
      fix: 'Write the address of the pooler to DATABASE_URL, or name the server in DATABASE_URL and unset DATABASE_DIRECT_URL.',
    });
  }
  return { databaseUrl: direct, poolerUrl: url };
}

const readDataDir = (env: Environment): string => path.resolve(env.DATA_DIR?.trim() || 'data');

/** Returns the same configuration with the port that the system chose (PORT=0). */
export function withPort(config: Config, port: number): Config {
  if (config.baseUrl !== localUrl(config.host, config.port)) return { ...config, port };
  const baseUrl = localUrl(config.host, port);
  return { ...config, port, baseUrl, baseUrls: { ...config.baseUrls, [config.region]: baseUrl } };
}

type Read = <T>(variable: string, reader: (text: string) => Reading<T>, absent: T) => T;

function readBaseUrls(read: Read, own: Region, host: string, port: number): Record<Region, string> {
  const urlOf = (region: Region): string =>
    read(
      `BASE_URL_${region.toUpperCase()}`,
      baseUrl,
      region === own ? localUrl(host, port) : `https://${region}.parley.example`,
    );
  return Object.fromEntries((Object.keys(REGIONS) as Region[]).map((region) => [region, urlOf(region)])) as Record<
    Region,
    string
  >;
}

/** Returns a URL that a browser can open, unlike the address 0.0.0.0. */
function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const MIN_PASSWORD = 10;
const MAX_PASSWORD = 128;

function readOwner(env: Environment, faults: ConfigFault[]): Config['owner'] {
  const email = env.PARLEY_OWNER_EMAIL?.trim() ?? '';
  // Leading and trailing spaces may be part of the password.
  const password = env.PARLEY_OWNER_PASSWORD ?? '';
  if (email === '' && password === '') return null;
  if (email === '' || password === '') {
    const [missing, there] = email === '' ? ['EMAIL', 'PASSWORD'] : ['PASSWORD', 'EMAIL'];
    faults.push({
      variable: `PARLEY_OWNER_${missing}`,
      fault: `is missing, although PARLEY_OWNER_${there} is set`,
      fix: 'Set both variables to create the first owner, or neither to get a setup link.',
    });
    return null;
  }
  const reading = emailAddress(email);
  if ('fault' in reading) faults.push({ variable: 'PARLEY_OWNER_EMAIL', ...reading });
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD) {
    faults.push({
      variable: 'PARLEY_OWNER_PASSWORD',
      fault: `has ${password.length} characters`,
      fix: `Choose one of ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`,
    });
  }
  return { email, password };
}

function egressList(text: string): Reading<string[]> {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const parsed = parseAllow(entries);
  return 'fault' in parsed
    ? { fault: 'has an entry that is neither a host nor a CIDR', fix: parsed.fault }
    : { value: entries };
}

/** On any other machine, sign-in needs https, because browsers do not send the session cookie over plain http. */
function exposure({ host, baseUrl }: Config): string[] {
  const { protocol, hostname } = new URL(baseUrl);
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
  if (protocol === 'https:' || isLocal) return [];
  return [
    `Parley listens on ${host}, and its base URL is ${baseUrl}. Sign-in to the dashboard works only over https or on this machine. Put a TLS proxy in front of Parley and set BASE_URL_* to its https address.`,
  ];
}
