import { asksToStop } from '../engine/stop-words.ts';
import type { Db, Queryable } from '../store/db.ts';
import { type PersonOf, readWaitingTexts } from '../store/end-users/hold-person-of.ts';
import { setConsent } from '../store/end-users/set-consent.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { CompletedTurn } from '../store/runs/complete.ts';

/**
 * The effect of the word STOP. The engine recognizes stop words before every turn (src/engine/stop-words.ts), and a
 * rule of the agent may opt out a person too. The person is opted out on the kind of channel of the conversation, in
 * every conversation. The run ends, and the conversation is resolved. One message confirms the opt-out, with the text
 * of the rule or a built-in text. After an opt-out, Parley sends nothing on this kind of channel
 * (src/store/end-users/reason-not-to-send.ts): calls get `recipient_opted_out`, campaigns skip the person, and waiting
 * messages are suppressed. No word of the person ends the opt-out; a backend or a member sets the consent.
 */
export const OPTED_OUT_TURN = {
  status: 'completed',
  reason: 'opted_out',
  conversationStatus: 'resolved',
} as const satisfies Partial<CompletedTurn>;

/** The opt-out is stored before the turn, so that a crash between the two writes does not lose the opt-out. */
export const recordOptOut = (db: Db, run: ClaimedRun): Promise<unknown> =>
  setConsent(db, run.org_id, run.end_user.id, run.channel_kind, 'opted_out', 'stop_word');

/**
 * Opts the person out if a message that waits for a turn is an opt-out. This function is called before the message is
 * taken from its turn or when its run is cancelled, because no other turn may read the message. The caller has locked
 * the person (`holdPersonOf`).
 */
export async function recordWaitingOptOut(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  person: PersonOf | null,
): Promise<void> {
  if (person === null || !asksToStop(await readWaitingTexts(tx, orgId, conversationId))) return;
  await setConsent(tx, orgId, person.endUserId, person.channelKind, 'opted_out', 'stop_word');
}
