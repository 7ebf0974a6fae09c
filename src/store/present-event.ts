import type { EventEnvelope } from '../../contract/events.ts';
import { timestamp } from '../kernel/clock.ts';

/** An event as everybody sees it; as JSON, the body of every delivery. */
export const presentEvent = (row: {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}): EventEnvelope => ({ id: row.id, type: row.type, timestamp: timestamp(row.createdAt), data: row.data });
