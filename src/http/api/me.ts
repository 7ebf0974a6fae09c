import { Type } from 'typebox';
import { KeyLimits } from '../../../contract/key-limits.ts';
import { idPattern } from '../../../contract/ids.ts';
import { KEY_SCOPES, PERMISSIONS, PLANS } from '../../../contract/permissions.ts';
import { REGION_IDS, type Region } from '../../../contract/regions.ts';
import { presentLimits } from '../../access/limits/present-limits.ts';
import type { AccessDecisions, Route } from '../route/route.ts';

const Me = Type.Object(
  {
    id: Type.String({ pattern: idPattern('key') }),
    label: Type.String(),
    prefix: Type.String({ description: 'The part of the key that may be shown.' }),
    scope: Type.Union(KEY_SCOPES.map((scope) => Type.Literal(scope))),
    agent_id: Type.Union([Type.String(), Type.Null()], { description: 'The agent that an agent key is bound to.' }),
    campaign_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The campaign that a campaign key is bound to.',
    }),
    permissions: Type.Array(Type.Union(PERMISSIONS.map((permission) => Type.Literal(permission)))),
    allowed_networks: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'The networks from which the key may be used; null: from any network.',
    }),
    limits: Type.Union([KeyLimits, Type.Null()], {
      description: 'The limits of this key; null: the key has no limits of its own.',
    }),
    remaining: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'The calls that `limits.total` still allows after this one; null: the key has no total.',
    }),
    organization: Type.Object({ id: Type.String(), name: Type.String() }),
    plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
    region: Type.Union(REGION_IDS.map((region) => Type.Literal(region))),
    base_url: Type.String(),
  },
  { title: 'Me' },
);

type MeDeps = {
  readonly region: Region;
  readonly baseUrl: string;
  readonly access: Pick<AccessDecisions, 'remaining'>;
};

/** The first call with a new key, which returns the record and the rights of the key. */
export const me = ({ region, baseUrl, access }: MeDeps): Route => ({
  method: 'GET',
  path: '/api/me',
  access: {},
  operation: {
    id: 'getMe',
    summary: 'Show the calling key',
    description: 'The calling key with its permissions, its organization and its region. Needs no permission.',
    tag: 'System',
    examples: {
      200: {
        id: 'key_01k8v3m9e5f7rsm6z4n0q2x1ab',
        label: 'Order service',
        prefix: 'parley_us_Ab3dE9',
        scope: 'organization',
        agent_id: null,
        campaign_id: null,
        permissions: ['triggers'],
        allowed_networks: ['203.0.113.0/24'],
        limits: { total: 5_000 },
        remaining: 4_211,
        organization: { id: 'org_01k8v3m9e5f7rsm6z4n0q2x1ac', name: 'Example Store' },
        plan: 'paid',
        region: 'us',
        base_url: 'https://us.parley.example',
      },
    },
  },
  responses: { 200: Me },
  handle({ admission: { caller } }) {
    const known = {
      id: caller.keyId,
      label: caller.label,
      prefix: caller.prefix,
      scope: caller.scope,
      agent_id: caller.agentId,
      campaign_id: caller.campaignId,
      permissions: caller.permissions,
      allowed_networks: caller.networks?.map(({ text }) => text) ?? null,
      limits: caller.limits && presentLimits(caller.limits),
      organization: { id: caller.orgId, name: caller.orgName },
      plan: caller.plan,
      region,
      base_url: baseUrl,
    };
    if (typeof caller.limits?.total !== 'number') return { ...known, remaining: null };
    return access.remaining(caller).then((remaining) => ({ ...known, remaining }));
  },
});
