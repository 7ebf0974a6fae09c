import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { accept, acceptingStatement, whyStopped } from './fence.ts';

const NEEDS = { agent: 'on', trigger: 'on', channel: 'on' } as const;
const STATEMENT = acceptingStatement(
  'fence-test',
  { orgId: 'text', keyId: 'text', from: 'text', agentId: 'text', triggerId: 'text', channelId: 'text' },
  {
    rows: `(SELECT :orgId AS org_id, :keyId AS key_id, :from AS came_from, :agentId AS agent_id,
      :triggerId AS trigger_id, :channelId AS channel_id) g`,
    needs: NEEDS,
    paidPlanFor: 'everybody',
    columns: 'g.*',
  },
  'go AS (SELECT * FROM gate) SELECT count(*)::int AS passed FROM go',
);

let db: Db;

useDatabase((own) => {
  db = own;
});

type Call = Awaited<ReturnType<typeof givenCall>>;

async function givenCall() {
  const orgId = await givenOrganization(db);
  const { agentId, channelId } = await givenAgent(db, orgId);
  const triggerId = await givenTrigger(db, orgId, agentId);
  const keyId = await givenKey(db, orgId);
  return { orgId, keyId: keyId as string | null, from: '203.0.113.7', agentId, triggerId, channelId };
}

async function passes(call: Call): Promise<boolean> {
  const { rows } = await accept<{ passed: number }>(db.$client, STATEMENT(call));
  return rows[0]!.passed === 1;
}

describe('the fence', () => {
  it('the fence accepts calls with a valid key, plan and records, and calls of members', async () => {
    const call = await givenCall();
    expect(await passes(call)).toBe(true);
    expect(await passes({ ...call, keyId: null })).toBe(true);
    expect((await whyStopped(db.$client, NEEDS, call)).code).toBe('unavailable');
  });

  it.each<[string, (call: Call) => SQL]>([
    ['key_revoked', ({ keyId }) => sql`UPDATE api_key SET revoke_at = now() WHERE id = ${keyId}`],
    [
      'network_not_allowed',
      ({ keyId }) => sql`UPDATE api_key SET allowed_networks = '{198.51.100.0/24}' WHERE id = ${keyId}`,
    ],
    ['plan_required', ({ orgId }) => sql`UPDATE organization SET plan = 'free' WHERE id = ${orgId}`],
    ['agent_not_found', ({ agentId }) => sql`UPDATE agent SET deleted_at = now() WHERE id = ${agentId}`],
    ['agent_disabled', ({ agentId }) => sql`UPDATE agent SET enabled = false WHERE id = ${agentId}`],
    ['trigger_not_found', ({ triggerId }) => sql`UPDATE trigger SET deleted_at = now() WHERE id = ${triggerId}`],
    ['trigger_disabled', ({ triggerId }) => sql`UPDATE trigger SET enabled = false WHERE id = ${triggerId}`],
    ['channel_not_found', ({ channelId }) => sql`UPDATE channel SET deleted_at = now() WHERE id = ${channelId}`],
    ['channel_disabled', ({ channelId }) => sql`UPDATE channel SET enabled = false WHERE id = ${channelId}`],
  ])('stops a call with the reason %s', async (code, change) => {
    const call = await givenCall();
    await db.execute(change(call));
    expect(await passes(call)).toBe(false);
    expect((await whyStopped(db.$client, NEEDS, call)).code).toBe(code);
  });

  it('the fence stops a call on records of another organization', async () => {
    const call = await givenCall();
    expect(await passes({ ...call, orgId: await givenOrganization(db), keyId: null })).toBe(false);
  });
});

const SRC = fileURLToPath(new URL('../../', import.meta.url));

/** Sources that store an answer for a call (every accepting statement does) without the fence. */
const unfenced = (sources: Iterable<[file: string, text: string]>): string[] =>
  [...sources].flatMap(([file, text]) =>
    /INSERT INTO idempotency\b/.test(text) && !/\bacceptingStatement[<(]/.test(text) ? [file] : [],
  );

describe('every accepting statement', () => {
  it('every accepting statement has the fence', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
    const sources = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file): [string, string] => [file, readFileSync(SRC + file, 'utf8')]);
    expect(sources.filter(([, text]) => text.includes('acceptingStatement')).length).toBeGreaterThan(4);
    expect(unfenced(sources)).toEqual([]);
  });

  it('a statement that bypasses the fence is found', () => {
    const bypass = 'await client.query(`WITH idem AS (INSERT INTO idempotency (org_id) SELECT $1) SELECT 1`)';
    expect(unfenced([['store/quick.ts', bypass]])).toEqual(['store/quick.ts']);
  });
});
