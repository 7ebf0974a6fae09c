import { isId, type IdPrefix } from '../../contract/ids.ts';
import type { Directory, TargetKind } from './api-keys/directory.ts';
import type { Fills } from './api-keys/directory-fill.ts';
import type { Found, Named } from './decide.ts';
import type { Lease } from './nodes/lease.ts';
import { orUnavailable } from './access-unavailable.ts';
import type { AgentFacts, CampaignFacts, ChannelFacts, TriggerFacts } from './types.ts';

type Known<T> = T | null | Promise<T | null>;

/** Facts about a record of an organization. Null: the record does not exist, or was deleted. */
export type FactLookups = {
  agent(orgId: string, id: string): Known<AgentFacts>;
  trigger(orgId: string, id: string): Known<TriggerFacts>;
  channel(orgId: string, id: string): Known<ChannelFacts>;
  campaign(orgId: string, id: string): Known<CampaignFacts>;
};

export type TargetFacts = {
  /** Returns the named records from memory. Undefined: at least one record is not in memory. */
  recall(orgId: string, named: Named): Found | undefined;
  /** Loads the named records from the database. */
  load(orgId: string, named: Named, isGood: boolean): Promise<Found>;
  lookups: FactLookups;
};

/** The agents, triggers, channels and campaigns that calls name, which come from memory while the lease is valid. */
export function createTargetFacts({
  lease,
  directory,
  fills,
}: {
  lease: Pick<Lease, 'good'>;
  directory: Directory;
  fills: Fills;
}): TargetFacts {
  async function load(orgId: string, named: Named, isGood: boolean): Promise<Found> {
    const ids = {
      agent: wellFormed('agent', named.agent),
      trigger: wellFormed('trigger', named.trigger),
      channel: wellFormed('channel', named.channel),
      campaign: wellFormed('campaign', named.campaign),
    };
    if (!ids.agent && !ids.trigger && !ids.channel && !ids.campaign) return NOTHING;
    return orUnavailable(fills.targets(orgId, ids, isGood));
  }

  function lookUp<K extends TargetKind>(kind: K): (orgId: string, id: string) => Known<NonNullable<Found[K]>> {
    type Facts = NonNullable<Found[K]>;
    return (orgId, id) => {
      const isGood = lease.good();
      const known = isGood ? directory.target(kind, orgId, id) : undefined;
      if (known !== undefined) return known;
      return load(orgId, { [kind]: id }, isGood).then((found) => found[kind] as Facts | null);
    };
  }

  return {
    recall: (orgId, named) => recall(directory, orgId, named),
    load,
    lookups: {
      agent: lookUp('agent'),
      trigger: lookUp('trigger'),
      channel: lookUp('channel'),
      campaign: lookUp('campaign'),
    },
  };
}

function recall(directory: Directory, orgId: string, named: Named): Found | undefined {
  const agent = named.agent === undefined ? null : directory.target('agent', orgId, named.agent);
  if (agent === undefined) return undefined;
  const trigger = named.trigger === undefined ? null : directory.target('trigger', orgId, named.trigger);
  if (trigger === undefined) return undefined;
  const channel = named.channel === undefined ? null : directory.target('channel', orgId, named.channel);
  if (channel === undefined) return undefined;
  const campaign = named.campaign === undefined ? null : directory.target('campaign', orgId, named.campaign);
  if (campaign === undefined) return undefined;
  return { agent, trigger, channel, campaign };
}

const NOTHING: Found = { agent: null, trigger: null, channel: null, campaign: null };

/** Text that cannot be an ID is not looked up. */
const wellFormed = (prefix: IdPrefix, id: string | undefined): string | null =>
  id !== undefined && isId(prefix, id) ? id : null;
