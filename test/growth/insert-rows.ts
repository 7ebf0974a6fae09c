import { hashPassword } from 'better-auth/crypto';
import { newId } from '../../src/kernel/ids.ts';
import { insertPerson } from '../../src/store/accounts/accounts.ts';
import type { Db } from '../../src/store/db.ts';
import { insertMember } from '../../src/store/members/members.ts';
import { givenAgent, givenTrigger } from '../factories.ts';

/** An organization whose tables can be filled to any size. */
export type Grown = {
  orgId: string;
  /** This agent has nearly all conversations and runs. */
  agentId: string;
  channelId: string;
  triggerId: string;
  /** This agent has the oldest conversations, one in a thousand. */
  rareAgentId: string;
  rareChannelId: string;
  campaignId: string;
  keyId: string;
  endpointId: string;
};

export const OWNER = { name: 'Asha Rao', email: 'asha@example.com', password: 'correct horse battery' };

export async function prepareGrowth(db: Db, orgId: string, keyId: string): Promise<Grown> {
  const person = await insertPerson(db, { ...OWNER, passwordHash: await hashPassword(OWNER.password) });
  await insertMember(db, orgId, person.id, 'owner');
  const { agentId, channelId } = await givenAgent(db, orgId, { name: 'Concierge' });
  const rare = await givenAgent(db, orgId, { name: 'Night desk' });
  const triggerId = await givenTrigger(db, orgId, agentId);
  const campaignId = newId('campaign');
  await db.$client.query(
    `INSERT INTO campaign (org_id, id, agent_id, channel_id, name, state, attended)
      VALUES ($1, $2, $3, $4, 'Spring', 'live', false)`,
    [orgId, campaignId, agentId, channelId],
  );
  const endpointId = newId('whk');
  // The endpoint is disabled, so the rows of the fill are the only events.
  await db.$client.query(
    `INSERT INTO webhook_endpoint (org_id, id, url, enabled, sealed) VALUES ($1, $2, 'https://example.qa/events', false, '')`,
    [orgId, endpointId],
  );
  const { agentId: rareAgentId, channelId: rareChannelId } = rare;
  return { orgId, agentId, channelId, triggerId, rareAgentId, rareChannelId, campaignId, keyId, endpointId };
}

const DAYS = 60;
/** The number of rows per statement, so that each statement ends before the time limit. */
const CHUNK = 20_000;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns SQL for an ID in the form of newId, which is ten characters of the time and the number of the row. */
const idOf = (prefix: string, mark = 'e'): string => {
  const time = Array.from(
    { length: 10 },
    (_, place) => `substr('${ALPHABET}', ((g.ms >> ${5 * (9 - place)}) & 31)::int + 1, 1)`,
  );
  return `'${prefix}_' || ${time.join(' || ')} || '${mark}' || lpad(to_hex(g.n), 15, '0')`;
};

const TABLES = [
  'end_user',
  'conversation',
  'message',
  'run',
  'recipient',
  'request_log',
  'audit',
  'event',
  'event_delivery',
];
/** The counters that the server stores for each organization (src/store/usage/usage.ts). */
const MAX_REQUESTS = 50_000;
/** The messages of one conversation. More than a list may read (test/growth/growth.test.ts). */
const MAX_MESSAGES = 50_000;

/**
 * Fills the tables until the organization has this many end users, each with a conversation, a message and a run. The
 * oldest conversation of each thousand is special, with another agent, resolved, with a failed run and a tag.
 */
