import type { EventEnvelope } from '../../../contract/events.ts';
import type { Db } from '../../store/db.ts';
import { type EventPosition, keepTail, positionNow, readEventsAfter } from '../../store/events/events.ts';
import { presentEvent, withoutAddress } from '../../store/events/present.ts';

/** Events of one look at most. */
const DEFAULT_LOOK = 100;

/**
 * What happened since the last look; the first one, without a position, only says where now is. Each look keeps events
 * being written for some minutes more, also where no endpoint listens.
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
  if (after === null) return { events: [], position: await positionNow(db) };
  const { rows, position } = await readEventsAfter(db, orgId, after, { type, limit });
  const events = rows.map(presentEvent);
  return { events: showAddresses ? events : events.map(withoutAddress), position };
}
