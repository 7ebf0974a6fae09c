import { AUDIT_EVENT } from '../../../contract/event-types.ts';
import type { EventEnvelope } from '../../../contract/events.ts';
import { timestamp } from '../../kernel/clock.ts';

/** The public format of an event. The JSON of this object is the body of every delivery. */
export const presentEvent = (row: {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}): EventEnvelope => ({ id: row.id, type: row.type, timestamp: timestamp(row.createdAt), data: row.data });

/** Only owners and admins see network addresses, as they do in the audit log. */
export const withoutAddress = (event: EventEnvelope): EventEnvelope =>
  event.type === AUDIT_EVENT ? { ...event, data: { ...event.data, address: null } } : event;
