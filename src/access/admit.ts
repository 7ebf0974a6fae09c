import { isId, type IdPrefix } from '../../contract/ids.ts';
import { Refusal } from '../../contract/problems.ts';
import { REGIONS, type Region } from '../../contract/regions.ts';
import type { Clock } from '../kernel/clock.ts';
import { CHALLENGE_INVALID, readToken } from './api-keys/authorization-header.ts';
import { decideCaller, decideNetwork, decideTarget, type Found, type Named } from './decide.ts';
import type { Directory, KeyEntry, TargetKind } from './api-keys/directory.ts';
import type { Fills } from './api-keys/directory-fill.ts';
import { parseKey } from './api-keys/key-format.ts';
import type { LastUsed } from './api-keys/last-used.ts';
import type { CallBlocks } from './limits/call-blocks.ts';
import type { Lease } from './nodes/lease.ts';
import { plainAddress } from './api-keys/networks.ts';
import type {
  Admission,
  AgentFacts,
  CampaignFacts,
  Caller,
  ChannelFacts,
  CountedCall,
  Need,
  TriggerFacts,
} from './types.ts';
import { isTokenLike } from './tokens/token-format.ts';
import { undecided } from './undecided.ts';

type Known<T> = T | null | Promise<T | null>;

export type Admit = (
  authorization: readonly string[],
  need: Need,
  params: Readonly<Record<string, string>>,
  /** The network address of the caller, from the connection or from a trusted proxy. */
  address: string | undefined,
  /** The call is a new one, and takes part of the key's total. Not when access is checked again for the same call. */
  isCounted?: boolean,
) => Admission | Promise<Admission>;

/** Facts about a record of an organization; null: it does not exist, or it was deleted. */
export type FactLookups = {
  agent(orgId: string, id: string): Known<AgentFacts>;
  trigger(orgId: string, id: string): Known<TriggerFacts>;
  channel(orgId: string, id: string): Known<ChannelFacts>;
  campaign(orgId: string, id: string): Known<CampaignFacts>;
};

export type AdmitDeps = {
  region: Region;
  baseUrls: Readonly<Record<Region, string>>;
  digest: (value: string) => string;
  clock: Clock;
  lease: Pick<Lease, 'good'>;
  directory: Directory;
  fills: Fills;
  lastUsed: Pick<LastUsed, 'record'>;
  blocks: Pick<CallBlocks, 'take'>;
};

/** A query may hang, but the caller must not: after this time the answer is that the key store cannot be reached. */
const FILL_TIMEOUT_MS = 3_000;

/**
 * Rows 1 to 11 of the order of checks (docs/security.md). While the lease is valid and everything is in memory, this
 * returns without a promise and without a query. Missing records are read from the database; without a lease, all of
 * them are.
 */
