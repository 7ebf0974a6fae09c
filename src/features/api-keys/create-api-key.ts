import type { CreateKeyBody, NewKey } from '../../../contract/dashboard/keys.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { ApiKeysDeps } from './deps.ts';
import { checkKeyRules, checkNetworks, givenLimits } from './check-api-key.ts';
import { readApiKey } from './read-api-key.ts';
import { checkKeyConditions, type KeyWanted, writeApiKey } from './write-api-key.ts';

/**
 * Creates a key. A new key needs no entry in the change log, because no caller can have used the value before it
 * existed.
 */
export async function createApiKey(
  deps: ApiKeysDeps,
  orgId: string,
  body: CreateKeyBody,
  actor: Actor,
): Promise<NewKey> {
  const wanted: KeyWanted = {
    label: body.label.trim(),
    scope: body.scope,
    agentId: body.agent_id ?? null,
    campaignId: body.campaign_id ?? null,
    permissions: checkKeyRules(body, deps.now()),
    allowedNetworks: body.allowed_networks ? checkNetworks(body.allowed_networks).map(({ text }) => text) : null,
    limits: givenLimits(body.limits),
    rotatedFrom: null,
    revokeAt: body.expires_at ? new Date(body.expires_at) : null,
  };
  const { id, value } = await deps.db.transaction(async (tx) => {
    await checkKeyConditions(tx, orgId, wanted);
    return writeApiKey(deps, tx, orgId, wanted, actor);
  });
  return { ...(await readApiKey(deps, orgId, id)), value };
}
