import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DASHBOARD_BASE } from '../contract/dashboard/routes.ts';
import { type Cluster, startCluster } from '../cluster/start-cluster.ts';
import { createDigest, digestBytes } from '../src/access/api-keys/digest.ts';
import { mintKey } from '../src/access/api-keys/key-format.ts';
import { deriveSecrets } from '../src/config/secrets.ts';
import { newId } from '../src/kernel/ids.ts';
import type { Key } from '../src/kernel/seal.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { insertOrganization } from '../src/store/organizations/organizations.ts';
import { member } from '../src/store/schema/identity.ts';
import { givenAgent, givenKey, givenTrigger } from '../test/factories.ts';
import { fire, type Hits, type Shot } from './load.ts';

/**
 * Starts a region of real processes (cluster/). The region's rate limits never refuse a call unless a section sets its
 * own.
 */
export type Region = {
  cluster: Cluster;
  db: Db;
  /** The HMAC key of the stored digests, for the servers in a comparison. */
  pepper: string;
  sealingKey: Key;
  /** Creates a paid organization with a trigger without required variables, and a key for the trigger. */
  tenant(): Promise<Tenant>;
  key(orgId: string): Promise<{ id: string; value: string }>;
  /** Calls the dashboard's API like a person. */
  dashboard(node: number, method: 'GET' | 'POST', path: string): Promise<Response>;
  /** The promise resolves when the server answers "revoked". */
  revoke(node: number, orgId: string, keyId: string): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
};
export type Tenant = { orgId: string; triggerPath: string; key: { id: string; value: string } };

const UNLIMITED = { key: 1_000_000_000, organization: 1_000_000_000 };
const OWNER = { email: 'owner@example.qa', password: randomBytes(12).toString('base64url') };

export async function startRegion(
  nodes: number,
  options: { workers?: number; withRedis?: boolean; limits?: object; databaseUrl?: string } = {},
): Promise<Region> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  chmodSync(dataDir, 0o711);
  const secret = randomBytes(36).toString('base64url');
  const limits = options.limits ?? { triggers: UNLIMITED, channels: UNLIMITED, end_users: UNLIMITED };
  const cluster = await startCluster({
    nodes,
    workers: options.workers ?? 0,
    withRedis: options.withRedis,
    databaseUrl: options.databaseUrl,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: '0',
      PARLEY_SECRET: secret,
      PARLEY_DEMO: '0',
      PARLEY_LIMITS: JSON.stringify(limits),
      PARLEY_OWNER_EMAIL: OWNER.email,
      PARLEY_OWNER_PASSWORD: OWNER.password,
      LOG_LEVEL: 'error',
      // The section `words` uses this model.
      PARLEY_EGRESS_ALLOW: '127.0.0.1',
    },
    onLine: () => {},
  });
  const db = openDb(cluster.databaseUrl, { max: 4 });
  const { apiKeyPepper, sealingKey } = deriveSecrets(secret);
  const digest = createDigest(apiKeyPepper);
  const key: Region['key'] = async (orgId) => {
    const value = mintKey('us');
    return { id: await givenKey(db, orgId, { digest: digestBytes(digest(value)) }), value };
  };
  const owner = await db.$client.query<{ id: string }>('SELECT id FROM "user" LIMIT 1');
  let cookie: string | null = null;
  const origin = cluster.url;
  const dashboard: Region['dashboard'] = async (node, method, to) => {
    const at = cluster.nodes[node]!.url + DASHBOARD_BASE;
    const headers = { origin, 'content-type': 'application/json' };
    if (cookie === null) {
      const signedIn = await fetch(`${at}/sign-in`, { method: 'POST', headers, body: JSON.stringify(OWNER) });
      cookie = signedIn.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
    }
    return fetch(at + to, { method, headers: { ...headers, cookie } });
  };

  return {
    cluster,
    db,
    pepper: apiKeyPepper.toString('base64url'),
    key,
    tenant: async () => {
      const { id: orgId } = await insertOrganization(db, { name: 'Bench', plan: 'paid' });
      await db.insert(member).values({
        id: newId('member'),
        organizationId: orgId,
        userId: owner.rows[0]!.id,
        role: 'owner',
        createdAt: new Date(),
      });
      const { agentId } = await givenAgent(db, orgId);
      const triggerPath = `/api/triggers/${agentId}/${await givenTrigger(db, orgId, agentId)}`;
      return { orgId, triggerPath, key: await key(orgId) };
    },
    sealingKey,
    dashboard,
    revoke: (node, orgId, keyId) => dashboard(node, 'POST', `/organizations/${orgId}/keys/${keyId}/revoke`),
    [Symbol.asyncDispose]: async () => {
      await db.$client.end();
      await cluster.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Puts the same load on each server simultaneously. The rates of the servers are added up, but only the worst time
 * counts.
 */
export async function fireAll(origins: readonly string[], shot: Shot, seconds: number): Promise<Hits> {
  const all = await Promise.all(origins.map((origin) => fire(origin, shot, seconds)));
  const sum = (part: (hits: Hits) => number): number => all.reduce((total, hits) => total + part(hits), 0);
  return {
    perSecond: sum((hits) => hits.perSecond),
    p50: Math.max(...all.map((hits) => hits.p50)),
    p99: Math.max(...all.map((hits) => hits.p99)),
    answered: sum((hits) => hits.answered),
    refused: sum((hits) => hits.refused),
    broken: sum((hits) => hits.broken),
  };
}

export const quantile = (times: readonly number[], q: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))]!;