export async function fill({ $client }: Db, grown: Grown, from: number, to: number): Promise<void> {
  // All tables use the same time, because the ID of a row contains its time.
  const begin = Date.now() - DAYS * 86_400_000;
  const span = Math.max(1, to - from);
  const rows = `(SELECT n, ${begin} + ((n - ${from})::float8 * ${(DAYS * 86_400_000) / span})::bigint AS ms,
      n - ${from} < ${Math.max(1, span / 1000)} AS rare FROM generate_series($2::int, $3::int - 1) n) g`;
  const at = 'to_timestamp(g.ms / 1000.0)';
  const insert = async (text: string, values: readonly string[] = [], most = to) => {
    for (let next = from; next < Math.min(to, most); next += CHUNK)
      await $client.query(text, [grown.orgId, next, Math.min(next + CHUNK, to, most), ...values]);
  };
  for (const table of TABLES) await $client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  try {
    await insert(`INSERT INTO end_user (org_id, id, name, external_id, email, tags, attributes, created_at, updated_at)
      SELECT $1, ${idOf('enduser')}, 'Person ' || n || CASE WHEN n % 500 = 0 THEN ' Fatima' ELSE '' END, 'crm-' || n,
        'p' || n || '@example.qa', CASE WHEN rare THEN '{vip}'::text[] ELSE '{}' END,
        CASE WHEN n % 2 = 0 THEN '{"plan": "gold"}'::jsonb ELSE '{}' END, ${at}, ${at} FROM ${rows}`);
    await insert(
      `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, key, status, tags, run_id, created_at,
        updated_at)
      SELECT $1, ${idOf('conv')}, CASE WHEN rare THEN $6 ELSE $4 END, CASE WHEN rare THEN $7 ELSE $5 END,
        ${idOf('enduser')}, CASE WHEN n % 10 = 0 THEN 'order-' || n END,
        CASE WHEN rare THEN 'resolved' WHEN n % 20000 = 7 THEN 'handed_off' ELSE 'open' END,
        CASE WHEN rare THEN '{refund}'::text[] ELSE '{}' END, ${idOf('run')}, ${at}, ${at} FROM ${rows}`,
      [grown.agentId, grown.channelId, grown.rareAgentId, grown.rareChannelId],
    );
    await insert(`INSERT INTO message (org_id, id, conversation_id, run_id, role, content, status, created_at)
      SELECT $1, ${idOf('msg')}, ${idOf('conv')}, ${idOf('run')}, 'agent',
        jsonb_build_object('type', 'text', 'text', 'Your order ' || n || ' is on its way.'), 'delivered', ${at}
      FROM ${rows}`);
    // The oldest conversation is long.
    await insert(
      `INSERT INTO message (org_id, id, conversation_id, role, content, status, created_at)
      SELECT $1, ${idOf('msg', 'f')}, (SELECT min(id) FROM conversation WHERE org_id = $1), 'end_user',
        jsonb_build_object('type', 'text', 'text', 'And now? ' || n), 'delivered', ${at}
      FROM ${rows}`,
      [],
      MAX_MESSAGES,
    );
    await insert(
      `INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, turns, created_at, finished_at)
      SELECT $1, ${idOf('run')}, $4, ${idOf('conv')}, CASE WHEN rare THEN 'failed' ELSE 'completed' END, '{}', 1, ${at},
        ${at} FROM ${rows}`,
      [grown.triggerId],
    );
    await insert(
      `INSERT INTO recipient (org_id, campaign_id, id, end_user_id, ref, status, created_at, sent_at)
      SELECT $1, $4, ${idOf('rcpt')}, ${idOf('enduser')}, 'row-' || n, CASE WHEN rare THEN 'failed' ELSE 'delivered' END,
        ${at}, ${at} FROM ${rows} WHERE n % 10 = 0`,
      [grown.campaignId],
    );
    await insert(
      `INSERT INTO request_log (org_id, id, key_id, at, method, route, status, code, ms)
      SELECT $1, ${idOf('req')}, $4, ${at}, 'POST', '/api/triggers/{agent_id}/{trigger_id}', 202, NULL, 3 FROM ${rows}`,
      [grown.keyId],
      MAX_REQUESTS,
    );
    await insert(`INSERT INTO audit (org_id, id, actor, action, subject_id, created_at)
      SELECT $1, ${idOf('audit')}, 'user:u' || n % 9, 'campaign.paused', 'campaign' || n % 99, ${at} FROM ${rows}
      WHERE n % 100 = 0`);
    await insert(`INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
      SELECT $1, ${idOf('evt')}, CASE WHEN rare THEN 'run.failed' ELSE 'run.completed' END, ${idOf('enduser')}, '{}', ${at}
      FROM ${rows}`);
    await insert(
      `INSERT INTO event_delivery (org_id, event_id, endpoint_id, state, attempts, created_at, updated_at)
      SELECT $1, ${idOf('evt')}, $4, CASE WHEN rare THEN 'failed' ELSE 'delivered' END, 1, ${at}, ${at} FROM ${rows}`,
      [grown.endpointId],
    );
  } finally {
    for (const table of TABLES) await $client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  for (const table of TABLES) await $client.query(`VACUUM (ANALYZE) ${table}`);
}
