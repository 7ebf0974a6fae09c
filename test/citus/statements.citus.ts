import { existsSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHARDS, writesBeforeCommit } from '../../src/store/cells/citus.ts';
import { runsOnNode } from '../../src/store/cells/node-statement.ts';
import { withShards } from '../../src/store/cells/shard-names.ts';
import { CELLS, type CitusCluster, readTables, startCitus } from './cluster.ts';
import type { Recorded } from './record-statements.ts';
import { sentFor } from './route-texts.ts';

/** Tests that Citus can plan each statement that the tests of the rooms have run (docs/adr/0502). */
let cluster: CitusCluster;
let client: pg.Client;
/** A session on the node of the cell, which plans the statements that run as a function on that node. */
let node: pg.Client;
let shards: Map<string, string>;
const CELL = CELLS[0]!;

beforeAll(async () => {
  cluster = await startCitus(process.env.CITUS_TREE!);
  client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(`SET search_path = ${CELL}, public`);
  const { rows } = await client.query<{ cell: string; name: string; shard: string; id: string }>(SHARDS);
  const own = rows.filter(({ cell }) => cell === CELL || cell === 'public');
  shards = new Map(own.map(({ name, shard }) => [name, shard]));
  const place = await client.query<{ port: number }>('SELECT nodeport AS port FROM citus_shards WHERE shardid = $1', [
    own.find(({ cell }) => cell === CELL)!.id,
  ]);
  node = new pg.Client({ connectionString: cluster.nodes.find(({ port }) => port === place.rows[0]!.port)!.url });
  await node.connect();
  await node.query(`SET search_path = ${CELL}, public`);
});
afterAll(async () => {
  await client?.end();
  await node?.end();
  await cluster?.stop();
});

