import { Refusal } from '../../contract/problems.ts';
import type { Permission } from '../../contract/permissions.ts';
import { hasApi } from '../../contract/plans.ts';
import { challengeScope } from './api-keys/authorization-header.ts';
import { isInside } from './api-keys/networks.ts';
import type { AgentFacts, CampaignFacts, Caller, ChannelFacts, Need, TriggerFacts } from './types.ts';

/** The IDs in the path that the route needs, as the caller sent them, before any check. */
export type Named = { agent?: string; trigger?: string; channel?: string; campaign?: string };

/** The records with the IDs in the path, of any organization. Null: the record is missing or deleted. */
export type Found = {
  readonly agent: AgentFacts | null;
  readonly trigger: TriggerFacts | null;
  readonly channel: ChannelFacts | null;
  readonly campaign: CampaignFacts | null;
};

/**
 * Decides whether the caller has the rights that the route requires. The function covers rows 4a, 4c, 4d and 6 to 11 of
 * the order of checks (docs/security.md). The first row that applies determines the refusal. Null: the call is
 * permitted. The function is pure and uses no clock and no database. `from` is the network address of the call. `found`
 * is called only after rows 4a to 9 have passed, so a refusal reveals nothing about existing records and needs no
 * look-up.
 */
export function decide(
  caller: Caller,
  need: Need,
  named: Named,
  from: string | null,
  found: () => Found,
): Refusal | null {
  return decideCaller(caller, need, named, from) ?? decideTarget(caller, need, found());
}

/** Row 4a of the order of checks: the network of the caller. */
export const decideNetwork = (caller: Caller, from: string | null): Refusal | null =>
  caller.networks !== null && !isInside(caller.networks, from) ? networkNotAllowed(from) : null;

/** Rows 4c and 4d of the order of checks: a client token calls only its own trigger, from its own pages. */
function decideClient({ client }: Caller, need: Need, named: Named): Refusal | null {
  if (client === undefined) return null;
  if (need.client !== true || named.agent !== client.agentId || named.trigger !== client.triggerId) {
    return new Refusal(
      'client_token_not_allowed',
      'This client token works only for the trigger that it was made for.',
    );
  }
  if (!client.isFromOwnPage) {
    return new Refusal('origin_not_allowed', 'The header Origin is not one of the origins of this client token.');
  }
  return null;
}

/** Decides rows 4a, 4c, 4d and 6 to 9, which depend only on the caller, its address and the path. */
export function decideCaller(caller: Caller, need: Need, named: Named, from: string | null): Refusal | null {
  const elsewhere = decideNetwork(caller, from);
  if (elsewhere !== null) return elsewhere;
  const tooMuch = decideClient(caller, need, named);
  if (tooMuch !== null) return tooMuch;
  if (!hasApi(caller.plan)) {
    return new Refusal('plan_required', 'The organization is on the Free plan, and the API needs the paid plan.');
  }
  if (need.permission !== undefined && !holds(caller, need.permission))
    return permissionMissing(caller, need.permission);
  if (need.permission === 'campaigns' || need.campaign !== undefined) {
    if (caller.scope !== 'campaign' || caller.campaignId === null) {
      return new Refusal('campaign_key_required', "This path takes only the key that was made on the campaign's page.");
    }
    if (need.campaign !== undefined && named.campaign !== caller.campaignId) {
      return new Refusal('campaign_mismatch', `This key works only for campaign ${caller.campaignId}.`);
    }
  }
  if (need.agent !== undefined && caller.scope === 'agent' && named.agent !== caller.agentId) {
    return new Refusal('agent_mismatch', `This key works only for agent ${caller.agentId}.`);
  }
  return null;
}

/**
 * Decides rows 10 and 11, which depend on the existence of the records. A record of another organization counts as
 * missing.
 */
export function decideTarget(caller: Caller, need: Need, found: Found): Refusal | null {
  const { agent, trigger, channel, campaign } = found;
  if (need.agent !== undefined && agent?.orgId !== caller.orgId) {
    return new Refusal('agent_not_found', 'No agent of this organization has the id in the path.');
  }
  const isUnderAgent = (orgId: string | undefined, agentId: string | undefined): boolean =>
    orgId === caller.orgId && (need.agent === undefined || agentId === agent?.id);
  if (need.trigger !== undefined && !isUnderAgent(trigger?.orgId, trigger?.agentId)) {
    return new Refusal('trigger_not_found', 'No trigger of this agent has the id in the path.');
  }
  if (need.channel !== undefined && !isUnderAgent(channel?.orgId, channel?.agentId)) {
    return new Refusal('channel_not_found', 'No channel of this agent has the id in the path.');
  }
  if (need.campaign !== undefined && !isUnderAgent(campaign?.orgId, campaign?.agentId)) {
    return new Refusal('campaign_not_found', 'No campaign of this organization has the id in the path.');
  }
  return null;
}

/**
 * Refuses a caller outside the networks. The refusal names the checked address, for callers behind a proxy. The refusal
 * does not name the allowed networks, because they would help a person with a stolen key.
 */
const networkNotAllowed = (from: string | null): Refusal =>
  new Refusal(
    'network_not_allowed',
    `The call comes from ${from ?? 'an address that cannot be read'}, which is in none of the networks that the key allows.`,
  );

/**
 * True if the key grants the permission. The forbidden pairs (docs/adr/0101) grant nothing even if the database
 * contains such a pair. Row 8 refuses `campaigns` on an organization or agent key, because its refusal names the fix.
 */
export function holds(caller: Caller, permission: Permission): boolean {
  if (caller.scope === 'campaign' && permission !== 'campaigns') return false;
  if (caller.scope === 'agent' && permission === 'end_users') return false;
  return caller.permissions.includes(permission);
}

/** Some permissions fit only some kinds of new keys. This list contains the kinds for each such permission. */
const WHERE: { readonly [permission in Permission]?: string } = {
  campaigns: ", which only keys made on the campaign's own page hold.",
  end_users: ', which only keys of the whole organization can hold.',
};

function permissionMissing(caller: Caller, permission: Permission): Refusal {
  return new Refusal('permission_missing', `The key lacks the permission "${permission}"${WHERE[permission] ?? '.'}`, {
    members: { required_permission: permission, key_permissions: caller.permissions },
    headers: { 'WWW-Authenticate': challengeScope(permission) },
  });
}
