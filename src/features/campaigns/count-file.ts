import { type CountedFile, MAX_FILE_ROWS, MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { PushOutcome } from '../../store/recipients/push.ts';
import { counted, planPages } from './count-audience.ts';
import type { CampaignsDeps } from './deps.ts';
import { pushedRow, type PushRow } from './push-recipients.ts';

const PAGE = 500;

export const NOTHING_ADDED = { rows: 0, accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };

/** Counts the recipients of a file, in the same way in which a push would add them. It adds no one. */
export async function countFile(
  deps: Pick<CampaignsDeps, 'db' | 'suppression' | 'findChannel'>,
  orgId: string,
  id: string,
  read: AsyncIterable<PushRow>,
): Promise<CountedFile> {
  const plan = await planPages(deps, orgId, id);
  const rows = await allOf(read);
  const told: CountedFile = { ...NOTHING_ADDED, faults: [] };
  for (let from = 0; from < rows.length; from += PAGE) {
    const page = rows.slice(from, from + PAGE);
    tell(told, page, await plan(page.flatMap((row) => ('said' in row ? [pushedRow(row)] : []))));
  }
  return told;
}

/** Reads all rows of a file. */
export async function allOf(read: AsyncIterable<PushRow>): Promise<PushRow[]> {
  const rows: PushRow[] = [];
  for await (const row of read) {
    rows.push(row);
    if (rows.length <= MAX_FILE_ROWS) continue;
    const detail = `A file has at most ${MAX_FILE_ROWS} recipients: split it.`;
    throw new Refusal('validation_failed', undefined, { errors: [{ pointer: '/file', code: 'too_many', detail }] });
  }
  return rows;
}

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
