import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { openDb } from './db.ts';
import { CLAIM_ATTACHMENTS } from './attachments/queue.ts';
import { CLAIM_DELIVERIES } from './deliveries/claim.ts';
import { APPLY as APPLY_RECEIPTS } from './deliveries/receipts.ts';
import { WRITE_END_USERS } from './end-users/write.ts';
import { LOOK } from './messages/feed.ts';
import { STANDING } from './messages/read-targets.ts';
import { QUEUE_DEPTHS } from './queue/depth.ts';
import { NEXT_DUE } from './queue/next-due.ts';
import { ADD_RECIPIENTS } from './recipients/add-recipients.ts';
import { CLAIM_RUNS } from './runs/claim.ts';
import { COMPLETE } from './runs/complete.ts';
import { FAIL } from './runs/release.ts';
import { statementOf } from './runs/write-statement.ts';
import { callColumns } from './runs/write.ts';
import {
  CLEAR_MEMORY,
  DELETE_APPROVALS,
  DELETE_MESSAGES,
  DELETE_NOTES,
  DELETE_RATINGS,
  DELETE_RUNS,
  DELETE_SUMMARIES,
  LOOK_AT,
  WEIGH,
} from './organizations/retention.ts';
import { FIND, UNREAD } from './visitors.ts';

