import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { watchEvents } from '../../features/events/watch-events.ts';
import { deleteWebhook, updateWebhook } from '../../features/webhooks/change-webhook.ts';
import { createWebhook } from '../../features/webhooks/create-webhook.ts';
import {
  deliveryPosition,
  listDeliveries,
  readDelivery,
  resendDelivery,
  sendTestEvent,
} from '../../features/webhooks/deliveries.ts';
import { listWebhooks, readWebhook } from '../../features/webhooks/read-webhooks.ts';
import { rotateSecret } from '../../features/webhooks/rotate-secret.ts';
import { cursorScope } from '../route/paging.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

const placeOf = ({ event_id: eventId, endpoint_id: endpointId }: { event_id: string; endpoint_id: string }) => ({
  eventId,
  endpointId,
});

/** Events: their endpoints, their deliveries, and the live list of events. */
export const webhookRoutes = ({ route, room, paging }: Desk): Route[] => [
  route('listWebhooks', async ({ orgId }) => ({ data: await listWebhooks(room, orgId) })),
  route('createWebhook', ({ orgId, body, actor }) => createWebhook(room, orgId, body, actor)),
  route('readWebhook', ({ orgId, params }) => readWebhook(room, orgId, params.endpoint_id)),
  route('updateWebhook', ({ orgId, params, body, actor }) =>
    updateWebhook(room, orgId, params.endpoint_id, body, actor),
  ),
  route('rotateWebhookSecret', ({ orgId, params, body, actor }) =>
    rotateSecret(room, orgId, params.endpoint_id, body.overlap, actor),
  ),
  route('deleteWebhook', ({ orgId, params, actor }) => deleteWebhook(room, orgId, params.endpoint_id, actor)),
  route('testWebhook', ({ orgId, params, actor }) => sendTestEvent(room, orgId, params.endpoint_id, actor)),

  route('listEventDeliveries', ({ orgId, query, paged }) => {
    const filter = { endpointId: query.endpoint_id, type: query.type, state: query.state };
    return paged(filter, (page) => listDeliveries(room, orgId, filter, page), deliveryPosition);
  }),
  route('readEventDelivery', ({ orgId, params, acting }) =>
    readDelivery(room, orgId, placeOf(params), { showAddresses: isAtLeast(acting.role, 'admin') }),
  ),
  route('resendEventDelivery', ({ orgId, params, actor }) => resendDelivery(room, orgId, placeOf(params), actor)),

  route('watchEvents', async ({ orgId, query, acting }) => {
    const scope = cursorScope('events', orgId);
    const [tx, id] = query.after === undefined ? [] : paging.marked(scope, query.after);
    const after = tx === undefined || id === undefined ? null : { tx, id };
    const { events, position } = await watchEvents(room, orgId, after, {
      ...query,
      showAddresses: isAtLeast(acting.role, 'admin'),
    });
    return { data: events, cursor: paging.mark(scope, [position.tx, position.id]) };
  }),
];
