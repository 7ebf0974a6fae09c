import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import type { IdPrefix } from '../../contract/ids.ts';
import type { Permission } from '../../contract/permissions.ts';
import { campaign as campaignTable } from '../../src/store/schema/campaign.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenApproval, givenOrganization, givenTrigger } from '../factories.ts';

/**
 * Every operation of the published description × every kind of key × every value of every ID in its path. The expected
 * responses are written here as the rules of the order of checks (docs/security.md). They depend on the path only, not
 * on the code that decides. A new route is included automatically.
 */
let parley: TestApp;
let operations: Operation[];
let keys: TestKey[];
let ids: Record<string, Values>;
let own: Tenant;
let foreign: Tenant;
/** Counts of the other organization's rows before any call. */
let before: unknown;

type Operation = {
  method: string;
  path: string;
  /** In the path, or in the body if `inBody`. */
  parameters: string[];
  inBody: boolean;
  body: unknown;
  statuses: number[];
};
type TestKey = {
  name: string;
  value: string;
  scope: 'organization' | 'agent' | 'campaign';
  permissions: readonly Permission[];
  /** A key that is bound to the agent or campaign in the path. */
  isBound: boolean;
  plan: 'paid' | 'free';
  /** A key of an organization that has none of the IDs. */
  isStranger: boolean;
};
type Which = 'own' | 'sibling' | 'foreign' | 'missing' | 'malformed' | 'encoded';
type Values = Partial<Record<Which, string>>;
type Tenant = Record<string, string>;

/** A time after the test, so that no state changes by itself. */
const IN_A_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString();

const PARAMETERS: Record<string, IdPrefix> = {
  agent_id: 'agent',
  trigger_id: 'trigger',
  channel_id: 'channel',
  campaign_id: 'campaign',
  run_id: 'run',
  message_id: 'msg',
  recipient_id: 'rcpt',
  conversation_id: 'conv',
  end_user_id: 'enduser',
  approval_id: 'approval',
};

beforeAll(async () => {
  const much = '{"key":1000000,"organization":1000000}';
  parley = await startTestApp(
    {
      PARLEY_LIMITS: `{"triggers":${much},"channels":${much},"end_users":${much},"campaigns":${much}}`,
    },
    { role: 'api' },
  );
  const { body: document } = await parley.call('GET', '/api/openapi.json');
  operations = operationsOf(document);
  own = await givenTenant();
  const sibling = await givenTenant(own.org_id);
  foreign = await givenTenant();
  ids = Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, prefix]) => [
      name,
      {
        own: own[name],
        sibling: sibling[name],
        foreign: foreign[name],
        missing: newId(prefix),
        malformed: 'nonsense',
        encoded: `${prefix}_a%2Fb`,
      },
    ]),
  );
  keys = await givenKeys(sibling);
  before = await countRows(foreign.org_id!);
});
afterAll(() => parley.stop());

