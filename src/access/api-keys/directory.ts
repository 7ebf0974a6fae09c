import type { Clock } from '../../kernel/clock.ts';
import type { StoredKey, TargetRecords } from '../../store/api-keys/records.ts';
import { createBoundedMap } from '../bounded-map.ts';
import { storedNetworks } from './networks.ts';
import type { AgentFacts, CampaignFacts, Caller, CallerLimits, ChannelFacts, Subject, TriggerFacts } from '../types.ts';

/**
 * The cache of a node: keys by digest, and the agents, triggers, channels and campaigns that paths name. The cache is
 * bounded, filled on demand, and valid only while the lease is valid.
 *
 * A load that is in progress when a change is applied may return the state before the change. Every change gets the
 * next generation, and a query stores its generation at the start. The result of a query is cached only if none of its
 * subjects has changed since the query began.
 *
 * A key has two names in the cache: its digest, for calls with the key itself, and its ID, for calls with its client
 * tokens. A change of the key removes both entries of the cache.
 *
 * The absence of a record is cached for at most one lease. No caller can have asked for an ID or key value before its
 * creation, because both are random, so creations need no entry in the change log.
 */
export type KeyEntry = {
  readonly caller: Caller;
  readonly isRevoked: boolean;
  /** The time of a scheduled revoke, in milliseconds of the wall clock. Infinite: no revoke is scheduled. */
  readonly revokeAt: number;
  readonly lastUsedAt: number | null;
  readonly organization: Validity;
};

/** All cached keys of one organization share this object, so a change of the plan invalidates them with one write. */
type Validity = { valid: boolean; keys: number };

export type TargetKind = 'agent' | 'trigger' | 'channel' | 'campaign';
type Facts = { agent: AgentFacts; trigger: TriggerFacts; channel: ChannelFacts; campaign: CampaignFacts };

export type Directory = {
  /**
   * Finds the key by its digest or its ID. `null`: the key does not exist. `undefined`: the key is not cached, so query
   * the database.
   */
  key(name: string): KeyEntry | null | undefined;
  target<K extends TargetKind>(kind: K, orgId: string, id: string): Facts[K] | null | undefined;
  generation(): number;
  /**
   * Returns the content of the record. The content is cached only if none of its subjects has changed since
   * `generation`.
   */
  keepKey(name: string, record: StoredKey | null, generation: number): KeyEntry | null;
  keepTarget<K extends TargetKind>(
    kind: K,
    orgId: string,
    id: string,
    record: TargetRecords[K],
    generation: number,
  ): Facts[K] | null;
  drop(subject: Subject): void;
  flush(): void;
  size(): number;
};

const DIRECTORY_ENTRIES = 200_000;
/** Above this number, all entries are dropped, because each entry costs only one query. */
const MAX_ABSENT = 10_000;
/** The cache remembers this number of changes individually. An older generation counts as changed. */
const MAX_CHANGES = 4_096;

export type DirectoryOptions = {
  clock: Clock;
  entries?: number;
  absentMs: number;
};

