import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import { renameApiKey as renameRow } from '../../store/api-keys/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { ApiKeysDeps } from './deps.ts';
import { checkLabel } from './check-api-key.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';

/** Changes the label of a key. Scope and permissions never change. Revoked keys may also be renamed. */
export async function renameApiKey(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  label: string,
  actor: Actor,
): Promise<KeyRecord> {
  const trimmed = checkLabel(label);
  const before = await foundApiKey(deps.db, orgId, id);
  // Nodes cache the key with its label for GET /api/me.
  await deps.access.change({ kind: 'key', id }, async (tx) => {
    await renameRow(tx, orgId, id, trimmed);
    const facts = { from: before.label, to: trimmed };
    await recordAudit(tx, { orgId, actor, action: 'api_key.renamed', subjectId: id, facts });
  });
  return readApiKey(deps, orgId, id);
}
