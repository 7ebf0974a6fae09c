import { Type, type Static } from 'typebox';
import { AUDIT_EVENT, EVENT_TYPES } from './event-types.ts';
import { EventEnvelope } from './events.ts';

/**
 * Types that an API key can list. The list excludes entries of the audit log, because they contain who did what, and
 * from where.
 */
export const LISTED_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== AUDIT_EVENT);

export const EventListQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The id of an event (`evt_…`), or a time. Without it, the list begins with the oldest event, 30 days ago.',
    }),
  ),
  type: Type.Optional(Type.Enum(LISTED_EVENT_TYPES)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type EventListQuery = Static<typeof EventListQuery>;

/**
 * The events are in order, oldest first. The field `next_cursor` is the ID of the last event that was read, for
 * `after`. A page of an agent key may have few events although more follow, because the call also reads events of other
 * agents.
 */
export const EventPage = Type.Object(
  {
    data: Type.Array(EventEnvelope),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  },
  { title: 'EventPage' },
);
export type EventPage = Static<typeof EventPage>;
