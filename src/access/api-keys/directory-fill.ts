import type { StoredKey, TargetIds, TargetRecords } from '../../store/api-keys/records.ts';
import type { Found } from '../decide.ts';
import type { Directory, KeyEntry } from './directory.ts';

/**
 * Loads missing records into the directory: one query for a key with its organization, and one for all records that a
 * path names. Callers that need the same records share a query, but only while the lease is valid and nothing has
 * changed since the query was sent. With a valid lease and no change, the query cannot return a state from before a
 * confirmed revoke. Without a lease each caller makes its own query.
 */
export type Fills = {
  key(digest: string, isShared: boolean): Promise<KeyEntry | null>;
  /** Loads the key of a client token by its ID. */
  keyById(orgId: string, id: string, isShared: boolean): Promise<KeyEntry | null>;
  targets(orgId: string, ids: TargetIds, isShared: boolean): Promise<Found>;
};

export type FillSource = {
  readKey(digest: string): Promise<StoredKey | null>;
  readKeyById(orgId: string, id: string): Promise<StoredKey | null>;
  readTargets(orgId: string, ids: TargetIds): Promise<TargetRecords>;
};

type Flight<T> = { generation: number; result: Promise<T> };

export function createFills(directory: Directory, source: FillSource): Fills {
  const keyFlights = new Map<string, Flight<KeyEntry | null>>();
  const targetFlights = new Map<string, Flight<Found>>();

  function share<T>(
    flights: Map<string, Flight<T>>,
    name: string,
    isShared: boolean,
    load: (generation: number) => Promise<T>,
  ): Promise<T> {
    const generation = directory.generation();
    const current = flights.get(name);
    if (isShared && current?.generation === generation) return current.result;
    const flight: Flight<T> = { generation, result: load(generation) };
    flights.set(name, flight);
    const land = (): void => {
      if (flights.get(name) === flight) flights.delete(name);
    };
    flight.result.then(land, land);
    return flight.result;
  }

  return {
    key: (digest, isShared) =>
      share(keyFlights, digest, isShared, async (generation) =>
        directory.keepKey(digest, await source.readKey(digest), generation),
      ),
    keyById: (orgId, id, isShared) =>
      share(keyFlights, id, isShared, async (generation) =>
        directory.keepKey(id, await source.readKeyById(orgId, id), generation),
      ),
    targets: (orgId, ids, isShared) => {
      const name = [orgId, ids.agent, ids.trigger, ids.channel, ids.campaign].join(' ');
      return share(targetFlights, name, isShared, async (generation) => {
        const records = await source.readTargets(orgId, ids);
        const keep = <K extends keyof TargetIds>(kind: K) =>
          ids[kind] === null ? null : directory.keepTarget(kind, orgId, ids[kind], records[kind], generation);
        return { agent: keep('agent'), trigger: keep('trigger'), channel: keep('channel'), campaign: keep('campaign') };
      });
    },
  };
}
