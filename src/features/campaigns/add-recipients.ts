import type { PushedRecipients, PushResult, RecipientInput } from '../../../contract/campaigns.ts';
import { MAX_STORED_ADDITIONS } from '../../../contract/dashboard/additions.ts';
import type { CountedFile } from '../../../contract/dashboard/campaigns.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { CampaignFacts } from '../../access/types.ts';
import { readSendAt } from '../../kernel/validation/read-send-at.ts';
import { readStoredAnswer } from '../../store/idempotency/stored-answer.ts';
import {
  type AddRecipientsAnswer,
  type NewRecipient,
  type AdditionOutcome,
  addRecipients as addToStore,
} from '../../store/recipients/add-recipients.ts';
import { type AdditionPage } from '../../store/campaigns/addition-queue.ts';
import { deleteOldAdditions } from '../../store/campaigns/additions.ts';
import { NOTHING_ADDED, countPage } from './count-outcomes.ts';
import type { CampaignsDeps } from './deps.ts';
import type { RecipientInputRow } from './recipient-input-row.ts';

export type AdditionInput = {
  campaign: CampaignFacts;
  caller: { orgId: string; keyId: string; from: string | null };
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
  dedupe: 'campaign' | 'none';
  rows: readonly RecipientInputRow[];
};

const MAX_REF = 255;

/**
 * Accepts recipients. All valid recipients are added in one transaction, and the invalid recipients get their faults.
 */
export async function addRecipients(
  deps: Pick<CampaignsDeps, 'db' | 'guard' | 'suppression' | 'findChannel' | 'onAdded'>,
  input: AdditionInput,
): Promise<AddRecipientsAnswer> {
  const { orgId, keyId, from } = input.caller;
  const channel = await deps.findChannel(orgId, input.campaign.channelId);
  if (!channel) {
    // A repeated call gets its stored response, even if the channel was disconnected after the first call.
    const stored = await readStoredAnswer(deps.db.$client, { orgId, idempotency: input.idempotency });
    if (stored?.kind === 'replayed') return { answer: stored.answer, replayed: true, isFirst: false };
    if (stored?.kind === 'refused') throw stored.refusal;
    throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  }
  const rows = input.rows.map(checkRow);
  const recipients = rows.flatMap((row) => ('recipient' in row ? [newRecipientOf(row)] : []));
  const call = {
    orgId,
    keyId,
    from,
    campaignId: input.campaign.id,
    channelKind: channel.kind,
    requestId: input.requestId,
    dedupe: input.dedupe,
    recipients,
    idempotency: input.idempotency,
    answer: (outcomes: readonly AdditionOutcome[]) => ({ status: 202, body: JSON.stringify(answered(rows, outcomes)) }),
    tally: (outcomes: readonly AdditionOutcome[]) => tallied(rows, outcomes, input.requestId),
  };
  const result = await deps.guard({ orgId, idempotency: input.idempotency }, () =>
    addToStore(deps.db, call, deps.suppression),
  );
  // The call is accepted, so a failure here must not refuse it. If the deletion fails, the first call of the next day
  // deletes these additions.
  if (result.isFirst) deleteOldAdditions(deps.db, orgId, input.campaign.id, MAX_STORED_ADDITIONS).catch(() => {});
  if (!result.replayed) deps.onAdded();
  return result;
}

/** Reads one recipient in its original form and checks it with `check`. */
export function readRow(check: (value: unknown) => void, row: unknown): RecipientInputRow {
  const { ref: given } = (row ?? {}) as { ref?: unknown };
  const ref = typeof given === 'string' && given.length <= MAX_REF ? given : null;
  try {
    check(row);
    return { ref, recipient: row as RecipientInput };
  } catch (error) {
    if (error instanceof Refusal) return { ref, errors: error.extras.errors ?? [] };
    throw error;
  }
}

/** Converts a row to the form in which the store adds it. */
export const newRecipientOf = ({
  ref,
  recipient,
}: {
  ref: string | null;
  recipient: RecipientInput;
}): NewRecipient => ({
  endUser: recipient.end_user,
  variables: recipient.variables ?? {},
  sendAt: recipient.send_at ? new Date(recipient.send_at) : null,
  ref,
});

/** Checks the rules for a recipient that a schema cannot express. */
export function checkRow(row: RecipientInputRow): RecipientInputRow {
  if ('errors' in row) return row;
  const { end_user: person, send_at: sendAt } = row.recipient;
  const errors: Fault[] = [];
  const names = [person.id, person.external_id, person.email, person.phone];
  if (names.every((name) => name === undefined))
    errors.push({
      pointer: '/end_user',
      code: 'required',
      detail: 'Name the person by id, external_id, email or phone.',
    });
  if (person.id !== undefined && Object.keys(person).length > 1)
    errors.push({ pointer: '/end_user/id', code: 'conflict', detail: 'With an id, no other field is allowed.' });
  readSendAt(sendAt, errors);
  return errors.length > 0 ? { ref: row.ref, errors } : row;
}

/** The part of a call that the list of additions shows. The detail of a fault contains no value of the call. */
function tallied(
  rows: readonly RecipientInputRow[],
  outcomes: readonly AdditionOutcome[],
  requestId: string,
): AdditionPage {
  const counted = { ...NOTHING_ADDED, faults: [] as CountedFile['faults'] };
  countPage(counted, rows, outcomes);
  const faults = counted.faults.map(({ row, ref, errors }) => ({
    row,
    ref,
    request_id: requestId,
    detail: errors.map(({ detail }) => detail).join(' '),
  }));
  return { ...counted, faults };
}

function answered(rows: readonly RecipientInputRow[], outcomes: readonly AdditionOutcome[]): PushedRecipients {
  let next = 0;
  const results = rows.map((row, index): PushResult => {
    const outcome = 'recipient' in row ? outcomes[next++]! : { kind: 'invalid' as const, faults: row.errors };
    const { ref } = row;
    if (outcome.kind !== 'invalid')
      return {
        index,
        ref,
        recipient_id: outcome.id,
        status: outcome.kind,
        reason: outcome.reason,
        ...(outcome.unchanged.length > 0 && { unchanged: [...outcome.unchanged] }),
      };
    const { faults } = outcome;
    return { index, ref, recipient_id: null, status: 'invalid', reason: faults[0]?.code ?? 'invalid', errors: faults };
  });
  const count = (status: PushResult['status']) => results.filter((result) => result.status === status).length;
  return {
    accepted: count('pending'),
    duplicates: count('duplicate'),
    suppressed: count('suppressed'),
    invalid: count('invalid'),
    results,
  };
}
