import pg from 'pg';
import { newId } from '../../src/kernel/ids.ts';
import { median, perSecond, type Plan } from '../compare.ts';
import { type Program, startProgram } from '../program.ts';

/** The number of connections that the database can use on a few cores. */
const CLIENTS = 16;

/** Inserts the rows of an accepted call in one statement. */
const ONE_CALL = `
  WITH person AS (INSERT INTO end_user (org_id, id) VALUES ($1, $2)),
  talk AS (INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, run_id) VALUES ($1, $3, $4, $5, $2, $6))
  INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, due_at) VALUES ($1, $6, $7, $3, 'queued', '{}', now())`;

/**
 * Measures the maximum of the database alone, with one statement and one commit per call, as in an ordinary program
 * such as pgbench. The driver runs in this process, so one Node process's sending speed also limits the result.
 */
export async function database(plan: Plan): Promise<string[]> {
  await using program = await startProgram('worker');
  const facts = await factsOf(program);
  const config = program.db.$client.options as { connectionString: string };
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = new pg.Client({ connectionString: config.connectionString });
      await client.connect();
      return client;
    }),
  );
  try {
    const rates: number[] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      const until = performance.now() + plan.seconds * 1000;
      const done = await Promise.all(clients.map((client) => writeUntil(client, facts, until)));
      // The first round is not counted, because it fills caches.
      if (round > 0) rates.push(done.reduce((total, one) => total + one, 0) / plan.seconds);
    }
    return [
      `one statement and one commit for each call, ${CLIENTS} clients: ${perSecond({ perSecond: median(rates) })}`,
    ];
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

type Facts = { orgId: string; agentId: string; channelId: string; triggerId: string };

async function factsOf({ db }: Program): Promise<Facts> {
  const { rows } = await db.$client.query<Facts>(
    `SELECT t.org_id AS "orgId", t.agent_id AS "agentId", c.id AS "channelId", t.id AS "triggerId"
     FROM trigger t JOIN channel c ON c.org_id = t.org_id AND c.agent_id = t.agent_id LIMIT 1`,
  );
  return rows[0]!;
}

async function writeUntil(client: pg.Client, facts: Facts, until: number): Promise<number> {
  const { orgId, agentId, channelId, triggerId } = facts;
  let done = 0;
  for (; performance.now() < until; done += 1) {
    const values = [orgId, newId('enduser'), newId('conv'), agentId, channelId, newId('run'), triggerId];
    await client.query({ name: 'one-call', text: ONE_CALL, values });
  }
  return done;
}
