import { EVENT_EXAMPLES } from '../../../../contract/event-examples.ts';
import { type EventListQuery, EventListQuery as Query, EventPage } from '../../../../contract/event-list.ts';
import { holds } from '../../../access/decide.ts';
import { type EventsDeps, listEvents } from '../../../features/events/list-events.ts';
import type { Route } from '../../route/route.ts';

/** Lists events, for a backend that missed deliveries or has no endpoint. */
export const listEventsRoute = (deps: EventsDeps): Route => ({
  method: 'GET',
  path: '/api/events',
  access: { permission: 'triggers' },
  limit: 'triggers',
  operation: {
    id: 'listEvents',
    summary: 'List events',
    description:
      'The events of the last 30 days, oldest first: the same objects as endpoints receive. To continue, send `next_cursor` as `after`, or the `id` of the last event. An agent key lists the events of its agent: a page may be empty although `has_more` is true. Events about end users need the permission `end_users`. The audit log is not listed. If the organization has no endpoint, events are stored from the first call on.',
    tag: 'Events',
    examples: {
      200: {
        data: [
          {
            id: 'evt_01kapj8w4hf1t3v5x7z9c2e4g6',
            type: 'run.completed',
            timestamp: '2026-11-21T06:20:00.000Z',
            data: EVENT_EXAMPLES['run.completed'],
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
  },
  query: Query,
  responses: { 200: EventPage },
  problems: ['cursor_invalid'],
  handle({ admission: { caller }, query }) {
    const reader = {
      agentId: caller.scope === 'agent' ? caller.agentId : null,
      seesEndUsers: holds(caller, 'end_users'),
    };
    return listEvents(deps, caller.orgId, reader, query as EventListQuery);
  },
});
