import type { UpdateWebhookBody, WebhookRecord } from '../../../contract/dashboard/webhooks.ts';
import { Refusal } from '../../../contract/problems.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import {
  cancelPending,
  changeWebhook,
  deleteDeliveries,
  deleteWebhook as deleteRow,
  lockWebhook,
  lockWebhooks,
  type WebhookRow,
} from '../../store/webhooks.ts';
import { presentWebhook } from './read-webhooks.ts';
import { openSecrets, sealSecrets } from './secrets.ts';
import type { WebhooksDeps } from './deps.ts';

/**
 * Disabling cancels the waiting deliveries of the endpoint, which never gets events from the time in which it is
 * disabled. The signing secret belongs to Parley and is never sent to the receiver. The signature proves to the
 * receiver that Parley is the sender. The secret does not change when the receiver moves to another URL. The secret is
 * sealed again for the new URL.
 */
export async function updateWebhook(
  deps: WebhooksDeps,
  orgId: string,
  id: string,
  changes: UpdateWebhookBody,
  actor: Actor,
): Promise<WebhookRecord> {
  if (changes.url !== undefined) await checkAddress(deps.egress, '/url', changes.url);
  const row = await deps.db.transaction(async (tx) => {
    const before = await lockWebhook(tx, orgId, id);
    if (!before) throw new Refusal('webhook_not_found');
    const { enabled, url = before.url } = changes;
    const changed = await changeWebhook(tx, orgId, id, {
      ...changes,
      ...(url !== before.url && { sealed: await movedSecrets(tx, deps, before, url) }),
      ...(enabled !== undefined && { disabledReason: enabled ? null : (before.disabledReason ?? 'by_member') }),
    });
    await recordAudit(tx, { orgId, actor, action: 'webhook.updated', subjectId: id, facts: changes });
    return changed!;
  });
  if (changes.enabled === false) await cancelPending(deps.db, orgId, id);
  return presentWebhook(row);
}

async function movedSecrets(
  tx: Queryable,
  { sealingKey }: Pick<WebhooksDeps, 'sealingKey'>,
  before: WebhookRow,
  url: string,
): Promise<string> {
  return sealSecrets(tx, sealingKey, { ...before, url }, await openSecrets(tx, sealingKey, before));
}

/**
 * Deletes the endpoint together with its delivery log. The endpoint is disabled first, so that it gets no more events
 * even if the deletion of a long log fails and must be repeated.
 */
export async function deleteWebhook(
  { db }: Pick<WebhooksDeps, 'db'>,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const off = { enabled: false, disabledReason: 'by_member' };
  if (!(await changeWebhook(db, orgId, id, off))) throw new Refusal('webhook_not_found');
  await deleteDeliveries(db, orgId, id);
  await db.transaction(async (tx) => {
    // Only one deletion per organization runs at a time, because its audit entry is an event for the other endpoints
    // and locks them.
    await lockWebhooks(tx, orgId);
    const row = await lockWebhook(tx, orgId, id);
    if (!row) throw new Refusal('webhook_not_found');
    await deleteRow(tx, orgId, id);
    await recordAudit(tx, { orgId, actor, action: 'webhook.deleted', subjectId: id, facts: { url: row.url } });
  });
}
