import type { EventEnvelope } from '../../../contract/events.ts';
import type { Db } from '../../store/db.ts';
import { type EventPosition, keepTail, positionNow, readEventsAfter } from '../../store/events/events.ts';
import { presentEvent, withoutAddress } from '../../store/events/present.ts';

/** Maximum number of events in one response. */
const DEFAULT_LOOK = 100;

/**
 * Returns the events after the last request. The first request, which has no position, only returns the current
 * position. After each request, events are written for some more minutes, even without an endpoint.
 */
export async function watchEvents(
  { db }: { db: Db },
  orgId: string,
  after: EventPosition | null,
  {
    type,
    limit = DEFAULT_LOOK,
    showAddresses,
  }: { type?: string | undefined; limit?: number | undefined; showAddresses: boolean },
): Promise<{ events: EventEnvelope[]; position: EventPosition }> {
  await keepTail(db, orgId);
  if (after === null) return { events: [], position: await positionNow(db, orgId) };
  const { rows, position } = await readEventsAfter(db, orgId, after, { type, limit });
  const events = rows.map(presentEvent);
  return { events: showAddresses ? events : events.map(withoutAddress), position };
}
