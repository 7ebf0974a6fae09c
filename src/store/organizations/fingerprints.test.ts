import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { run } from '../schema/run.ts';
import { readFingerprints } from './fingerprints.ts';

let db: Db;

useDatabase((own) => {
  db = own;
});

/** A page may have read the state in between: with the same fingerprint it would show that state until it reads again. */
it('the fingerprint changes after a turn that began and ended between two reads', async () => {
  const orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  const channelId = await givenChannel(db, orgId, agentId, { kind: 'sandbox' });
  const { id } = await givenConversation(db, orgId, channelId);
  const runId = newId('run');
  await db.insert(run).values({ orgId, id: runId, conversationId: id, status: 'waiting_for_user', input: {} as never });
  await db.execute(sql`UPDATE conversation SET run_id = ${runId} WHERE org_id = ${orgId} AND id = ${id}`);
  const print = async () => (await readFingerprints(db, [{ orgId, kind: 'conversation', id }]))[0];

  const before = await print();
  expect(await print()).toBe(before);
  for (const status of ['running', 'waiting_for_user'])
    await db.execute(sql`UPDATE run SET status = ${status} WHERE org_id = ${orgId} AND id = ${runId}`);
  expect(await print()).not.toBe(before);
});
