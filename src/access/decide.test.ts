import { describe, expect, it } from 'vitest';
import {
  KEY_SCOPES,
  PERMISSIONS,
  PLANS,
  type KeyScope,
  type Permission,
  type Plan,
} from '../../contract/permissions.ts';
import type { ProblemCode } from '../../contract/problems.ts';
import { decide, type Found, type Named } from './decide.ts';
import { storedNetworks } from './api-keys/networks.ts';
import type { Caller, Need } from './types.ts';

/**
 * The whole table: every set of permissions × scope × plan × networks and address × family of routes × owner of the
 * record that the path names. The expected results are written as the rules of the specification, one predicate for
 * each row of the order of checks.
 */
const families: Record<string, Need> = {
  me: {},
  'trigger call': { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id' },
  'channel list': { permission: 'channels', agent: 'agent_id' },
  'channel send': { permission: 'channels', agent: 'agent_id', channel: 'channel_id' },
  'end users': { permission: 'end_users' },
  campaign: { permission: 'campaigns', campaign: 'campaign_id' },
};

/** `own`: the record that the key is bound to, `other`: of the same organization, `foreign`: of another one. */
const TARGETS = ['own', 'other', 'foreign', 'missing'] as const;
type Target = (typeof TARGETS)[number];

const permissionSets: Permission[][] = Array.from({ length: 15 }, (_, index) =>
  PERMISSIONS.filter((_permission, bit) => ((index + 1) >> bit) & 1),
);

const orgOf = (target: Target): string => (target === 'foreign' ? 'org_foreign' : 'org_own');

/** `everywhere`: a key without networks, called from an address that cannot be read. */
const PLACES = ['everywhere', 'inside', 'outside', 'unreadable'] as const;
type Place = (typeof PLACES)[number];
const ADDRESS: Record<Place, string | null> = {
  everywhere: null,
  inside: '2001:db8::7',
  outside: '203.0.114.7',
  unreadable: null,
};

type Case = {
  scope: KeyScope;
  permissions: Permission[];
  plan: Plan;
  place: Place;
  family: string;
  agent: Target;
  leaf: Target;
};

const rules: [ProblemCode, (c: Case, need: Need) => boolean][] = [
  ['network_not_allowed', (c) => c.place === 'outside' || c.place === 'unreadable'],
  ['plan_required', (c) => c.plan === 'free'],
  [
    'permission_missing',
    (c, { permission }) =>
      permission !== undefined &&
      (!c.permissions.includes(permission) ||
        // A campaign key has no other permission; an agent key cannot act on records of the organization.
        (c.scope === 'campaign' && permission !== 'campaigns') ||
        (c.scope === 'agent' && permission === 'end_users')),
  ],
  ['campaign_key_required', (c, need) => need.campaign !== undefined && c.scope !== 'campaign'],
  ['campaign_mismatch', (c, need) => need.campaign !== undefined && c.leaf !== 'own'],
  ['agent_mismatch', (c, need) => need.agent !== undefined && c.scope === 'agent' && c.agent !== 'own'],
  ['agent_not_found', (c, need) => need.agent !== undefined && (c.agent === 'foreign' || c.agent === 'missing')],
  // The trigger or channel called "own" belongs to the agent called "own", and so on.
  ['trigger_not_found', (c, need) => need.trigger !== undefined && c.leaf !== c.agent],
  ['channel_not_found', (c, need) => need.channel !== undefined && c.leaf !== c.agent],
  ['campaign_not_found', () => false],
];

const NETWORKS = storedNetworks(['203.0.113.0/24', '2001:db8::/32']);

const callerOf = ({
  scope,
  permissions,
  plan,
  place = 'everywhere',
}: Pick<Case, 'scope' | 'permissions' | 'plan'> & { place?: Place }): Caller => ({
  keyId: 'key_1',
  orgId: 'org_own',
  orgName: 'Own',
  plan,
  label: 'Key',
  prefix: 'parley_us_abcdef',
  scope,
  agentId: scope === 'agent' ? 'agent_own' : null,
  campaignId: scope === 'campaign' ? 'campaign_own' : null,
  permissions,
  networks: place === 'everywhere' ? null : NETWORKS,
  limits: null,
});

const exists = (wanted: string | undefined, target: Target): boolean => wanted !== undefined && target !== 'missing';

function foundFor(need: Need, { agent, leaf }: Pick<Case, 'agent' | 'leaf'>): Found {
  const at = { orgId: orgOf(leaf), agentId: `agent_${leaf}`, name: 'x', enabled: true };
  return {
    agent: exists(need.agent, agent)
      ? { id: `agent_${agent}`, orgId: orgOf(agent), name: 'x', enabled: true, sandboxChannelId: null }
      : null,
    trigger: exists(need.trigger, leaf)
      ? { ...at, id: `trigger_${leaf}`, variables: [], channelId: null, agentVersion: null }
      : null,
    channel: exists(need.channel, leaf) ? { ...at, id: `channel_${leaf}`, kind: 'sandbox' } : null,
    campaign: exists(need.campaign, leaf)
      ? { ...at, id: `campaign_${leaf}`, channelId: 'channel_1', state: 'live' }
      : null,
  };
}

function* everyCase(): Generator<Case> {
  for (const scope of KEY_SCOPES)
    for (const permissions of permissionSets)
      for (const plan of PLANS)
        for (const place of PLACES)
          for (const family of Object.keys(families))
            for (const agent of TARGETS)
              for (const leaf of TARGETS) yield { scope, permissions, plan, place, family, agent, leaf };
}

describe('decision table', () => {
  it('the first rule that applies decides about every combination', () => {
    let cases = 0;
    const seen = new Set<string>();
    for (const c of everyCase()) {
      const need = families[c.family]!;
      const named: Named = {};
      if (need.agent) named.agent = `agent_${c.agent}`;
      if (need.trigger) named.trigger = `trigger_${c.leaf}`;
      if (need.channel) named.channel = `channel_${c.leaf}`;
      if (need.campaign) named.campaign = `campaign_${c.leaf}`;
      const expected = rules.find(([, applies]) => applies(c, need))?.[0] ?? 'allowed';
      const actual = decide(callerOf(c), need, named, ADDRESS[c.place], () => foundFor(need, c))?.code ?? 'allowed';
      expect({ ...c, answer: actual }).toEqual({ ...c, answer: expected });
      seen.add(actual);
      cases++;
    }
    expect(cases).toBe(3 * 15 * 2 * 4 * 6 * 16);
    expect(seen.size).toBe(10);
  });

  it('the key is checked before the existence of other records', () => {
    for (const c of everyCase()) {
      const need = families[c.family]!;
      const mayLook = rules.slice(0, 6).every(([, applies]) => !applies(c, need));
      let looked = false;
      const named = { agent: `agent_${c.agent}`, campaign: `campaign_${c.leaf}` };
      decide(callerOf(c), need, named, ADDRESS[c.place], () => {
        looked = true;
        return foundFor(need, c);
      });
      expect(looked).toBe(mayLook);
    }
  });
});

describe('a client token', () => {
  const client = {
    agentId: 'agent_own',
    triggerId: 'trigger_own',
    endUser: { external_id: 'crm-42' },
    conversationKey: null,
    mark: 'mark',
  };
  const call: Need = { ...families['trigger call']!, client: true };
  const pages = [true, false];

  it('the decision table has two more rows for client tokens, which have no right that their key lacks', () => {
    const seen = new Set<string>();
    for (const c of everyCase())
      for (const isOpen of pages)
        for (const isFromOwnPage of pages) {
          if (c.family !== 'trigger call') continue;
          const need = isOpen ? call : families['trigger call']!;
          const named = { agent: `agent_${c.agent}`, trigger: `trigger_${c.leaf}` };
          const isOwn = isOpen && c.agent === 'own' && c.leaf === 'own';
          const [network, ...rest] = rules;
          const rows: typeof rules = [
            network!,
            ['client_token_not_allowed', () => !isOwn],
            ['origin_not_allowed', () => !isFromOwnPage],
            ...rest,
          ];
          const expected = rows.find(([, applies]) => applies(c, need))?.[0] ?? 'allowed';
          const caller = { ...callerOf(c), client: { ...client, isFromOwnPage } };
          const actual = decide(caller, need, named, ADDRESS[c.place], () => foundFor(need, c))?.code ?? 'allowed';
          expect({ ...c, isOpen, isFromOwnPage, answer: actual }).toEqual({
            ...c,
            isOpen,
            isFromOwnPage,
            answer: expected,
          });
          seen.add(actual);
        }
    expect(seen).toEqual(
      new Set([
        'allowed',
        'network_not_allowed',
        'client_token_not_allowed',
        'origin_not_allowed',
        'plan_required',
        'permission_missing',
      ]),
    );
  });

  it.each(Object.keys(families))('a route that does not list client tokens refuses them: %s', (family) => {
    const key = callerOf({ scope: 'organization', permissions: [...PERMISSIONS], plan: 'paid' });
    const caller = { ...key, client: { ...client, isFromOwnPage: true } };
    const named = { agent: 'agent_own', trigger: 'trigger_own' };
    expect(
      decide(caller, families[family]!, named, null, () => foundFor({}, { agent: 'own', leaf: 'own' }))?.code,
    ).toBe('client_token_not_allowed');
  });
});

describe('decision', () => {
  const organizationKey = callerOf({ scope: 'organization', permissions: ['channels'], plan: 'paid' });
  const nothing: Found = { agent: null, trigger: null, channel: null, campaign: null };

  it('a refusal names the missing permission and the rights that the key has', () => {
    const refusal = decide(organizationKey, families['trigger call']!, { agent: 'agent_1' }, null, () => nothing)!;
    expect(refusal.extras.members).toEqual({ required_permission: 'triggers', key_permissions: ['channels'] });
    expect(refusal.extras.headers).toEqual({
      'WWW-Authenticate': 'Bearer realm="parley", error="insufficient_scope", scope="triggers"',
    });
  });

  it('the key of a deleted campaign gets 404', () => {
    const key = callerOf({ scope: 'campaign', permissions: ['campaigns'], plan: 'paid' });
    expect(decide(key, families.campaign!, { campaign: 'campaign_own' }, null, () => nothing)?.code).toBe(
      'campaign_not_found',
    );
  });

  it('the key of a deleted agent gets 404', () => {
    const key = callerOf({ scope: 'agent', permissions: ['triggers'], plan: 'paid' });
    expect(decide(key, families['trigger call']!, { agent: 'agent_own' }, null, () => nothing)?.code).toBe(
      'agent_not_found',
    );
  });

  it('a refusal shows the checked address, but not the allowed networks', () => {
    const key = callerOf({ scope: 'organization', permissions: ['channels'], plan: 'paid', place: 'outside' });
    const refusal = decide(key, {}, {}, '203.0.114.7', () => nothing)!;
    expect(refusal.message).toContain('203.0.114.7');
    expect(JSON.stringify([refusal.message, refusal.extras])).not.toMatch(/203\.0\.113|2001:db8/);
    expect(decide(key, {}, {}, null, () => nothing)!.code).toBe('network_not_allowed');
  });

  it('a refusal repeats no text of the path', () => {
    const agentKey = callerOf({ scope: 'agent', permissions: ['triggers'], plan: 'paid' });
    const campaignKey = callerOf({ scope: 'campaign', permissions: ['campaigns'], plan: 'paid' });
    for (const [key, family] of [
      [agentKey, 'trigger call'],
      [campaignKey, 'campaign'],
      [organizationKey, 'channel list'],
    ] as const) {
      const named = { agent: 'agent_ECHO', trigger: 'trigger_ECHO', campaign: 'campaign_ECHO' };
      expect(decide(key, families[family]!, named, null, () => nothing)?.message).not.toContain('ECHO');
    }
  });
});
