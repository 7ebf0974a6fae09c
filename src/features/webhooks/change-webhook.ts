import type { UpdateWebhookBody, WebhookRecord } from '../../../contract/dashboard/webhooks.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import {
  cancelPending,
  changeWebhook,
  deleteWebhook as deleteRow,
  lockWebhook,
  lockWebhooks,
} from '../../store/webhooks.ts';
import { checkUrl } from './check-url.ts';
import { presentWebhook } from './read-webhooks.ts';
import type { WebhooksDeps } from './webhooks.ts';

/** Switching off ends what waits for it; what happens while it is off is never told to it. */
export async function updateWebhook(
  deps: WebhooksDeps,
  orgId: string,
  id: string,
  changes: UpdateWebhookBody,
  actor: Actor,
): Promise<WebhookRecord> {
  if (changes.url !== undefined) await checkUrl(deps, changes.url);
  return deps.db.transaction(async (tx) => {
    const before = await lockWebhook(tx, orgId, id);
    if (!before) throw new Refusal('webhook_not_found');
    const { enabled } = changes;
    const row = await changeWebhook(tx, orgId, id, {
      ...changes,
      ...(enabled !== undefined && { disabledReason: enabled ? null : (before.disabledReason ?? 'by_member') }),
    });
    if (enabled === false) await cancelPending(tx, orgId, id);
    await recordAudit(tx, { orgId, actor, action: 'webhook.updated', subjectId: id, facts: changes });
    return presentWebhook(row!);
  });
}

/** With everything that was delivered to it. */
export async function deleteWebhook(
  { db }: Pick<WebhooksDeps, 'db'>,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    // One deletion of the organization at a time: its audit line is told to the other endpoints, which it locks for it.
    await lockWebhooks(tx, orgId);
    const row = await lockWebhook(tx, orgId, id);
    if (!row) throw new Refusal('webhook_not_found');
    await deleteRow(tx, orgId, id);
    await recordAudit(tx, { orgId, actor, action: 'webhook.deleted', subjectId: id, facts: { url: row.url } });
  });
}
