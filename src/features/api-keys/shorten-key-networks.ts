import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { type Network, covers, storedNetworks } from '../../access/api-keys/networks.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { shortenKeyNetworks as shortenRow } from '../../store/api-keys/write.ts';
import type { ApiKeysDeps } from './deps.ts';
import { checkNetworks } from './check-api-key.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';

/**
 * Removes networks of a key, or makes them smaller. The networks can never become wider. The change can refuse calls
 * that were permitted, so the response comes after every node refuses callers outside the new networks.
 */
export async function shortenKeyNetworks(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  wanted: readonly string[],
  actor: Actor,
): Promise<KeyRecord> {
  const networks = checkNetworks(wanted);
  const to = networks.map(({ text }) => text);
  await foundApiKey(deps.db, orgId, id);
  await deps.access.change({ kind: 'key', id }, async (tx) => {
    // The networks are read under the lock of the change log, so that no simultaneous call widens the networks that
    // another call has narrowed.
    const { allowedNetworks: before } = await foundApiKey(tx, orgId, id);
    checkInside(networks, storedNetworks(before));
    if (!(await shortenRow(tx, orgId, id, to))) throw new Refusal('key_revoked_already');
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'api_key.networks_shortened',
      subjectId: id,
      facts: { from: before, to },
    });
  });
  const key = await readApiKey(deps, orgId, id);
  // A failover may have lost the change for which this call waited (docs/adr/0102).
  const now = storedNetworks(key.allowed_networks);
  if (!now?.every((network) => isWithin(networks, network))) throw new Refusal('outcome_unknown');
  return key;
}

function checkInside(networks: readonly Network[], allowed: readonly Network[] | null): void {
  if (allowed === null) return;
  const errors = networks.flatMap((network, index): Fault[] =>
    isWithin(allowed, network) ? [] : [{ pointer: `/allowed_networks/${index}`, ...OUTSIDE }],
  );
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

const isWithin = (allowed: readonly Network[], network: Network): boolean =>
  allowed.some((outer) => covers(outer, network));

const OUTSIDE = {
  code: 'conflict',
  detail:
    'The key does not allow this network now. You can narrow the networks of a key, but not widen them: create a new key instead.',
};
