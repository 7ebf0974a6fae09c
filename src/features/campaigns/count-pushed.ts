import { type CountedFile, MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import type { Fault } from '../../../contract/problems.ts';
import type { PushOutcome } from '../../store/recipients/push.ts';
import type { PushRow } from './push-recipients.ts';

export const NOTHING_ADDED = { rows: 0, accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };

/** Adds the outcomes of a page to the counts. */
export function tell(told: CountedFile, page: readonly PushRow[], outcomes: readonly PushOutcome[]): void {
  const wrong = (row: number, ref: string | null, errors: readonly Fault[]): void => {
    told.invalid++;
    const shown = errors.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    if (told.faults.length < MAX_NAMED) told.faults.push({ row, ref, errors: shown });
  };
  let next = 0;
  for (const row of page) {
    told.rows++;
    const outcome = 'said' in row ? outcomes[next++]! : null;
    if ('errors' in row) wrong(told.rows, row.ref, row.errors);
    else if (outcome?.kind === 'invalid') wrong(told.rows, row.ref, outcome.faults);
  }
  const { accepted, duplicates, opted_out: optedOut, blocked } = counted(outcomes);
  told.accepted += accepted;
  told.duplicates += duplicates;
  told.opted_out += optedOut;
  told.blocked += blocked;
}

/** Counts the outcomes of a push by their kind. */
export const counted = (outcomes: readonly PushOutcome[]) => {
  const count = (isOne: (outcome: PushOutcome) => boolean): number => outcomes.filter(isOne).length;
  return {
    accepted: count(({ kind }) => kind === 'pending'),
    duplicates: count(({ kind }) => kind === 'duplicate'),
    opted_out: count((one) => one.kind === 'suppressed' && one.reason === 'opted_out'),
    blocked: count((one) => one.kind === 'suppressed' && one.reason === 'blocked'),
    invalid: count(({ kind }) => kind === 'invalid'),
  };
};
