import type { RecoveredDeliveries, RecoverWebhookBody } from '../../../contract/dashboard/webhooks.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { recoverDeliveries as recoverRows, recoveryTime } from '../../store/events/delivery-log.ts';
import { lockWebhook } from '../../store/webhooks.ts';
import type { WebhooksDeps } from './deps.ts';

/**
 * Sends all events again that the endpoint did not accept after a given time, oldest first. The deliveries of events
 * that the endpoint did not accept failed, wait for their next attempt, or were cancelled while the endpoint was
 * disabled. Events that were delivered are not sent again.
 */
export async function recoverDeliveries(
  deps: WebhooksDeps,
  orgId: string,
  endpointId: string,
  body: RecoverWebhookBody,
  actor: Actor,
): Promise<RecoveredDeliveries> {
  const since = new Date(body.since);
  // All deliveries become due at the same time, so that they are claimed in the order of their events.
  const until = await recoveryTime(deps.db);
  let recovered = 0;
  for (let isMore = true; isMore;) {
    const part = await deps.db.transaction(async (tx) => {
      const endpoint = await lockWebhook(tx, orgId, endpointId);
      if (!endpoint) throw new Refusal('webhook_not_found');
      if (!endpoint.enabled) throw new Refusal('webhook_disabled');
      return recoverRows(tx, orgId, endpointId, { since, until });
    });
    recovered += part.recovered;
    isMore = part.isMore;
    deps.wake.events();
  }
  const facts = { since: body.since, recovered };
  await recordAudit(deps.db, { orgId, actor, action: 'webhook.recovered', subjectId: endpointId, facts });
  return { recovered };
}