describe('every route × every key × every id', () => {
  test('every route responds according to the order of checks', { timeout: 300_000 }, async () => {
    const wrong: string[] = [];
    let asked = 0;
    for (const operation of operations) {
      const cases = keys.flatMap((key) => variants(operation).map((chosen) => ({ key, chosen })));
      // Concurrently, but in small groups: the calls are independent of each other.
      for (let at = 0; at < cases.length; at += 8) {
        await Promise.all(
          cases.slice(at, at + 8).map(async ({ key, chosen }) => {
            const expected = verdict(operation, key, chosen);
            if (expected === null && operation.method === 'DELETE') return;
            asked++;
            const answer = await ask(operation, key, chosen, expected?.[1] ?? null);
            const fault = judge(operation, answer, expected);
            if (fault)
              wrong.push(`${key.name}: ${operation.method} ${operation.path} ${describeChosen(chosen)}: ${fault}`);
          }),
        );
      }
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(2_000);
  });

  test('no call changed or read data of the other organization', async () => {
    expect(await countRows(foreign.org_id!)).toEqual(before);
  });

  test('the table has every group of routes in the contract', () => {
    const families = new Set(operations.map(({ path }) => path.split('/')[2]));
    expect(families).toEqual(
      new Set([
        'approvals',
        'campaigns',
        'channels',
        'client-tokens',
        'end-users',
        'events',
        'me',
        'openai',
        'triggers',
      ]),
    );
    expect(operations.length).toBeGreaterThan(25);
  });
});

/** Rows 6 to 11. Null: the caller has access, and the handler's response is in the description. */
function verdict({ path }: Operation, key: TestKey, chosen: Record<string, Which>): [number, string] | null {
  const family = path.split('/')[2]!;
  const needs = NEEDS[family];
  const bound = key.isBound ? 'own' : 'sibling';
  if (key.plan === 'free') return [403, 'plan_required'];
  if (needs && !key.permissions.includes(needs)) return [403, 'permission_missing'];
  if (family === 'campaigns' && chosen.campaign_id !== bound) return [403, 'campaign_mismatch'];
  if (key.scope === 'agent' && chosen.agent_id !== undefined && chosen.agent_id !== bound)
    return [403, 'agent_mismatch'];
  // The agent in the body is an own one.
  if (path.startsWith('/api/openai/v1/chat')) {
    if (key.scope === 'agent' && !key.isBound) return [403, 'agent_mismatch'];
    return key.isStranger ? [404, 'agent_not_found'] : null;
  }
  // The path of an approval names no agent: the approvals of other agents are hidden from an agent key.
  if (key.scope === 'agent' && chosen.approval_id !== undefined && chosen.approval_id !== bound)
    return [404, 'approval_not_found'];
  const isMine = (which: Which) => !key.isStranger && (which === 'own' || which === 'sibling');
  // A record below the first ID of the path is found only there, for every owner.
  const [above, ...below] = Object.entries(chosen);
  if (!above) return null;
  if (!isMine(above[1])) return [404, NOT_FOUND[above[0]]!];
  const strange = below.find(([, which]) => which !== above[1]);
  return strange ? [404, NOT_FOUND[strange[0]]!] : null;
}

const NEEDS: Record<string, Permission> = {
  approvals: 'triggers',
  'client-tokens': 'triggers',
  events: 'triggers',
  openai: 'triggers',
  triggers: 'triggers',
  channels: 'channels',
  'end-users': 'end_users',
  campaigns: 'campaigns',
};

const NOT_FOUND: Record<string, string> = {
  agent_id: 'agent_not_found',
  trigger_id: 'trigger_not_found',
  channel_id: 'channel_not_found',
  campaign_id: 'campaign_not_found',
  run_id: 'run_not_found',
  message_id: 'message_not_found',
  recipient_id: 'recipient_not_found',
  end_user_id: 'end_user_not_found',
  approval_id: 'approval_not_found',
  conversation_id: 'conversation_not_found',
};

function judge(operation: Operation, answer: Answer, expected: [number, string] | null): string | null {
  const outcome = `${answer.status} ${answer.body?.code ?? answer.body?.error?.code ?? ''}`.trim();
  if (expected) return outcome === expected.join(' ') ? null : `${outcome} instead of ${expected.join(' ')}`;
  if ([401, 403, 404, 429, 500, 503].includes(answer.status)) return `${outcome} instead of being let through`;
  return operation.statuses.includes(answer.status) ? null : `${outcome} is not in the description`;
}

/**
 * First all own IDs. Then each ID in turn is replaced by another one. Then all IDs are of one other organization or
 * sibling.
 */
function variants({ parameters, inBody }: Operation): Record<string, Which>[] {
  const named = parameters.filter((name) => name in PARAMETERS);
  const all = (which: Which) => Object.fromEntries(named.map((name) => [name, which]));
  // In a body, the schema refuses an ID that is not well-formed.
  const others: Which[] = ['sibling', 'foreign', 'missing', ...(inBody ? [] : (['malformed', 'encoded'] as const))];
  return [
    all('own'),
    ...(named.length > 0 ? [all('sibling'), all('foreign')] : []),
    ...(named.length > 1 ? named.flatMap((name) => others.map((which) => ({ ...all('own'), [name]: which }))) : []),
    ...(named.length === 1 ? others.slice(2).map((which) => all(which)) : []),
  ];
}

function ask(
  operation: Operation,
  key: TestKey,
  chosen: Record<string, Which>,
  refusal: string | null,
): Promise<Answer> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]?.[chosen[name]!] ?? OTHER[name]!);
  const takesBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  // Access refuses before a byte of the body is read: an invalid body must not matter.
  const isCompletion = operation.path.startsWith('/api/openai/');
  const isBefore = refusal !== null && (operation.inBody || isCompletion ? BEFORE_IDS : BEFORE_BODY).has(refusal);
  const named = operation.inBody
    ? Object.fromEntries(operation.parameters.map((name) => [name, ids[name]![chosen[name]!]]))
    : {};
  // No worker answers here, so only a stream responds at once.
  const agent = isCompletion ? { model: own.agent_id, stream: true } : {};
  const sent = operation.body && { ...operation.body, ...named, ...agent };
  const body = isBefore ? '{' : sent;
  return parley.call(operation.method, path, {
    key: key.value,
    endless: true,
    ...(takesBody && body !== undefined && { body }),
  });
}

const BEFORE_BODY = new Set(
  'plan_required permission_missing campaign_mismatch agent_mismatch agent_not_found trigger_not_found channel_not_found'.split(
    ' ',
  ),
);

const BEFORE_IDS = new Set(['plan_required', 'permission_missing']);

const OTHER: Record<string, string> = { external_id: 'crm-every-route', channel_kind: 'email' };

const describeChosen = (chosen: Record<string, Which>): string =>
  Object.entries(chosen)
    .map(([name, which]) => `${name}=${which}`)
    .join(' ');