/** The statements that a test writes for itself, and objects that only a test has. */
const OF_TESTS = [
  'relation "kept"', 'function lose_node() ', 'relation "test_clock', 'relation "public.', 'pg_terminate_backend',
  'current transaction is aborted',
]; // prettier-ignore
const WRITTEN_BY_TESTS = [
  /^WITH gone AS \(DELETE FROM node_lease\)/,
  /^SELECT keep_parents\(/,
  /^UPDATE retention SET due_at = due_at - interval/,
  // A restore of a backup loads the rows into the schema of the coordinator.
  /^INSERT INTO public\."\w+" .* FROM json_populate_recordset/s,
  /^UPDATE message SET created_at = clock_timestamp\(\)/,
  /^UPDATE event_delivery SET due_at = due_at \+ interval/,
  /^UPDATE attachment SET placed_at = placed_at - interval/,
  /^UPDATE conversation_presence SET here_until = here_until - /,
];
test('Citus accepts every statement', async () => {
  const statements = recorded();
  expect(statements.length).toBeGreaterThan(500);
  const refused: { message: string; text: string }[] = [];
  for (const text of statements) {
    const message = await refusalOf(text);
    if (message === null || OF_TESTS.some((one) => message.includes(one))) continue;
    if (WRITTEN_BY_TESTS.some((one) => one.test(text))) continue;
    refused.push({ message, text: text.replaceAll(/\s+/g, ' ').slice(0, 300) });
  }
  expect(refused).toEqual([]);
});

function readRecord(): Recorded[] {
  const file = process.env.STATEMENTS!;
  if (!existsSync(file)) throw new Error('No statements were recorded: run npm run test:citus.');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const byShape = new Map(lines.map((line) => JSON.parse(line) as Recorded).map((one) => [one.shape, one]));
  return [...byShape.values()];
}

function recorded(): string[] {
  return readRecord()
    .flatMap(({ text }) => text?.trim().replace(/;$/, '') ?? [])
    .filter((text) => /^(?:WITH|SELECT|INSERT|UPDATE|DELETE|\()/i.test(text));
}

const refusalOf = (text: string): Promise<string | null> =>
  runsOnNode(text) && withShards(text, shards) !== text
    ? refusalIn(node, withShards(text, shards))
    : refusalIn(client, text);

async function refusalIn(session: pg.Client, text: string): Promise<string | null> {
  await session.query('BEGIN');
  try {
    await session.query(`PREPARE planned AS ${text}`);
    const { rows } = await session.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'planned'`,
    );
    const values = rows[0]!.types.map(valueOf);
    await session.query(`EXPLAIN EXECUTE planned${values.length > 0 ? `(${values.join(', ')})` : ''}`);
    return null;
  } catch (error) {
    const { message } = error as Error;
    // A value of this test does not suit the statement, which Citus had planned before it read the value.
    return /^invalid (?:input syntax|hexadecimal)|^unit "x" not recognized/.test(message) ? null : message;
  } finally {
    await session.query('ROLLBACK');
    await session.query('DEALLOCATE ALL');
  }
}

const VALUES: Readonly<Record<string, string>> = {
  text: 'x', integer: '1', bigint: '1', smallint: '1', boolean: 'true', json: '{}', jsonb: '{}', numeric: '1',
  'double precision': '1', real: '1', date: '2026-01-01', inet: '10.0.0.1', cidr: '10.0.0.0/8', interval: '1 second',
  bytea: 'x',
}; // prettier-ignore

/** Citus plans a null as a condition that nothing meets, so each parameter has a value. */
function valueOf(type: string): string {
  const element = type.replace(/\[\]$/, '');
  const value = VALUES[element] ?? (element.startsWith('timestamp') ? '2026-01-01' : null);
  if (value === null) return 'NULL';
  return element === type ? `'${value}'::${type}` : `ARRAY['${value}']::${type}`;
}

/** The tables of the region that the table of ADR 0502 lists. */
function documentedRegion(): Set<string> {
  const adr = readFileSync(new URL('../../docs/adr/0502-statements-for-citus.md', import.meta.url), 'utf8');
  const [, list] = adr.split('| Verbs | Region | Cell |');
  const columns = list!
    .split('\n\n', 1)[0]!
    .split('\n')
    .map((line) => line.split('|')[2] ?? '');
  return new Set(
    columns
      .join('')
      .matchAll(/`(\w+)`/g)
      .map(([, table]) => table!),
  );
}

/**
 * The transactions of commands, which use no pool. Citus itself commits in two phases after a change of a table that
 * every node has. While the row of a move exists, the rows that the move left in the old cell are deleted later.
 */
const isSafeAlone = (region: readonly string[]): boolean =>
  ['user', 'organization', 'member'].some((table) => region.includes(table)) ||
  region.every((table) => table === 'organization_move');

test('each transaction that writes to a cell and to the region is committed in two phases', async () => {
  const tenantTables = await readTables(client, CELL);
  const both = readRecord()
    .flatMap(({ transaction }) => transaction ?? [])
    .map((one) => ({ ...one, tenant: one.others.filter((table) => tenantTables.has(table)) }))
    .filter(({ tenant }) => tenant.length > 0)
    .filter(({ texts }) => !texts.some((text) => WRITTEN_BY_TESTS.some((one) => one.test(text))))
    .filter(({ isRouted, region }) => isRouted || !isSafeAlone(region));
  const inOnePhase: object[] = [];
  for (const { texts, isRouted, region, tenant } of both) {
    const sent = isRouted ? await sentFor(texts, CELL, tenantTables) : [];
    const before = sent.slice(sent.findLastIndex((text) => texts.includes(text)) + 1, -1);
    const isTwoPhased = writesBeforeCommit([CELL]).every((text) => before.includes(text));
    if (!isTwoPhased) inOnePhase.push({ region, tenant, texts: texts.map((text) => text.slice(0, 200)) });
  }
  expect(inOnePhase).toEqual([]);
  expect(both.length).toBeGreaterThan(30);
  const documented = documentedRegion();
  expect([...new Set(both.flatMap(({ region }) => region))].filter((table) => !documented.has(table))).toEqual([]);
});

test('the triggers of a cell check references, write events and fan them out, on the node of the cell', async () => {
  const run = (text: string) => client.query(text);
  const types = async () =>
    (await client.query<{ type: string }>('SELECT type FROM event ORDER BY id')).rows.map(({ type }) => type);
  await run(`INSERT INTO organization (id, name, slug, cell) VALUES ('o', 'O', 'o', '${CELL}')`);
  await run(`INSERT INTO agent (org_id, id, name, draft, published) VALUES ('o', 'a', 'A', '{}', '{}')`);
  await run(`INSERT INTO channel (org_id, id, agent_id, kind, name) VALUES ('o', 'c', 'a', 'sandbox', 'S')`);
  await run(`INSERT INTO webhook_endpoint (org_id, id, url, types, sealed) VALUES ('o', 'w', 'https://x', '{}', 'x')`);
  await run(`INSERT INTO end_user (org_id, id) VALUES ('o', 'e'), ('o', 'f')`);
  const talk = (id: string, channel: string) =>
    run(
      `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id) VALUES ('o', '${id}', 'a', '${channel}', 'e')`,
    );
  await expect(talk('t', 'other')).rejects.toThrow('violates a foreign key');
  await talk('t', 'c');
  const runs = (status: string) =>
    run(`INSERT INTO run (org_id, id, conversation_id, status, input) VALUES ('o', 'r', 't', '${status}', '{}')`);
  await runs('running');
  await run(`INSERT INTO message (org_id, id, conversation_id, run_id, role, content, status)
    VALUES ('o', 'm', 't', 'r', 'end_user', '"hi"', 'delivered'), ('o', 'n', 't', 'r', 'agent', '"yes"', 'queued')`);
  await run(`UPDATE message SET status = 'sent' WHERE org_id = 'o' AND id = 'n'`);
  await run(
    `UPDATE end_user SET name = 'Asha', consent = '{"sms": {"status": "opted_out"}}' WHERE org_id = 'o' AND id = 'e'`,
  );
  await run(`UPDATE conversation SET status = 'handed_off', run_id = 'r' WHERE org_id = 'o' AND id = 't'`);
  await run(`UPDATE conversation SET status = 'resolved' WHERE org_id = 'o' AND id = 't'`);
  await run(`UPDATE conversation SET status = 'open' WHERE org_id = 'o' AND id = 't'`);
  await run(`INSERT INTO approval (org_id, id, agent_id, conversation_id, run_id, call, expires_at)
    VALUES ('o', 'p', 'a', 't', 'r', '{"tool": {"name": "x"}}', now())`);
  await run(`UPDATE run SET status = 'completed' WHERE org_id = 'o' AND id = 'r'`);
  await expect(run(`DELETE FROM end_user WHERE org_id = 'o' AND id = 'e'`)).rejects.toThrow('violates foreign key');
  await run(`DELETE FROM end_user WHERE org_id = 'o' AND id = 'f'`);
  expect(await types()).toEqual([
    'end_user.created', 'end_user.created', 'conversation.started', 'message.received', 'message.sent',
    'end_user.updated', 'end_user.opted_out', 'conversation.handed_off', 'conversation.resolved',
    'conversation.reopened', 'approval.requested', 'run.completed', 'end_user.deleted',
  ]); // prettier-ignore
  const left = await client.query(`SELECT status, reason FROM approval`);
  expect(left.rows).toEqual([{ status: 'denied', reason: 'completed' }]);
  const handed = await client.query(`SELECT conversation_id FROM hand_off`);
  expect(handed.rows).toEqual([{ conversation_id: 't' }]);
  const { rows } = await client.query(`SELECT count(*)::int AS n FROM event_delivery`);
  expect(rows).toEqual([{ n: 13 }]);
});
