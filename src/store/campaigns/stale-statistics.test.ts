import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { newId } from '../../kernel/ids.ts';
import { type Db, openDb } from '../db.ts';
import { claimDue, countUnsent, expireRecipients, writeDispatch } from '../recipients/dispatch.ts';
import { planWaitingAgain } from '../recipients/read.ts';
import { listWaiting } from '../recipients/review.ts';
import { cancelCampaignRuns, holdCampaignRuns, letCampaignRunsGo, listHeldZones } from './runs.ts';

/**
 * People are added to a campaign by the thousand, and the next statement runs before PostgreSQL has counted them. Its
 * plan is from the time when the tables were empty, or had few rows. Such a plan must still read a number of rows that
 * grows with the campaign, and not with its square: a review of 9,900 people once took 27 s.
 */
const PEOPLE = 1_000;
const FEW = 20;
/** Rows and index entries of one table for each person. */
const MOST = 12;

let database: TestDatabase;
let db: Db;
let orgId: string;
let agentId: string;
let channelId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c plan_cache_mode=force_generic_plan');
  db = openDb(url.href, { max: 1 });
  const tables = ['recipient', 'end_user', 'conversation', 'run', 'message', 'identity', 'campaign', 'organization'];
  await db.$client.query(`TRUNCATE ${tables.join(', ')} CASCADE`);
  for (const table of tables) {
    await db.$client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await db.$client.query(`VACUUM ANALYZE ${table}`);
  }
  orgId = await givenOrganization(db);
  ({ agentId, channelId } = await givenAgent(db, orgId));
  return () => db.$client.end();
});

async function givenCampaign(people: number): Promise<string> {
  const id = newId('campaign');
  const { $client } = db;
  await $client.query(
    `INSERT INTO campaign (org_id, id, agent_id, channel_id, name, state, attended)
      VALUES ($1, $2, $3, $4, 'Spring', 'live', true)`,
    [orgId, id, agentId, channelId],
  );
  await $client.query(
    `INSERT INTO end_user (org_id, id, time_zone) SELECT $1, $2 || g, 'Asia/Qatar' FROM generate_series(1, $3) g`,
    [orgId, `enduser_${id}`, people],
  );
  await $client.query(
    `INSERT INTO identity (org_id, channel_id, address, end_user_id)
      SELECT $1, $2, $3 || g, $3 || g FROM generate_series(1, $4) g`,
    [orgId, channelId, `enduser_${id}`, people],
  );
  await $client.query(
    `INSERT INTO recipient (org_id, campaign_id, id, end_user_id, status, due_at)
      SELECT $1, $2, $2 || g, 'enduser_' || $2 || g, 'pending', now() FROM generate_series(1, $3) g`,
    [orgId, id, people],
  );
  return id;
}

/** Every recipient has a conversation with a run: without a turn, or with a first message that waits to be sent. */
async function givenStarted(id: string): Promise<void> {
  const { $client } = db;
  const from = `FROM recipient WHERE org_id = $1 AND campaign_id = $2`;
  await $client.query(
    `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id)
      SELECT org_id, 'c' || id, $3, $4, end_user_id ${from}`,
    [orgId, id, agentId, channelId],
  );
  await $client.query(
    `INSERT INTO run (org_id, id, conversation_id, status, input, due_at, turns)
      SELECT org_id, 'r' || id, 'c' || id, 'queued', '{}', now(), length(id) % 2 ${from}`,
    [orgId, id],
  );
  await $client.query(
    `INSERT INTO message (org_id, id, conversation_id, run_id, role, content, status, due_at)
      SELECT org_id, 'm' || id, 'c' || id, 'r' || id, 'agent', '{"type": "text", "text": "Hello"}', 'queued', now() ${from}`,
    [orgId, id],
  );
  await $client.query(
    `UPDATE recipient SET status = 'sending', due_at = NULL, conversation_id = 'c' || id, run_id = 'r' || id
      WHERE org_id = $1 AND campaign_id = $2`,
    [orgId, id],
  );
}

