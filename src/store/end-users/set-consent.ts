import { sql } from 'drizzle-orm';
import { timestamp } from '../../kernel/clock.ts';
import type { Queryable } from '../db.ts';
import type { Consent } from './suppression.ts';
import { CHANGE_TIME } from './write-batch.ts';

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
    UPDATE end_user SET consent = consent || ${JSON.stringify(consentOn(channelKind, status, source))}::jsonb,
      updated_at = ${sql.raw(CHANGE_TIME)}
    WHERE org_id = ${orgId} AND id = ${endUserId}`);
}

/** A person's consent on one kind of channel, given now. */
export const consentOn = (channelKind: string, status: 'opted_in' | 'opted_out', source: string): Consent => ({
  [channelKind]: { status, source, at: timestamp(Date.now()) },
});
