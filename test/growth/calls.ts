import { DASHBOARD_ROUTES } from '../../contract/dashboard/routes.ts';
import type { Db } from '../../src/store/db.ts';
import type { Grown } from './insert-rows.ts';

/** A list, a search or a count, with its name and its route. */
export type GrowthCall = { name: string; method: 'GET' | 'POST'; path: string; body?: unknown };

/** The tables that grow with use. Other lists, such as members, contain only rows that people create by hand. */
const LISTS = [
  'readOverview',
  'listConversations',
  'countConversations',
  'readConversation',
  'listMessages',
  'listEndUsers',
  'readEndUser',
  'listTriggerRuns',
  'listRecipients',
  'readCampaign',
  'readCampaignReport',
  'listCampaignResults',
  'listPushes',
  'listEventDeliveries',
  'readStatistics',
  'listCampaigns',
  'listRequests',
  'listRequestCalls',
  'listAudit',
  'listMissedQuestions',
  'listAllMissedQuestions',
  'readKeyUsage',
  'readUsage',
  'previewRetention',
  'readRetention',
] as const;

const api = (name: string, path: string): GrowthCall => ({ name: `GET ${name}`, method: 'GET', path });

/**
 * Lists every list, search and count of both APIs: without a filter, with each filter, and with values that match many,
 * few and no rows.
 */
export async function growthCalls({ $client }: Db, grown: Grown): Promise<GrowthCall[]> {
  const { rows } = await $client.query<{ conversation: string; person: string }>(
    `SELECT id AS conversation, end_user_id AS person FROM conversation WHERE org_id = $1 ORDER BY id LIMIT 1`,
    [grown.orgId],
  );
  const { conversation, person } = rows[0]!;
  const { rows: half } = await $client.query<{ id: string }>(
    `SELECT id FROM message WHERE org_id = $1 AND conversation_id = $2 ORDER BY id
      OFFSET (SELECT count(*) / 2 FROM message WHERE org_id = $1 AND conversation_id = $2) LIMIT 1`,
    [grown.orgId, conversation],
  );
  const ids: Record<string, string> = {
    org_id: grown.orgId,
    agent_id: grown.agentId,
    trigger_id: grown.triggerId,
    campaign_id: grown.campaignId,
    key_id: grown.keyId,
    conversation_id: conversation,
    end_user_id: person,
  };
  const values: Record<string, string[]> = {
    text: ['Fatima', 'order', 'crm-77', 'zzz none'],
    view: ['mine', 'unassigned', 'waiting', 'snoozed', 'mentions'],
    agent_id: [grown.agentId, grown.rareAgentId],
    channel_id: [grown.channelId, grown.rareChannelId],
    end_user_id: [person],
    tag: ['vip', 'refund', 'none'],
    ref: ['row-10', 'none'],
    email: ['p7@example.qa'],
    external_id: ['crm-7'],
    blocked: ['true'],
    subject_id: ['campaign7'],
    actor: ['user:u1', 'none'],
    days: ['30'],
    endpoint_id: [grown.endpointId],
    type: ['run.completed', 'run.failed', 'campaign.ended'],
    state: ['delivered', 'failed', 'cancelled'],
    period: ['24h', '30d'],
    before: [half[0]!.id],
  };
  const statuses: Record<string, string[]> = {
    listConversations: ['open', 'handed_off', 'resolved'],
    listRecipients: ['pending', 'failed', 'delivered'],
  };
  const calls: GrowthCall[] = [];
  for (const name of LISTS) {
    const { path, query } = DASHBOARD_ROUTES[name] as {
      path: string;
      query?: { properties?: Record<string, unknown> };
    };
    const full = `/dashboard/api${path.replaceAll(/:(\w+)/g, (_, id: string) => ids[id]!)}`;
    if (name !== 'previewRetention') calls.push({ name, method: 'GET', path: full });
    for (const field of Object.keys(query?.properties ?? {}))
      for (const value of field === 'status' ? (statuses[name] ?? []) : (values[field] ?? []))
        calls.push({
          name: `${name} ${field}=${shown(value)}`,
          method: 'GET',
          path: `${full}?${field}=${encodeURIComponent(value)}`,
        });
  }
  const runs = `/api/triggers/${grown.agentId}/${grown.triggerId}/runs`;
  calls.push(
    api('end users', '/api/end-users'),
    api('end users by tag', '/api/end-users?tag=vip'),
    api('end users by external_id', '/api/end-users?external_id=crm-7'),
    api('conversations of an end user', `/api/end-users/${person}/conversations`),
    api('messages of a conversation', `/api/end-users/${person}/conversations/${conversation}/messages`),
    api('runs', runs),
    api('runs by status', `${runs}?status=failed`),
    api('recipients', `/api/campaigns/${grown.campaignId}/recipients`),
    api('recipients by status', `/api/campaigns/${grown.campaignId}/recipients?status=failed`),
    api('a campaign with its counts', `/api/campaigns/${grown.campaignId}`),
  );
  for (const filter of [
    { query: 'fatima' },
    { query: 'p' },
    { query: 'zzz none' },
    { filter: { attributes: { plan: 'gold' } } },
  ])
    calls.push({
      name: `POST search ${JSON.stringify(filter)}`,
      method: 'POST',
      path: '/api/end-users/search',
      body: filter,
    });
  return calls;
}

/** The IDs in calls differ from run to run. */
const shown = (value: string): string => value.replace(/_.*/, '');

/** Calls the dashboard's API with a session, and the public API with a key. */
export type Caller = { origin: string; key: string; campaignKey: string; cookie: string };

export async function call(
  { origin, key, campaignKey, cookie }: Caller,
  { method, path, body }: GrowthCall,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(origin + path, {
    method,
    headers: {
      ...(path.startsWith('/api/')
        ? { authorization: `Bearer ${path.startsWith('/api/campaigns/') ? campaignKey : key}` }
        : { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

export async function signIn(origin: string, owner: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${origin}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner.email, password: owner.password }),
  });
  if (answer.status !== 200) throw new Error(`Signing in failed: ${answer.status} ${await answer.text()}`);
  return answer.headers.getSetCookie().map((one) => one.split(';')[0]).join('; '); // prettier-ignore
}