// oxlint-disable-next-line typescript/no-explicit-any -- a document as it came
function operationsOf(document: any): Operation[] {
  // oxlint-disable-next-line typescript/no-explicit-any -- a document as it came
  return Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        inBody: path === '/api/client-tokens',
        parameters:
          path === '/api/client-tokens'
            ? ['agent_id', 'trigger_id']
            : [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
        body: operation.requestBody?.content['application/json'].example,
        statuses: Object.keys(operation.responses).map(Number),
      })),
  );
}

/** Creates an agent with every record that a path can name, by default in a new organization. */
async function givenTenant(existing?: string): Promise<Tenant> {
  const { db } = parley;
  const orgId = existing ?? (await givenOrganization(db));
  const { agentId, channelId } = await givenAgent(db, orgId);
  const triggerId = await givenTrigger(db, orgId, agentId);
  const campaignId = newId('campaign');
  await db
    .insert(campaignTable)
    .values({ orgId, id: campaignId, agentId, channelId, name: 'Test', state: 'live', settings: {}, attended: true });
  const { value: key } = await parley.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const { value: campaignKey } = await parley.key(orgId, { scope: 'campaign', campaignId, permissions: ['campaigns'] });
  const run = await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, {
    key,
    body: { end_user: { external_id: `person-of-${agentId}` }, send_at: IN_A_WEEK },
  });
  const message = await parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
    key,
    body: { to: { end_user: { external_id: `person-of-${agentId}` } }, content: { type: 'text', text: 'Hi' } },
  });
  const pushed = await parley.call('POST', `/api/campaigns/${campaignId}/recipients`, {
    key: campaignKey,
    body: { recipients: [{ end_user: { external_id: `person-of-${agentId}` }, send_at: IN_A_WEEK }] },
  });
  expect([run.status, message.status, pushed.status]).toEqual([202, 202, 202]);
  return {
    org_id: orgId,
    agent_id: agentId,
    trigger_id: triggerId,
    channel_id: channelId,
    campaign_id: campaignId,
    run_id: run.body.id,
    conversation_id: run.body.conversation_id,
    end_user_id: run.body.end_user_id,
    message_id: message.body.id,
    recipient_id: pushed.body.results[0].recipient_id,
    approval_id: await givenApproval(db, orgId, run.body),
  };
}

async function givenKeys(sibling: Tenant): Promise<TestKey[]> {
  const made: TestKey[] = [];
  const add = async (
    name: string,
    orgId: string,
    key: Pick<TestKey, 'scope' | 'permissions'> & Partial<TestKey>,
    bound: { agentId?: string; campaignId?: string } = {},
  ) => {
    const { value } = await parley.key(orgId, { scope: key.scope, permissions: [...key.permissions], ...bound });
    made.push({ name, value, isBound: true, plan: 'paid', isStranger: false, ...key });
  };
  const orgId = own.org_id!;
  for (const permissions of subsets(['triggers', 'channels', 'end_users']))
    await add(`organization ${permissions.join('+')}`, orgId, { scope: 'organization', permissions });
  for (const permissions of subsets(['triggers', 'channels'])) {
    await add(`agent ${permissions.join('+')}`, orgId, { scope: 'agent', permissions }, { agentId: own.agent_id! });
    const other = { scope: 'agent', permissions, isBound: false } as const;
    await add(`sibling agent ${permissions.join('+')}`, orgId, other, { agentId: sibling.agent_id! });
  }
  const campaigns = { scope: 'campaign', permissions: ['campaigns'] } as const;
  await add('campaign', orgId, campaigns, { campaignId: own.campaign_id! });
  await add('sibling campaign', orgId, { ...campaigns, isBound: false }, { campaignId: sibling.campaign_id! });
  await add('stranger', await givenOrganization(parley.db), {
    scope: 'organization',
    permissions: ['triggers', 'channels', 'end_users'],
    isStranger: true,
  });
  const free = await givenOrganization(parley.db, { plan: 'free' });
  await add('free plan', free, {
    scope: 'organization',
    permissions: ['triggers', 'channels', 'end_users'],
    plan: 'free',
  });
  return made;
}

const subsets = (all: Permission[]): Permission[][] =>
  Array.from({ length: 2 ** all.length - 1 }, (_, n) => all.filter((__, bit) => (n + 1) & (1 << bit)));

async function countRows(orgId: string): Promise<unknown> {
  const tables = await parley.db.execute<{ name: string }>(sql`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'org_id' AND table_name NOT IN ('key_usage', 'request_log')
    ORDER BY 1`);
  const counts: Record<string, unknown> = {};
  for (const { name } of tables.rows) {
    const { rows } = await parley.db.execute(
      // The last use of a key is written up to a minute after its calls.
      sql`SELECT count(*)::int AS rows, md5(coalesce(string_agg(r.text, '' ORDER BY r.text), '')) AS digest
          FROM ${sql.identifier(name)} t CROSS JOIN LATERAL (SELECT (to_jsonb(t) - 'last_used_at')::text AS text) r
          WHERE org_id = ${orgId}`,
    );
    counts[name] = rows[0];
  }
  return counts;
}
