import type { Db } from '../store/db.ts';
import { setConsent } from '../store/end-users/set-consent.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { CompletedTurn } from '../store/runs/complete.ts';

/**
 * The effect of STOP. The engine recognizes it before every turn (src/engine/opt-out.ts), and a rule of the agent may
 * have the same effect. The person is opted out on this kind of channel, in every conversation. The run ends, and the
 * conversation is resolved. One message confirms it. From then on nothing is sent on this kind of channel
 * (src/store/end-users/why-silent.ts): calls get `recipient_opted_out`, and campaigns skip the person.
 */
export const STOPPED = {
  status: 'completed',
  reason: 'opted_out',
  conversationStatus: 'resolved',
} as const satisfies Partial<CompletedTurn>;

/** Before the turn is stored: a crash between the two must not lose the opt-out. */
export const recordStop = (db: Db, run: ClaimedRun): Promise<unknown> =>
  setConsent(db, run.org_id, run.end_user.id, run.channel_kind, 'opted_out', 'stop_word');
