import { randomBytes } from 'node:crypto';
import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DASHBOARD_BASE } from '../../contract/dashboard/routes.ts';
import { createDigest, digestBytes } from '../../src/access/api-keys/digest.ts';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { deriveSecrets } from '../../src/config/secrets.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { insertOrganization } from '../../src/store/organizations/organizations.ts';
import { member } from '../../src/store/schema/identity.ts';
import { givenAgent, givenKey, givenTrigger } from '../factories.ts';
import { type PgBouncer, startPgBouncer } from '../pgbouncer.ts';
import { type FaultDatabase, startFaultDatabase, withClient } from './database.ts';
import { type Answer, request } from './http-client.ts';
import type { Edit } from './edits.ts';
import { createNode, type Node, type Plan } from './node.ts';

/** A region has serving nodes, workers and one database as in production, all as real processes. */
export type Region = {
  database: FaultDatabase;
  /** PgBouncer in transaction mode, or null if processes connect to the database directly. */
  pooler: PgBouncer | null;
  api: Node[];
  workers: Node[];
  secrets: ReturnType<typeof deriveSecrets>;
  /** Every process of the region is started with the settings in `plan`. */
  plan: Plan;
  edits: readonly Edit[];
  /** Creates a new organization with an agent, a trigger and this many keys. */
  tenant(keys?: number): Promise<Tenant>;
  /** Queries the database directly, without nodes and proxies. */
  rows<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  withDb<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Calls the dashboard's API as the owner. */
  dashboard(node: Node, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Connects every process to the current primary. */
  followPrimary(): void;
  /**
   * Removes all faults, continues stopped processes and starts missing processes. Returns the processes that it had to
   * start.
   */
  repair(): Promise<string[]>;
  close(): Promise<void>;
};

export type Key = { id: string; value: string };
export type Tenant = { orgId: string; agentId: string; triggerId: string; keys: Key[] };
export type RegionOptions = {
  api?: number;
  workers?: number;
  plan?: Plan;
  env?: Record<string, string>;
  database?: FaultDatabase;
  isPooled?: boolean;
};

const OWNER = { email: 'owner@example.qa', password: 'correct horse battery staple' };
/** The rate limits must not disturb the load. Only reading end users has a low limit, for its own test. */
export const LOW_LIMIT = 60;
const NONE = { key: 1_000_000, organization: 1_000_000 };
const LOW = { key: LOW_LIMIT, organization: LOW_LIMIT };
const LIMITS = JSON.stringify({ triggers: NONE, channels: NONE, campaigns: NONE, end_users: LOW });

export async function startRegion(options: RegionOptions = {}): Promise<Region> {
  const { api = 3, workers = 2, plan = {} } = options;
  // The schema of the program that runs.
  const database = options.database ?? (await startFaultDatabase({ isEmpty: plan.sources !== undefined }));
  const pooler = options.isPooled ? await startPgBouncer(database.url, 'transaction') : null;
  const target = () => (pooler ? { host: '127.0.0.1', port: pooler.port } : { path: database.socketPath });
  const secret = randomBytes(48).toString('base64');
  const secrets = deriveSecrets(secret);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-fault-data-'));
  const env = {
    PARLEY_SECRET: secret,
    DATA_DIR: folder,
    BASE_URL_US: 'http://127.0.0.1:4000',
    PARLEY_OWNER_EMAIL: OWNER.email,
    PARLEY_OWNER_PASSWORD: OWNER.password,
    PARLEY_LIMITS: LIMITS,
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
    // Nodes are started repeatedly, so their compiled code is cached.
    NODE_COMPILE_CACHE: path.join(tmpdir(), 'parley-fault-compiled'),
    ...options.env,
  };
  const make = (role: Node['role'], count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => createNode(`${role}-${at + 1}`, role, target(), env)));
  const nodes = { api: await make('api', api), workers: await make('worker', workers) };
  const all = [...nodes.api, ...nodes.workers];
  let cookie = '';
  let userId = '';

  const region: Region = {
    database,
    pooler,
    ...nodes,
    secrets,
    plan,
    edits: plan.edits ?? [],
    async tenant(keys = 50) {
      return region.withDb(async (db) => {
        const { id: orgId } = await insertOrganization(db, { name: 'Test', plan: 'paid' });
        await db.insert(member).values({ id: newId('member'), organizationId: orgId, userId, role: 'owner' });
        const { agentId } = await givenAgent(db, orgId, { definition: { opening: { default: 'Hello' } } });
        const triggerId = await givenTrigger(db, orgId, agentId);
        const digest = createDigest(secrets.apiKeyPepper);
        const made: Key[] = [];
        for (let n = 0; n < keys; n++) {
          const value = mintKey('us');
          const permissions = ['triggers', 'channels', 'end_users'] as const;
          const id = await givenKey(db, orgId, {
            digest: digestBytes(digest(value)),
            permissions: [...permissions],
          });
          made.push({ id, value });
        }
        return { orgId, agentId, triggerId, keys: made };
      });
    },
    rows: (text, values) =>
      withClient(database.url, async (client) => {
        // Without current statistics for thousands of new rows, PostgreSQL sometimes chooses nested loops, and the
        // checks once waited twenty seconds for them.
        await client.query('SET enable_nestloop = off');
        return (await client.query(text, values)).rows as never;
      }),
    async withDb(work) {
      const db = openDb(database.url, { max: 2 });
      try {
        return await work(db);
      } finally {
        await db.$client.end();
      }
    },
    dashboard: (node, method, at, body) =>
      request(node.url + DASHBOARD_BASE + at, { method, body, headers: cookie ? { cookie } : {}, timeoutMs: 20_000 }),
    followPrimary() {
      pooler?.follow(database.url);
      for (const node of all) node.proxy.target = target();
    },
    async repair() {
      region.followPrimary();
      for (const node of all) {
        node.proxy.heal();
        node.resume();
      }
      const fallen = all.filter((node) => !node.isRunning());
      await Promise.all(fallen.map((node) => node.start(plan)));
      return fallen.map(({ name }) => name);
    },
    async close() {
      await Promise.all(all.map((node) => node.close()));
      await pooler?.stop();
      database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  try {
    await nodes.api[0]!.start(plan);
    await Promise.all(all.slice(1).map((node) => node.start(plan)));
    const signedIn = await region.dashboard(nodes.api[0]!, 'POST', '/sign-in', OWNER);
    if (signedIn.status !== 200) throw new Error(`The owner could not sign in: ${signedIn.text}`);
    cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!;
    userId = signedIn.body.user.id;
    return region;
  } catch (error) {
    await region.close();
    throw error;
  }
}
