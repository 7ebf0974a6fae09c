import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findRunningPostgres } from '../../src/store/embedded/start-embedded-postgres.ts';
import { createRandom, type Random } from '../faults/random.ts';
import { composeShot } from './compose.ts';
import type { Surroundings } from './odd-bodies.ts';
import { dashboardOperations, type Operation, publicOperations } from './operations.ts';
import { closeConnections, type Reply, type AttackRequest, sendRequest } from './send-request.ts';
import { STORIES, type StoryContext } from './stories.ts';
import { createWatchdog, type Finding, type Watchdog } from './watchdog.ts';
import { startWatchedServer } from './watched-server.ts';
import { createWorld, type World } from './world.ts';

/**
 * Attackers of every kind send random requests to their own server, and docs/security.md lists the guarantees that must
 * hold. The same seed gives the same requests, except where requests depend on the responses.
 */
export type Attack = { seed: string; ms: number };
export type Outcome = { finding: Finding | null; requests: number; statuses: Record<number, number> };

/** The attackers work concurrently, and each has its own random numbers. */
const ATTACKERS = 3;

export async function attack({ seed, ms }: Attack): Promise<Outcome> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-attack-'));
  chmodSync(dataDir, 0o711);
  const secret = randomBytes(48).toString('base64');
  const env = { DATA_DIR: dataDir, PARLEY_SECRET: secret, PARLEY_EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'info' };
  const server = await startWatchedServer(env);
  const client = new pg.Client({ connectionString: findRunningPostgres(dataDir)! });
  let world: World | null = null;
  try {
    await client.connect();
    world = await createWorld(server, secret);
    const described = await publicOperations(server.url);
    const operations = [...dashboardOperations(), ...described.operations];
    await rests(client, world.vaultId);
    const vault = await rowsOf(client, world.vaultId);
    const watchdog = createWatchdog(server, world);
    const statuses: Record<number, number> = {};
    const around = { refs: described.refs, ids: firstOf(world), address: world.address };
    const until = performance.now() + ms;
    const one = (number: number): Promise<void> => {
      const random = createRandom(`${seed}/${number}`);
      return attackUntil(until, server.url, { random, world: world!, around, operations }, watchdog, statuses);
    };
    await Promise.all(Array.from({ length: ATTACKERS }, (_, number) => one(number)));
    await watchdog.stop();
    const finding = watchdog.finding() ?? changesOf(vault, await rowsOf(client, world.vaultId));
    return { finding, requests: Object.values(statuses).reduce((sum, count) => sum + count, 0), statuses };
  } finally {
    closeConnections();
    await client.end().catch(() => {});
    await server.stop();
    await world?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const firstOf = ({ planted }: World): Record<string, string> =>
  Object.fromEntries(Object.entries(planted).map(([prefix, ids]) => [prefix, ids[0]!]));

type Arms = { random: Random; world: World; around: Surroundings; operations: Operation[] };

async function attackUntil(
  until: number,
  url: string,
  { random, world, around, operations }: Arms,
  watchdog: Watchdog,
  statuses: Record<number, number>,
): Promise<void> {
  const fire = async (request: AttackRequest): Promise<Reply> => {
    watchdog.sends(request);
    const reply = await sendRequest(url, request);
    watchdog.judge(request, reply);
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    if (reply.status < 300) gather(world, reply.text);
    return reply;
  };
  const context: StoryContext = { random, world, around, operations, fire };
  while (performance.now() < until && watchdog.finding() === null) {
    let chance = random.between(1, 100);
    const [, story] = STORIES.find(([share]) => (chance -= share) <= 0) ?? [];
    if (story) await story(context);
    else await fire(composeShot(random.pick(operations), random, world, around));
  }
}

const ID = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
/** The attackers and organizations are the same during a whole attack. */
const LEFT = new Set(['org', 'user', 'member', 'session']);
const MOST = 30;

/** The IDs of created records are available for later requests. */
function gather({ found, planted }: World, text: string): void {
  for (const [id, prefix] of text.slice(0, 20_000).matchAll(ID)) {
    if (LEFT.has(prefix!) || planted[prefix!]?.includes(id)) continue;
    const known = (found[prefix!] ??= []);
    if (!known.includes(id)) known.push(id);
    if (known.length > MOST) known.shift();
  }
}

const QUEUES = ['run', 'message', 'event_delivery'];
const REST_MS = 60_000;

/** Waits until the worker has finished all work of the organization, so that only an attack can change its rows. */
async function rests(client: pg.Client, orgId: string): Promise<void> {
  const due = QUEUES.map((name) => `(SELECT count(*) FROM ${name} WHERE org_id = $1 AND due_at IS NOT NULL)`);
  due.push('(SELECT count(*) FROM run WHERE org_id = $1 AND result_event_at IS NOT NULL)');
  const until = performance.now() + REST_MS;
  for (;;) {
    const { rows } = await client.query<{ left: string }>(`SELECT ${due.join(' + ')} AS left`, [orgId]);
    if (rows[0]!.left === '0') return;
    if (performance.now() > until) throw new Error('the worker does not finish the work of the foreign organization');
    await pause(50);
  }
}

/** Reads every row of an organization, by table. */
async function rowsOf(client: pg.Client, orgId: string): Promise<Record<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'org_id' ORDER BY 1`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS digest
       FROM ${client.escapeIdentifier(name)} t WHERE org_id = $1`,
      [orgId],
    );
    digests[name] = rows[0]!.digest;
  }
  return digests;
}

function changesOf(before: Record<string, string>, after: Record<string, string>): Finding | null {
  const changed = Object.keys(after).filter((name) => before[name] !== after[name]);
  return changed.length === 0 ? null : { what: `Rows of a foreign organization have changed: ${changed.join(', ')}` };
}
