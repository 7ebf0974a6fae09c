import { type EventListQuery, type EventPage, LISTED_EVENT_TYPES } from '../../../contract/event-list.ts';
import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import {
  type EventListStart,
  EVENT_RETENTION_DAYS,
  keepTail,
  listEvents as listRows,
  positionOf,
} from '../../store/events/events.ts';
import { presentEvent } from '../../store/events/present.ts';

const DEFAULT_LIMIT = 100;
const DAY_MINUTES = 24 * 60;

export type EventsDeps = { db: Db };

/** The rights of the caller. */
export type EventReader = {
  /** The agent of an agent key, which sees only events about this agent. */
  agentId: string | null;
  /** True: the caller may see events about end users. */
  seesEndUsers: boolean;
};

/**
 * Lists the events of the last 30 days, oldest first. After the first call, events are stored even if no endpoint
 * subscribes to them. After 30 days without a call, Parley stops storing events for the list.
 */
export async function listEvents(
  { db }: EventsDeps,
  orgId: string,
  reader: EventReader,
  { after, type, limit = DEFAULT_LIMIT }: EventListQuery,
): Promise<EventPage> {
  await keepTail(db, orgId, EVENT_RETENTION_DAYS * DAY_MINUTES);
  const start = after === undefined ? null : await startOf(db, orgId, after);
  const types = LISTED_EVENT_TYPES.filter((one) => (type === undefined || one === type) && maySee(reader, one));
  const { rows, next } = await listRows(db, orgId, start, { types, agentId: reader.agentId, limit });
  return { data: rows.map(presentEvent), next_cursor: next, has_more: next !== null };
}

/** An agent key sees what its agent does, and no keys, budgets and campaigns. */
const maySee = ({ agentId, seesEndUsers }: EventReader, type: string): boolean =>
  agentId === null
    ? seesEndUsers || !type.startsWith('end_user.')
    : /^(agent|conversation|message|run|approval)\./.test(type);

async function startOf(db: Db, orgId: string, after: string): Promise<EventListStart> {
  if (isId('evt', after)) {
    const position = await positionOf(db, orgId, after);
    if (position !== null) return position;
    throw new Refusal(
      'cursor_invalid',
      'This event was never stored, or is no longer stored. Send a time in `after` instead.',
    );
  }
  const since = new Date(after);
  if (!/^\d{4}-\d\d-\d\dT/.test(after) || Number.isNaN(since.getTime()))
    throw new Refusal('cursor_invalid', 'Send the id of an event or a time, for example 2026-11-21T06:00:00Z.');
  return { since };
}
