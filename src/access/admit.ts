import { readToken } from './api-keys/authorization-header.ts';
import type { Directory, KeyEntry } from './api-keys/directory.ts';
import type { Fills } from './api-keys/directory-fill.ts';
import type { LastUsed } from './api-keys/last-used.ts';
import { plainAddress } from './api-keys/networks.ts';
import { decideCaller, decideNetwork, decideTarget, type Found, type Named } from './decide.ts';
import type { CallBlocks } from './limits/call-blocks.ts';
import { counting, takeCall } from './limits/take-call.ts';
import type { Lease } from './nodes/lease.ts';
import { OrganizationMoving } from '../store/cells/organization-moving.ts';
import { orUnavailable } from './access-unavailable.ts';
import {
  createCredentialReader,
  type IsOwnPage,
  type CredentialDeps,
  type CallCredential,
  refuseKey,
} from './read-credential.ts';
import { attributeRefusal } from './attribute-refusal.ts';
import { createTargetFacts, type FactLookups } from './target-facts.ts';
import type { Admission, Caller, Need } from './types.ts';

/** Decides about the call again without counting it. */
type Again = () => Admission | Promise<Admission>;

export type Admit = (
  authorization: readonly string[],
  need: Need,
  params: Readonly<Record<string, string>>,
  /** The network address of the caller, from the connection or from a trusted proxy. */
  address: string | undefined,
  /**
   * True: the call is new and takes part of the key's total. A call does not count again when its access is checked a
   * second time.
   */
  isCounted?: boolean,
  /** The header `Origin`, which only client tokens need. */
  origin?: string,
) => Admission | Promise<Admission>;

export type AdmitDeps = CredentialDeps & {
  lease: Pick<Lease, 'good'>;
  directory: Directory;
  fills: Fills;
  lastUsed: Pick<LastUsed, 'record'>;
  blocks: Pick<CallBlocks, 'take'>;
  /** True if the records of the organization are being moved to another cell. */
  isMoving(orgId: string): boolean;
};

/**
 * Rows 1 to 11 of the order of checks (docs/security.md). While the lease is valid and everything is in memory, the
 * function returns without a promise and without a query. Missing records are read from the database, and without a
 * lease, all records are read from the database.
 */
export function createAdmit(deps: AdmitDeps): { admit: Admit; isOwnPage: IsOwnPage; facts: FactLookups } {
  const { clock, lease, directory, fills, lastUsed, blocks } = deps;
  const { readCredential, isOwnPage } = createCredentialReader(deps);
  const targets = createTargetFacts({ lease, directory, fills });

  const admit: Admit = (authorization, need, params, address, isCounted = false, origin) => {
    const credential = readCredential(readToken(authorization), origin);
    const isGood = lease.good();
    const entry = directory.key(credential.name);
    // A revoked key stays revoked, so a refusal from memory is correct even without a lease.
    const from = plainAddress(address);
    const again = isCounted ? () => admit(authorization, need, params, address, false, origin) : null;
    if (entry === undefined || (!isGood && entry?.isRevoked !== true))
      return admitUnknown(credential, need, params, from, isGood, again);
    return admitCaller(verify(entry, credential), need, params, from, isGood, again);
  };

  async function admitUnknown(
    credential: CallCredential,
    need: Need,
    params: Readonly<Record<string, string>>,
    from: string | null,
    isGood: boolean,
    again: Again | null,
  ): Promise<Admission> {
    const { name, orgId } = credential;
    const entry = await orUnavailable(orgId === null ? fills.key(name, isGood) : fills.keyById(orgId, name, isGood));
    return admitCaller(verify(entry, credential), need, params, from, isGood, again);
  }

  /** Rows 2 and 4 of the order of checks. After this line, the call counts as a use of the key. */
  function verify(entry: KeyEntry | null, { orgId, client }: CallCredential): Caller {
    if (entry === null || (orgId !== null && entry.caller.orgId !== orgId))
      throw refuseKey('key_invalid', 'There is no such key.');
    if (entry.isRevoked || entry.revokeAt <= clock.wall()) {
      throw refuseKey('key_revoked', 'This key has been revoked. Create a new one in the dashboard.');
    }
    lastUsed.record(entry.caller.orgId, entry.caller.keyId, entry.lastUsedAt);
    return client === null ? entry.caller : { ...entry.caller, client };
  }

  function admitCaller(
    caller: Caller,
    need: Need,
    params: Readonly<Record<string, string>>,
    from: string | null,
    isGood: boolean,
    again: Again | null,
  ): Admission | Promise<Admission> {
    if (deps.isMoving(caller.orgId)) throw attributeRefusal(new OrganizationMoving(), caller);
    const admitted = (): Admission | Promise<Admission> => admitVerified(caller, need, params, from, isGood);
    if (again === null || caller.limits === null || caller.limits.total === null) return admitted();
    const elsewhere = decideNetwork(caller, from);
    if (elsewhere !== null) throw attributeRefusal(elsewhere, caller);
    const taken = takeCall(blocks, caller, isGood);
    if (!(taken instanceof Promise)) return counting(taken, admitted);
    // During a wait for the database, the key may have been revoked, and the lease may have ended.
    return taken.then((counted) => counting(counted, again));
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
    if (refusal !== null) throw attributeRefusal(refusal, caller);
    const found = isGood ? targets.recall(caller.orgId, named) : undefined;
    if (found !== undefined) return admission(caller, need, from, found);
    return targets.load(caller.orgId, named, isGood).then((loaded) => admission(caller, need, from, loaded));
  }

  return { admit, isOwnPage, facts: targets.lookups };
}

function admission(caller: Caller, need: Need, from: string | null, found: Found): Admission {
  const refusal = decideTarget(caller, need, found);
  if (refusal !== null) throw attributeRefusal(refusal, caller);
  return {
    caller,
    from,
    agent: found.agent,
    trigger: found.trigger,
    channel: found.channel,
    campaign: found.campaign,
  };
}