/**
 * Plans that are made on empty tables and cached while the tables grow: a frequent statement finds every record by its
 * own key, whatever the tables contain (docs/adr/0002).
 */
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openDb(database.url).$client;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The plan that is cached for any parameters. (EXPLAIN has an option for it only since PostgreSQL 16.) */
async function planOf(statement: string): Promise<Node> {
  const parameters = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const nulls = Array.from({ length: parameters }, () => 'NULL');
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE planned AS ${statement}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE planned${parameters > 0 ? `(${nulls.join(', ')})` : ''}`,
    );
    return rows[0]!['QUERY PLAN'][0].Plan;
  } finally {
    client.release(true);
  }
}

/** The index and its condition; a scan through bitmaps has them one node below. */
const wayOf = (node: Node): string => {
  const read = node['Node Type'] === 'Bitmap Heap Scan' ? node.Plans![0]! : node;
  return `${read['Index Name'] ?? read['Node Type']} ${read['Index Cond'] ?? ''}`;
};

/** How each table is read. */
async function readsOf(statement: string): Promise<Map<string, string[]>> {
  const reads = new Map<string, string[]>();
  for (const node of nodesOf(await planOf(statement))) {
    const table = node['Relation Name'];
    if (table === undefined || node['Node Type'] === 'ModifyTable') continue;
    const by = wayOf(node);
    reads.set(table, [...(reads.get(table) ?? []), by]);
  }
  return reads;
}

test.each([
  ['pushing recipients', ADD_RECIPIENTS.text, ['api_key', 'campaign', 'end_user']],
  ['writing end users', WRITE_END_USERS.text, ['api_key', 'end_user']],
])('the query %s finds every record by its primary key', async (_, statement, tables) => {
  const reads = await readsOf(statement);
  for (const table of tables) {
    expect([table, reads.get(table)?.length ?? 0]).not.toEqual([table, 0]);
    for (const by of reads.get(table)!) {
      expect(by).toContain(`${table}_org_id_id_pk `);
      expect(by).toMatch(/org_id.*[^_]id =|[^_]id =.*org_id/);
    }
  }
});

test.each([
  ['channel', 'AND p.agent_id = $3'],
  ['end_user', ''],
  ['conversation', ''],
  ['trigger', ''],
])('checking a reference finds the %s by an index, not by a scan', async (parent, more) => {
  const reads = await readsOf(`SELECT true FROM ${parent} p WHERE p.org_id = $1 AND p.id = $2 ${more} FOR KEY SHARE`);
  expect(reads.get(parent)).toHaveLength(1);
  expect(reads.get(parent)![0]).toMatch(/_pk \(|_of_agent \(/);
  expect(reads.get(parent)![0]).toMatch(/org_id = .*[^_]id = /);
});

/**
 * Before PostgreSQL 17 a plan for an empty table reads all rows of an organization and compares their ids. These
 * statements are not prepared: they are planned for the table as it is.
 */
async function chooses(): Promise<boolean> {
  const { rows } = await pool.query<{ n: number }>(`SELECT current_setting('server_version_num')::int AS n`);
  return rows[0]!.n >= 170_000;
}

test('erasing old data, and the checks of references, find messages and runs by their conversation', async () => {
  const [org, ids, before] = [sql.raw('$1'), sql.raw('$2::text[]'), sql.raw('$3::timestamptz')];
  const pointsAt = (table: string) =>
    sql.raw(`SELECT true FROM ${table} x WHERE x.org_id = $1 AND x.conversation_id = $2 LIMIT 1 FOR KEY SHARE`);
  const ofConversation = /conversation_id =|= x?\.?conversation_id/;
  const byId = (await chooses()) ? /[( ]id = |AND \(id [<>]/ : /org_id = /;
  const allowed: Record<string, [string, RegExp][]> = {
    run: [['run_conversation', ofConversation], ['run_org_id_id_pk', byId]],
    message: [['message_conversation', ofConversation], ['message_queue', ofConversation], ['message_org_id_id_pk', byId]],
    recipient: [['recipient_run', (await chooses()) ? /run_id = / : /org_id = /]],
    conversation: [['conversation_org_id_id_pk', byId]],
    rating: [['rating_org_id_conversation_id_subject_pk', ofConversation]],
  }; // prettier-ignore
  for (const statement of [
    LOOK_AT(org, sql.raw('$2'), sql.raw('$4'), before),
    WEIGH(org, ids, before),
    DELETE_MESSAGES(org, ids, ids, before),
    CLEAR_MEMORY(org, ids),
    DELETE_SUMMARIES(org, ids),
    DELETE_RUNS(org, ids, ids, before),
    DELETE_NOTES(org, ids, before),
    DELETE_RATINGS(org, ids, before),
    DELETE_APPROVALS(org, ids, before),
    pointsAt('run'),
    pointsAt('message'),
  ]) {
    const { sql: text } = new PgDialect().sqlToQuery(statement);
    const reads = await readsOf(text);
    for (const [table, ways] of Object.entries(allowed))
      for (const by of reads.get(table) ?? []) {
        const isFound = ways.some(([index, column]) => by.startsWith(`${index} `) && column.test(by));
        expect({ text, by, isFound }).toEqual({ text, by, isFound: true });
      }
  }
});

/** Conditions on an id or an address, or an index that begins with an id. */
const BY_KEY =
  /org_id = .*(?:[^_]id|address|conversation_id|provider_message_id) = |^(?:identity_end_user|conversation_end_user|message_conversation) /;

/** Reads of these tables by something else than the record's id, an address, or the person that it belongs to. */
const notByKey = (reads: Map<string, string[]>, tables: readonly string[]): string[] =>
  tables.flatMap((table) => (reads.get(table) ?? [`${table} is not read`]).filter((by) => !BY_KEY.test(by)));

test('a claim of deliveries finds each record by its own key', async () => {
  const reads = await readsOf(CLAIM_DELIVERIES);
  expect(notByKey(reads, ['conversation', 'channel', 'end_user', 'identity'])).toEqual([]);
});

test('a claim of runs finds each record by its own key and reads only messages of its conversations', async () => {
  const reads = await readsOf(CLAIM_RUNS);
  expect(notByKey(reads, ['conversation', 'agent', 'channel', 'end_user', 'identity'])).toEqual([]);
  expect(reads.get('message')).toEqual([
    expect.stringMatching(/^message_conversation \(conversation_id = /),
    expect.stringMatching(/^message_org_id_id_pk .*[( ]id = u/),
  ]);
});

const ALL_PARTS = { people: true, keyed: true, repeatable: true, messages: true, introduces: true, client: true };
const KEYED = statementOf(ALL_PARTS, callColumns(ALL_PARTS)).text;

test.each<[string, string, string[]]>([
  ['a claim of files', CLAIM_ATTACHMENTS, ['conversation']],
  ['applying receipts', APPLY_RECEIPTS, ['conversation']],
  ['a run that fails', FAIL, ['conversation', 'run']],
  ['the messages of open web chats', LOOK.text, ['conversation', 'message']],
  ['a message of a visitor', FIND, ['conversation', 'end_user', 'message']],
  ['the unread messages of a visitor', UNREAD, ['conversation', 'message']],
  ['the standing of people', STANDING, ['end_user', 'conversation', 'identity']],
  ['accepting calls with a key of a conversation', KEYED, ['conversation', 'run']],
])(
  'the query %s finds each record by its own key, and no table by the organization alone',
  async (_, statement, tables) => {
    expect(notByKey(await readsOf(statement), tables)).toEqual([]);
  },
);

test('storing turns finds each run and each conversation by its own key', async () => {
  const reads = await readsOf(COMPLETE.text);
  for (const [table, times] of [
    ['run', 3],
    ['conversation', 2],
  ] as const) {
    expect([table, reads.get(table)?.length]).toEqual([table, times]);
    for (const by of reads.get(table)!) expect(by).toMatch(new RegExp(`^${table}_org_id_id_pk .*org_id = .*[^_]id = `));
  }
});

test('the depth of the queues is read from the indexes of due rows, lane by lane', async () => {
  const reads = await readsOf(QUEUE_DEPTHS);
  const allowed = {
    run: /^run_lane \(\(\(hashtext.* AND \(due_at <=/,
    message: /^message_lane \(\(\(hashtext.* AND \(due_at <=/,
    event_delivery: /^event_delivery_due \(due_at <=/,
    recipient: /^recipient_due .*org_id = .*campaign_id = .*due_at <=/,
  };
  for (const [table, way] of Object.entries(allowed)) {
    expect([table, reads.get(table)?.length]).toEqual([table, 2]);
    for (const by of reads.get(table)!) expect(by).toMatch(way);
  }
});

test('the query for the next due rows reads only the indexes of due rows', async () => {
  const reads = await readsOf(NEXT_DUE);
  expect(reads.size).toBe(15);
  for (const [table, ways] of reads)
    for (const by of ways)
      expect([table, by]).toEqual([table, expect.stringMatching(/_(?:due|lane|attended|result_event)\w* /)]);
});