export function createDirectory(options: DirectoryOptions): Directory {
  const { clock, entries = DIRECTORY_ENTRIES, absentMs } = options;
  const digestOf = new Map<string, string>();
  const organizations = new Map<string, Validity>();
  /** Maps a sandbox channel to the agent whose facts name the channel. */
  const sandboxOf = new Map<string, string>();
  const changes = createChanges();
  const absent = createAbsent(clock, absentMs, changes.generation);

  const keys = createBoundedMap<KeyEntry>(entries, (name, { caller, organization }) => {
    if (name !== caller.keyId) digestOf.delete(caller.keyId);
    if (--organization.keys === 0 && organizations.get(caller.orgId) === organization) {
      organizations.delete(caller.orgId);
    }
  });
  const targets = createBoundedMap<Facts[TargetKind]>(entries, (_id, facts) => {
    if ('sandboxChannelId' in facts && facts.sandboxChannelId !== null) sandboxOf.delete(facts.sandboxChannelId);
  });

  return {
    key: (digest) => {
      const entry = keys.get(digest);
      if (entry !== undefined) return entry.organization.valid ? entry : undefined;
      return absent.has(digest) ? null : undefined;
    },
    target: <K extends TargetKind>(_kind: K, orgId: string, id: string) => {
      const facts = targets.get(id);
      if (facts?.orgId === orgId) return facts as Facts[K];
      return absent.size() > 0 && absent.has(absentTarget(orgId, id)) ? null : undefined;
    },
    generation: changes.generation,
    keepKey: (digest, record, since) => {
      if (record === null) {
        absent.keep(digest, since);
        return null;
      }
      const organization = organizations.get(record.orgId) ?? { valid: true, keys: 0 };
      const entry = entryOf(record, organization);
      if (!changes.noneSince(since, [record.id, record.orgId])) return entry;
      keys.set(digest, entry);
      organization.keys++;
      organizations.set(record.orgId, organization);
      if (digest !== record.id) digestOf.set(record.id, digest);
      return entry;
    },
    keepTarget: (kind, orgId, id, record, since) => {
      if (record === null) {
        absent.keep(absentTarget(orgId, id), since);
        return null;
      }
      const facts = { ...record, orgId } as unknown as Facts[typeof kind];
      const sandboxChannelId = 'sandboxChannelId' in facts ? facts.sandboxChannelId : null;
      if (changes.noneSince(since, [id, sandboxChannelId])) {
        targets.set(id, facts);
        if (sandboxChannelId !== null) sandboxOf.set(sandboxChannelId, id);
      }
      return facts;
    },
    drop: ({ kind, id }) => {
      changes.add(id);
      if (kind === 'key') {
        const digest = digestOf.get(id);
        if (digest !== undefined) keys.delete(digest);
        keys.delete(id);
      } else if (kind === 'organization') {
        const organization = organizations.get(id);
        if (organization) organization.valid = false;
        organizations.delete(id);
      } else {
        targets.delete(id);
        const agentId = sandboxOf.get(id);
        if (agentId !== undefined) targets.delete(agentId);
      }
      absent.clear();
    },
    flush: () => {
      changes.addAll();
      absent.clear();
      for (const map of [keys, targets, digestOf, organizations, sandboxOf]) map.clear();
    },
    size: () => keys.size() + targets.size(),
  };
}

/** The names for which the database has no record. */
function createAbsent(clock: Clock, absentMs: number, generation: () => number) {
  const until = new Map<string, number>();
  return {
    has: (name: string): boolean => {
      const end = until.get(name);
      if (end === undefined) return false;
      if (clock.monotonic() < end) return true;
      until.delete(name);
      return false;
    },
    /**
     * A name is cached only if no record at all has changed since the query began, because an absent record has no ID.
     */
    keep: (name: string, since: number): void => {
      if (since !== generation()) return;
      if (until.size >= MAX_ABSENT) until.clear();
      until.set(name, clock.monotonic() + absentMs);
    },
    size: () => until.size,
    clear: () => until.clear(),
  };
}

/** Remembers the generation at which each subject changed. */
function createChanges() {
  const changedAt = new Map<string, number>();
  let generation = 0;
  let floor = 0;
  return {
    generation: () => generation,
    noneSince: (since: number, ids: readonly (string | null)[]): boolean =>
      since >= floor && ids.every((id) => id === null || (changedAt.get(id) ?? 0) <= since),
    add: (id: string): void => {
      if (changedAt.size >= MAX_CHANGES) {
        changedAt.clear();
        floor = generation + 1;
      }
      changedAt.set(id, ++generation);
    },
    /** After `addAll`, all records count as changed. */
    addAll: (): void => {
      floor = ++generation;
      changedAt.clear();
    },
  };
}

const absentTarget = (orgId: string, id: string): string => `${orgId} ${id}`;

const entryOf = (record: StoredKey, organization: Validity): KeyEntry => ({
  caller: {
    keyId: record.id,
    orgId: record.orgId,
    orgName: record.orgName,
    plan: record.plan,
    label: record.label,
    prefix: record.prefix,
    scope: record.scope,
    agentId: record.agentId,
    campaignId: record.campaignId,
    permissions: record.permissions,
    networks: storedNetworks(record.allowedNetworks),
    limits: limitsOf(record),
  },
  isRevoked: record.revokedAt !== null,
  revokeAt: record.revokeAt?.getTime() ?? Number.POSITIVE_INFINITY,
  lastUsedAt: record.lastUsedAt?.getTime() ?? null,
  organization,
});

function limitsOf({ perMinute, perEndUserPerMinute, total }: StoredKey): CallerLimits | null {
  if (perMinute === null && perEndUserPerMinute === null && total === null) return null;
  return { perMinute, perEndUserPerMinute, total };
}
