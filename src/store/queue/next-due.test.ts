import type pg from 'pg';
import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { readNextDue, type WatchedQueue } from './next-due.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

const SOON = `now() + interval '5 seconds'`;
const dueIn = (table: string, column = 'due_at') => [[table, { [column]: SOON }]] as const;
const CAMPAIGN = { org_id: `'org'`, id: `'campaign'`, state: `'live'`, attended: 'true', settings: `'{}'` };
const RECIPIENT = { org_id: `'org'`, campaign_id: `'campaign'` };

/** Rows that are due in five seconds, by the columns that the claims of their queue read. */
const ROWS: [WatchedQueue, readonly (readonly [table: string, row: Record<string, string>])[]][] = [
  ['turns', [['run', { org_id: `'org'`, due_at: SOON }]]],
  ['deliveries', [['message', { org_id: `'org'`, due_at: SOON }]]],
  ['attachments', [['attachment', { org_id: `'org'`, due_at: SOON }]]],
  ['events', dueIn('event_delivery')],
  ['results', dueIn('run', 'result_event_at')],
  ['imports', dueIn('end_user_import')],
  ['sources', dueIn('document_source')],
  ['embeddings', dueIn('document_embedding')],
  ['questions', dueIn('document_question')],
  ['additions', dueIn('campaign_push')],
  ['schedules', dueIn('campaign_schedule', 'next_at')],
  ['handOffs', dueIn('hand_off')],
  ['surveys', dueIn('rating')],
  ['approvals', [['approval', { status: `'pending'`, expires_at: SOON }]]],
  ['campaigns', [['campaign', { ...CAMPAIGN }], ['recipient', { ...RECIPIENT, due_at: SOON }]]],
  ['campaigns', [['campaign', { ...CAMPAIGN, paced_until: SOON }], ['recipient', { ...RECIPIENT, due_at: 'now()' }]]],
  ['campaigns', [['campaign', { ...CAMPAIGN, settings: `jsonb_build_object('ends_at', ${SOON})` }]]],
]; // prettier-ignore

const TABLES = [...new Set(ROWS.flatMap(([, rows]) => rows.map(([table]) => table)))];

/** Temporary tables of the same names have the columns, but not the references. */
async function withRows(rows: (typeof ROWS)[number][1], use: (client: pg.PoolClient) => Promise<void>) {
  const client = await db.$client.connect();
  try {
    await client.query('BEGIN');
    for (const table of TABLES) await client.query(`CREATE TEMP TABLE ${table} AS SELECT * FROM ${table} WITH NO DATA`);
    for (const [table, row] of rows)
      await client.query(`INSERT INTO ${table} (${Object.keys(row).join()}) SELECT ${Object.values(row).join()}`);
    await use(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

test.each(ROWS)('the watch of %s knows when its first row is due', async (queue, rows) => {
  await withRows(rows, async (client) => {
    const { [queue]: inMs, ...others } = await readNextDue(client as unknown as pg.Pool);
    // The end of a campaign has microseconds, and the time of queues has not.
    expect(inMs).toBeCloseTo(5_000, -1);
    expect(Object.values(others).filter((other) => other !== null)).toEqual([]);
  });
});

test.each(['ended', 'live', 'paused'])(
  'a campaign that is %s and whose end has passed is due immediately',
  async (state) => {
    const over = state === 'ended' ? {} : { settings: `jsonb_build_object('ends_at', now() - interval '1 day')` };
    await withRows([['campaign', { ...CAMPAIGN, state: `'${state}'`, ...over }]], async (client) => {
      expect((await readNextDue(client as unknown as pg.Pool)).campaigns).toBeLessThanOrEqual(0);
    });
  },
);
