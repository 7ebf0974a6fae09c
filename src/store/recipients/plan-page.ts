import type pg from 'pg';
import { kindsBy } from '../../../contract/channel-kinds.ts';
import type { Db } from '../db.ts';
import type { EndUserRow } from '../end-users/end-user-row.ts';
import type { Suppression } from '../end-users/suppression.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { planAndWrite } from '../queue/plan-and-write.ts';
import {
  isTaken,
  type PlannedBefore,
  planAddition,
  type AddRecipientsCall,
  type AdditionOutcome,
} from './add-recipients.ts';

export type PlannedRecipient = { outcome: AdditionOutcome; person: EndUserRow | null; address: string | null };

/**
 * Plans a page of recipients as an addition would, with the people and their addresses on the channel. The function
 * writes nothing. `before` contains the results of the previous pages, and the function adds the results of this page.
 */
export const planPage = (
  db: Db,
  call: Omit<AddRecipientsCall, 'answer' | 'tally'> & { channelId: string },
  suppression: Suppression | null,
  before: PlannedBefore,
): Promise<PlannedRecipient[]> =>
  planAndWrite(db.$client, {
    tries: 1,
    plan: async (client) => {
      const plan = await planAddition(
        client,
        { ...call, tally: null, answer: () => ({ status: 200, body: '' }) },
        suppression,
        before,
      );
      const people = plan.people.map((taken) => (isTaken(taken) ? taken.row : null));
      const addressOf = await readAddresses(client, call, people);
      return plan.outcomes.map((outcome, index) => {
        const person = people[index]!;
        return { outcome, person, address: person && addressOf(person) };
      });
    },
    write: async (_client, planned) => planned,
  });

/** The address of each person on the channel, taken from their last message or else from their record. */
async function readAddresses(
  client: pg.PoolClient,
  { orgId, channelId, channelKind }: { orgId: string; channelId: string; channelKind: string },
  people: readonly (EndUserRow | null)[],
): Promise<(person: EndUserRow) => string | null> {
  const found = await client.query<{ id: string; address: string }>({
    name: 'read-addresses-of',
    text: `SELECT DISTINCT ON (i.end_user_id) i.end_user_id AS id, i.address FROM identity i
      WHERE i.org_id = $1 AND ${checkedOnly('i.channel_id')} = $2 AND i.end_user_id = ANY ($3)
      ORDER BY i.end_user_id, i.last_inbound_at DESC NULLS LAST`,
    values: [orgId, channelId, people.flatMap((person) => (person?.updated_at ? person.id : []))],
  });
  const known = new Map(found.rows.map(({ id, address }) => [id, address]));
  const field = (['email', 'phone'] as const).find((one) => kindsBy(one).includes(channelKind));
  return (person) => known.get(person.id) ?? (field ? person[field] : null);
}
