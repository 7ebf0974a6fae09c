import { sql } from 'drizzle-orm';
import { timestamp } from '../../kernel/clock.ts';
import type { Queryable } from '../db.ts';
import type { Consent } from './suppression.ts';

/** Stores a person's consent on one kind of channel. A repeated call changes only the time. */
export async function setConsent(
  db: Queryable,
  orgId: string,
  endUserId: string,
  channelKind: string,
  status: 'opted_in' | 'opted_out',
  source: string,
): Promise<void> {
  await db.execute(sql`
    UPDATE end_user SET consent = consent || jsonb_build_object(${channelKind}::text,
      jsonb_build_object('status', ${status}::text, 'source', ${source}::text, 'at', ${timestamp(Date.now())}::text)),
      updated_at = statement_timestamp()
    WHERE org_id = ${orgId} AND id = ${endUserId}`);
}

/** The opt-out of a person who has written a stop word. */
export const stopWordConsent = (channelKind: string): Consent => ({
  [channelKind]: { status: 'opted_out', source: 'stop_word', at: timestamp(Date.now()) },
});