export function createAdmit(deps: AdmitDeps): { admit: Admit; facts: FactLookups } {
  const { region, baseUrls, digest, clock, lease, directory, fills, lastUsed, blocks } = deps;

  const admit: Admit = (authorization, need, params, address, isCounted = false) => {
    const token = readToken(authorization);
    const parsed = parseKey(token);
    if (!parsed.ok) throw refuseKey('key_invalid', isTokenLike(token) ? IS_A_TOKEN : MISTYPED);
    if (parsed.region !== region) throw wrongRegion(parsed.region, baseUrls[parsed.region]);
    const name = digest(token);
    const isGood = lease.good();
    const entry = directory.key(name);
    // A revoked key stays revoked, so this is known even without a lease.
    const from = plainAddress(address);
    if (entry === undefined || (!isGood && entry?.isRevoked !== true))
      return admitUnknown(name, need, params, from, isGood, isCounted);
    return admitCaller(verify(entry), need, params, from, isGood, isCounted);
  };

  async function admitUnknown(
    name: string,
    need: Need,
    params: Readonly<Record<string, string>>,
    from: string | null,
    isGood: boolean,
    isCounted: boolean,
  ): Promise<Admission> {
    const entry = await orUnavailable(fills.key(name, isGood));
    return admitCaller(verify(entry), need, params, from, isGood, isCounted);
  }

  /** Rows 2 and 4. From here on the call counts as a use of the key. */
  function verify(entry: KeyEntry | null): Caller {
    if (entry === null) throw refuseKey('key_invalid', 'There is no such key.');
    if (entry.isRevoked || entry.revokeAt <= clock.wall()) {
      throw refuseKey('key_revoked', 'This key has been revoked. Create a new one in the dashboard.');
    }
    lastUsed.record(entry.caller.orgId, entry.caller.keyId, entry.lastUsedAt);
    return entry.caller;
  }

  function admitCaller(
    caller: Caller,
    need: Need,
    params: Readonly<Record<string, string>>,
    from: string | null,
    isGood: boolean,
    isCounted: boolean,
  ): Admission | Promise<Admission> {
    const admitted = (): Admission | Promise<Admission> => admitVerified(caller, need, params, from, isGood);
    if (!isCounted || caller.limits === null || caller.limits.total === null) return admitted();
    const elsewhere = decideNetwork(caller, from);
    if (elsewhere !== null) throw refused(elsewhere, caller);
    return counting(takeOne(caller, isGood), admitted);
  }

  /** Row 4b. Refused calls of a later row give back what they took. */
  function takeOne(caller: Caller, isGood: boolean): CountedCall | Promise<CountedCall> {
    const withCaller = (error: unknown): never => {
      throw error instanceof Refusal ? refused(error, caller) : error;
    };
    try {
      const taken = blocks.take(caller, isGood);
      if (!(taken instanceof Promise)) return taken;
      return orUnavailable(taken).catch((error: unknown) => {
        // It may still be taken later, for no one.
        taken.then((late) => late.giveBack()).catch(() => {});
        return withCaller(error);
      });
    } catch (error) {
      return withCaller(error);
    }
  }

  function admitVerified(
    caller: Caller,
    need: Need,
    params: Readonly<Record<string, string>>,
    from: string | null,
    isGood: boolean,
  ): Admission | Promise<Admission> {
    const named: Named = {};
    if (need.agent !== undefined) named.agent = params[need.agent];
    if (need.trigger !== undefined) named.trigger = params[need.trigger];
    if (need.channel !== undefined) named.channel = params[need.channel];
    if (need.campaign !== undefined) named.campaign = params[need.campaign];
    const refusal = decideCaller(caller, need, named, from);
    if (refusal !== null) throw refused(refusal, caller);
    const found = isGood ? recall(directory, caller.orgId, named) : undefined;
    if (found !== undefined) return admission(caller, need, from, found);
    return load(caller.orgId, named, isGood).then((loaded) => admission(caller, need, from, loaded));
  }

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
    admit,
    facts: {
      agent: lookUp('agent'),
      trigger: lookUp('trigger'),
      channel: lookUp('channel'),
      campaign: lookUp('campaign'),
    },
  };
}

/** Undefined if one of them is not in memory. */
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

/** Text that cannot be an id is not looked up. */
const wellFormed = (prefix: IdPrefix, id: string | undefined): string | null =>
  id !== undefined && isId(prefix, id) ? id : null;

function admission(caller: Caller, need: Need, from: string | null, found: Found): Admission {
  const refusal = decideTarget(caller, need, found);
  if (refusal !== null) throw refused(refusal, caller);
  return {
    caller,
    from,
    agent: found.agent,
    trigger: found.trigger,
    channel: found.channel,
    campaign: found.campaign,
  };
}

function counting(
  taken: CountedCall | Promise<CountedCall>,
  admitted: () => Admission | Promise<Admission>,
): Admission | Promise<Admission> {
  if (taken instanceof Promise) return taken.then((counted) => counting(counted, admitted));
  const giveBack = (error: unknown): never => {
    taken.giveBack();
    throw error;
  };
  try {
    const admission = admitted();
    if (!(admission instanceof Promise)) return { ...admission, counted: taken };
    return admission.then((known) => ({ ...known, counted: taken }), giveBack);
  } catch (error) {
    return giveBack(error);
  }
}

/** The key for which the refused call is counted. */
function refused(refusal: Refusal, { keyId, orgId }: Caller): Refusal {
  refusal.extras.caller = { keyId, orgId };
  return refusal;
}

const refuseKey = (code: 'key_invalid' | 'key_wrong_region' | 'key_revoked', detail: string): Refusal =>
  new Refusal(code, detail, { headers: { 'WWW-Authenticate': CHALLENGE_INVALID } });

const MISTYPED = 'The key is not well-formed: it was mistyped or cut off.';
const IS_A_TOKEN = 'This is an access token, not an API key. Access tokens open no route of the API.';

const wrongRegion = (region: Region, baseUrl: string): Refusal =>
  refuseKey(
    'key_wrong_region',
    `This key belongs to the region ${region} (${REGIONS[region]}): call ${baseUrl} instead.`,
  );

async function orUnavailable<T>(fill: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(undecided(new Error('The look-up timed out.'))), FILL_TIMEOUT_MS);
  });
  try {
    return await Promise.race([fill, late]);
  } catch (error) {
    // A look-up that failed for any reason neither grants nor refuses.
    throw error instanceof Refusal ? error : undecided(error);
  } finally {
    clearTimeout(timer);
  }
}
