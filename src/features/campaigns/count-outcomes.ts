import { type CountedFile, MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import type { Fault } from '../../../contract/problems.ts';
import type { AdditionOutcome } from '../../store/recipients/add-recipients.ts';
import type { RecipientInputRow } from './recipient-input-row.ts';

export const NOTHING_ADDED = { rows: 0, accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };

/** Adds the outcomes of a page to the counts. */
export function countPage(
  counted: CountedFile,
  page: readonly RecipientInputRow[],
  outcomes: readonly AdditionOutcome[],
): void {
  const wrong = (row: number, ref: string | null, errors: readonly Fault[]): void => {
    counted.invalid++;
    const shown = errors.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    if (counted.faults.length < MAX_NAMED) counted.faults.push({ row, ref, errors: shown });
  };
  let next = 0;
  for (const row of page) {
    counted.rows++;
    const outcome = 'recipient' in row ? outcomes[next++]! : null;
    if ('errors' in row) wrong(counted.rows, row.ref, row.errors);
    else if (outcome?.kind === 'invalid') wrong(counted.rows, row.ref, outcome.faults);
  }
  const { accepted, duplicates, opted_out: optedOut, blocked } = countByKind(outcomes);
  counted.accepted += accepted;
  counted.duplicates += duplicates;
  counted.opted_out += optedOut;
  counted.blocked += blocked;
}

/** Counts the outcomes of an addition by their kind. */
export const countByKind = (outcomes: readonly AdditionOutcome[]) => {
  const count = (isOne: (outcome: AdditionOutcome) => boolean): number => outcomes.filter(isOne).length;
  return {
    accepted: count(({ kind }) => kind === 'pending'),
    duplicates: count(({ kind }) => kind === 'duplicate'),
    opted_out: count((one) => one.kind === 'suppressed' && one.reason === 'opted_out'),
    blocked: count((one) => one.kind === 'suppressed' && one.reason === 'blocked'),
    invalid: count(({ kind }) => kind === 'invalid'),
  };
};
