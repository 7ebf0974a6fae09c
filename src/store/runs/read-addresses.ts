import type pg from 'pg';
import { consentOn } from '../end-users/set-consent.ts';
import { findSuppressedOf, type Suppressed } from '../end-users/find-suppressed.ts';
import { identifiersAt, type Suppression } from '../end-users/suppression.ts';
import { readAddressed, readStandings } from '../messages/read-targets.ts';
import type { AcceptCall } from './accept-call.ts';

/** The person at an address, and the opt-outs of this person or of an erased person with this address. */
export type AtAddress = Suppressed & { endUserId: string | null };

/** Reads the addresses that the callers themselves gave. Without such calls, the function needs no round trip. */
export async function readAddresses(
  client: pg.Pool | pg.PoolClient,
  calls: readonly AcceptCall[],
  suppression: Suppression | null,
): Promise<Map<AcceptCall, AtAddress>> {
  if (calls.length === 0) return new Map();
  const asked = calls.map(({ orgId, agentId, channelId, address }) => ({
    orgId,
    agentId,
    channelId,
    to: { address: address!, person: null },
  }));
  const addressed = await readAddressed(client, asked);
  const holders = asked.map((one) => {
    const { conversation, identityOf } = addressed.get(one)!;
    return conversation?.end_user_id ?? identityOf;
  });
  const known = calls.flatMap((call, index) => {
    const endUserId = holders[index]!;
    return endUserId === null ? [] : [{ ...call, call, kind: call.channelKind, endUserId }];
  });
  const standings = await readStandings(client, known);
  const standingOf = new Map(known.map(({ call }, index) => [call, standings[index]]));
  const strangers = calls.map(({ orgId, channelKind, address }, index) =>
    holders[index] === null
      ? identifiersAt(channelKind, address!).map(([kind, value]) => ({ orgId, kind, value }))
      : [],
  );
  const erased = suppression === null ? [] : await findSuppressedOf(client, strangers, suppression);
  return new Map(
    calls.map((call, index) => {
      const { consent, blocked = false } = standingOf.get(call) ?? {};
      const optOut = consent === 'opted_out' ? consentOn(call.channelKind, 'opted_out', 'address') : {};
      return [call, { endUserId: holders[index]!, consent: optOut, blocked, ...erased[index] }];
    }),
  );
}
