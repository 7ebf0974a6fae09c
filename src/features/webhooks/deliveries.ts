import type { EventDelivery, EventDeliveryDetail } from '../../../contract/dashboard/webhooks.ts';
import { TEST_EVENT_TYPE } from '../../../contract/event-types.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import {
  type DeliveryPlace,
  type DeliveryRow,
  listDeliveries as listRows,
  readDelivery as readRow,
  resendDelivery as resendRow,
} from '../../store/events/delivery-log.ts';
import { insertTestEvent } from '../../store/events/events.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { presentEvent, withoutAddress } from '../../store/events/present.ts';
import { lockWebhook } from '../../store/webhooks.ts';
import type { WebhooksDeps } from './deps.ts';

/** Only admins can send deliveries again, so the response may show addresses. */
const FOR_ADMINS = { showAddresses: true };

type Reads = Pick<WebhooksDeps, 'db'>;

/** The position of a row in the list consists of two IDs, the first of which contains the time. */
export const deliveryPosition = (row: EventDelivery): string => `${row.event_id} ${row.endpoint_id}`;

export async function listDeliveries(
  { db }: Reads,
  orgId: string,
  filter: { endpointId?: string | undefined; type?: string | undefined; state?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<EventDelivery>> {
  const [eventId, endpointId] = after?.id.split(' ') ?? [];
  const place = eventId && endpointId ? { eventId, endpointId } : null;
  const { rows, hasMore } = await listRows(db, orgId, filter, { limit, after: place });
  return { rows: rows.map(presentDelivery), hasMore };
}

export async function readDelivery(
  { db }: Reads,
  orgId: string,
  place: DeliveryPlace,
  { showAddresses }: { showAddresses: boolean },
): Promise<EventDeliveryDetail> {
  const row = await readRow(db, orgId, place);
  if (!row) throw new Refusal('delivery_not_found');
  const { eventId: id, type, data, happenedAt: createdAt } = row;
  const event = presentEvent({ id, type, createdAt, data });
  return {
    ...presentDelivery(row),
    history: row.history,
    body: JSON.stringify(showAddresses ? event : withoutAddress(event)),
  };
}

/** Sends the same event again with the same ID, in a new series of attempts. */
export async function resendDelivery(
  deps: WebhooksDeps,
  orgId: string,
  place: DeliveryPlace,
  actor: Actor,
): Promise<EventDeliveryDetail> {
  const { eventId, endpointId } = place;
  await deps.db.transaction(async (tx) => {
    const endpoint = await lockWebhook(tx, orgId, endpointId);
    if (!endpoint || !(await readRow(tx, orgId, place))) throw new Refusal('delivery_not_found');
    if (!endpoint.enabled) throw new Refusal('webhook_disabled');
    await resendRow(tx, orgId, place);
    const facts = { endpoint_id: endpointId };
    await recordAudit(tx, { orgId, actor, action: 'event.resent', subjectId: eventId, facts });
  });
  deps.wake.events();
  return readDelivery(deps, orgId, place, FOR_ADMINS);
}

/** Sends a test event to this endpoint only. A test event is delivered, signed and retried like any other event. */
export async function sendTestEvent(
  deps: WebhooksDeps,
  orgId: string,
  endpointId: string,
  actor: Actor,
): Promise<EventDeliveryDetail> {
  const eventId = await deps.db.transaction(async (tx) => {
    const endpoint = await lockWebhook(tx, orgId, endpointId);
    if (!endpoint) throw new Refusal('webhook_not_found');
    if (!endpoint.enabled) throw new Refusal('webhook_disabled');
    const data = { endpoint_id: endpointId, message: 'A test event: your endpoint receives calls from Parley.' };
    const id = await insertTestEvent(tx, orgId, endpointId, { type: TEST_EVENT_TYPE, data });
    await recordAudit(tx, { orgId, actor, action: 'webhook.tested', subjectId: endpointId, facts: { event_id: id } });
    return id;
  });
  deps.wake.events();
  return readDelivery(deps, orgId, { eventId, endpointId }, FOR_ADMINS);
}

const presentDelivery = (row: DeliveryRow): EventDelivery => ({
  event_id: row.eventId,
  endpoint_id: row.endpointId,
  endpoint_url: row.endpointUrl,
  type: row.type,
  state: row.state as EventDelivery['state'],
  attempts: row.attempts,
  next_attempt_at: row.dueAt && timestamp(row.dueAt),
  last_attempt: row.history.at(-1) ?? null,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