const PAGE = 500;
const place = (id: string) => ({ orgId, id, channelId, channelKind: 'sandbox' });

async function reviewAll(id: string): Promise<void> {
  for (let after = ''; ;) {
    const page = await listWaiting(db, place(id), { after, limit: PAGE });
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

async function replanAll(id: string): Promise<void> {
  await db.$client.query(`UPDATE recipient SET due_at = now() + interval '1 day' WHERE campaign_id = $1`, [id]);
  for (let after: string | null = ''; after !== null;)
    after = await planWaitingAgain(db, orgId, id, { after, limit: PAGE });
}

async function dispatchAll(id: string): Promise<void> {
  const client = await db.$client.connect();
  const key = { org_id: orgId, id, agent_id: agentId, channel_id: channelId, channel_kind: 'sandbox' };
  const campaign = { ...key, settings: {}, paced_until: null, now: new Date() };
  try {
    for (;;) {
      await client.query('BEGIN');
      const due = await claimDue(client, campaign, PAGE);
      const dispatches = due.map((recipient, index) =>
        index % 2
          ? ({ kind: 'end', recipient, status: 'failed', reason: 'no_address' } as const)
          : ({
              kind: 'begin',
              recipient,
              conversationId: newId('conv'),
              runId: newId('run'),
              input: {},
            } as const),
      );
      await writeDispatch(client, campaign, dispatches, null);
      await client.query('COMMIT');
      if (due.length === 0) return;
    }
  } finally {
    client.release();
  }
}

async function countAll(id: string): Promise<void> {
  const client = await db.$client.connect();
  await countUnsent(client, { org_id: orgId, id }, PEOPLE).finally(() => client.release());
}

async function expireAll(id: string): Promise<void> {
  await db.$client.query(`UPDATE campaign SET state = 'ended' WHERE id = $1`, [id]);
  while ((await expireRecipients(db, PAGE)) > 0);
}

const OPENINGS = new Map([['Asia/Qatar', new Date()]]);

const WORK: Record<string, { started: boolean; run: (id: string) => Promise<unknown> }> = {
  'a review': { started: false, run: reviewAll },
  'a change of settings': { started: false, run: replanAll },
  dispatching: { started: false, run: dispatchAll },
  'the end of the campaign before its start': { started: false, run: expireAll },
  'a pause': { started: true, run: (id) => holdCampaignRuns(db, orgId, id) },
  'the count of unsent first messages': { started: true, run: countAll },
  'the time zones of held people': { started: true, run: (id) => listHeldZones(db, orgId, id) },
  'a resume': {
    started: true,
    run: async (id) => {
      await holdCampaignRuns(db, orgId, id);
      await letCampaignRunsGo(db, orgId, id, OPENINGS);
    },
  },
  'the end of the campaign': { started: true, run: (id) => cancelCampaignRuns(db, orgId, id) },
};

async function prepare(started: boolean, people: number): Promise<string> {
  const id = await givenCampaign(people);
  if (started) await givenStarted(id);
  return id;
}

test.for(Object.keys(WORK))('%s reads each record once or a few times, with a plan for empty tables', async (name) => {
  const { started, run } = WORK[name]!;
  await run(newId('campaign'));
  const id = await prepare(started, PEOPLE);
  const read = await rowsRead(db, () => run(id));
  expect(Object.entries(read).filter(([, rows]) => rows > MOST * PEOPLE)).toEqual([]);
});

test.for(Object.keys(WORK))('%s reads each record once or a few times, with a plan for few rows', async (name) => {
  const { started, run } = WORK[name]!;
  await prepare(started, FEW);
  await db.$client.query('ANALYZE');
  await run(newId('campaign'));
  const id = await prepare(started, PEOPLE);
  const read = await rowsRead(db, () => run(id));
  expect(Object.entries(read).filter(([, rows]) => rows > MOST * PEOPLE)).toEqual([]);
});
