import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import { KEY_LIMITS, type KeyLimits, type LowerKeyLimitsBody } from '../../../contract/key-limits.ts';
import { type Fault, invalidAt, Refusal } from '../../../contract/problems.ts';
import type { Permission } from '../../../contract/permissions.ts';
import { presentLimits } from '../../access/limits/present-limits.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { endOwnCalls, findReplaced, findReplacement } from '../../store/api-keys/total.ts';
import { lowerKeyLimits as lowerRow } from '../../store/api-keys/write.ts';
import type { ApiKeysDeps } from './deps.ts';
import { limitFaults } from './check-api-key.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';

/**
 * Lowers limits of a key, or adds limits to a key without limits. Limits are never raised or removed. Limits that the
 * call does not name do not change. The change can refuse calls that were granted, so the response comes after every
 * node enforces the new limits. Replaced keys use the total of the key in their overlap, so a lower total also applies
 * to the calls that nodes have reserved for them.
 */
export async function lowerKeyLimits(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  body: LowerKeyLimitsBody,
  actor: Actor,
): Promise<KeyRecord> {
  const before = await foundApiKey(deps.db, orgId, id);
  const wanted = checkLower(body, before.permissions as Permission[]);
  const replaced = wanted.total === undefined ? [] : await findReplaced(deps.db, orgId, id);
  const subjects = [id, ...replaced].map((one) => ({ kind: 'key' as const, id: one }));
  await deps.access.change(subjects, async (tx) => {
    // The limits are checked again under the lock of the log, because another caller may have lowered them since the
    // first check.
    const current = await foundApiKey(tx, orgId, id);
    const from = presentLimits(current) ?? {};
    checkNotRaised(wanted, from);
    if (wanted.total !== undefined && (await findReplacement(tx, orgId, id)) !== null)
      throw invalidAt('/total', 'conflict', USES_REPLACEMENT);
    if (!(await lowerRow(tx, orgId, id, wanted))) throw new Refusal('key_revoked_already');
    await endOwnCalls(tx, orgId, replaced);
    const facts = { label: current.label, prefix: current.prefix, from, to: { ...from, ...wanted } };
    await recordAudit(tx, { orgId, actor, action: 'api_key.limits_lowered', subjectId: id, facts });
  });
  const key = await readApiKey(deps, orgId, id);
  // A failover may have lost the change for which this call waited (docs/adr/0102).
  const now = key.limits ?? {};
  if (
    KEY_LIMITS.some((limit) => (now[limit] ?? Number.POSITIVE_INFINITY) > (wanted[limit] ?? Number.POSITIVE_INFINITY))
  )
    throw new Refusal('outcome_unknown');
  return key;
}

function checkLower(body: LowerKeyLimitsBody, permissions: readonly Permission[]): KeyLimits {
  const errors: Fault[] = [];
  const wanted: KeyLimits = {};
  for (const limit of KEY_LIMITS) {
    const value = body[limit];
    if (value === null) errors.push({ pointer: `/${limit}`, code: 'conflict', detail: NEVER_REMOVED });
    else if (value !== undefined) wanted[limit] = value;
  }
  errors.push(...limitFaults(wanted, permissions, ''));
  if (errors.length === 0 && Object.keys(wanted).length === 0)
    errors.push({ pointer: '', code: 'required', detail: `Name at least one of ${KEY_LIMITS.join(', ')}.` });
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
  return wanted;
}

function checkNotRaised(wanted: KeyLimits, current: KeyLimits): void {
  const errors = KEY_LIMITS.flatMap((limit): Fault[] =>
    current[limit] !== undefined && wanted[limit] !== undefined && wanted[limit] > current[limit]
      ? [{ pointer: `/${limit}`, code: 'conflict', detail: NEVER_RAISED }]
      : [],
  );
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

const NEVER_REMOVED = 'A limit of a key cannot be removed. Create a new key without the limit instead.';
const USES_REPLACEMENT =
  'This key was rotated and uses calls of the key that replaced it. Lower the total of the new key, or revoke this key.';
const NEVER_RAISED = 'A limit of a key can be lowered, but not raised. Create a new key instead.';
