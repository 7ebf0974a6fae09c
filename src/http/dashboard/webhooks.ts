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
import { recoverDeliveries } from '../../features/webhooks/recover-deliveries.ts';
import { rotateSecret } from '../../features/webhooks/rotate-secret.ts';
import { cursorScope } from '../route/paging.ts';
import type { WebhooksDeps } from '../../features/webhooks/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

const placeOf = ({ event_id: eventId, endpoint_id: endpointId }: { event_id: string; endpoint_id: string }) => ({
  eventId,
  endpointId,
});

/** Routes for events: their endpoints, their deliveries, and the live list of events. */
export const webhookRoutes = ({ route, deps, paging }: RouteDeps<WebhooksDeps>): Route[] => [
  route('listWebhooks', async ({ orgId }) => ({ data: await listWebhooks(deps, orgId) })),
  route('createWebhook', ({ orgId, body, actor, careful }) => createWebhook(careful(deps), orgId, body, actor)),
  route('readWebhook', ({ orgId, params }) => readWebhook(deps, orgId, params.endpoint_id)),
  route('updateWebhook', ({ orgId, params, body, actor, careful }) =>
    updateWebhook(careful(deps), orgId, params.endpoint_id, body, actor),
  ),
  route('rotateWebhookSecret', ({ orgId, params, body, actor }) =>
    rotateSecret(deps, orgId, params.endpoint_id, body.overlap, actor),
  ),
  route('deleteWebhook', ({ orgId, params, actor }) => deleteWebhook(deps, orgId, params.endpoint_id, actor)),
  route('testWebhook', ({ orgId, params, actor }) => sendTestEvent(deps, orgId, params.endpoint_id, actor)),
  route('recoverWebhook', ({ orgId, params, body, actor }) =>
    recoverDeliveries(deps, orgId, params.endpoint_id, body, actor),
  ),

  route('listEventDeliveries', ({ orgId, query, paged }) => {
    const filter = { endpointId: query.endpoint_id, type: query.type, state: query.state };
    return paged(filter, (page) => listDeliveries(deps, orgId, filter, page), deliveryPosition);
  }),
  route('readEventDelivery', ({ orgId, params, acting }) =>
    readDelivery(deps, orgId, placeOf(params), { showAddresses: isAtLeast(acting.role, 'admin') }),
  ),
  route('resendEventDelivery', ({ orgId, params, actor }) => resendDelivery(deps, orgId, placeOf(params), actor)),

  route('watchEvents', async ({ orgId, query, acting }) => {
    const scope = cursorScope('events', orgId);
    const [tx, id] = query.after === undefined ? [] : paging.marked(scope, query.after);
    const after = tx === undefined || id === undefined ? null : { tx, id };
    const { events, position } = await watchEvents(deps, orgId, after, {
      ...query,
      showAddresses: isAtLeast(acting.role, 'admin'),
    });
    return { data: events, cursor: paging.mark(scope, [position.tx, position.id]) };
  }),
];
