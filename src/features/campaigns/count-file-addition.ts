import { type CountedFile, MAX_FILE_ROWS } from '../../../contract/dashboard/campaigns.ts';
import { invalidAt } from '../../../contract/problems.ts';
import { planPages } from './count-filter-addition.ts';
import { NOTHING_ADDED, countPage } from './count-outcomes.ts';
import type { CampaignsDeps } from './deps.ts';
import { newRecipientOf } from './add-recipients.ts';
import type { RecipientInputRow } from './recipient-input-row.ts';

const PAGE = 500;

/** Counts the recipients of a file as an addition would add them. The count adds no one. */
export async function countFileAddition(
  deps: Pick<CampaignsDeps, 'db' | 'suppression' | 'findChannel'>,
  orgId: string,
  id: string,
  read: AsyncIterable<RecipientInputRow>,
): Promise<CountedFile> {
  const plan = await planPages(deps, orgId, id);
  const rows = await allOf(read);
  const counted: CountedFile = { ...NOTHING_ADDED, faults: [] };
  for (let from = 0; from < rows.length; from += PAGE) {
    const page = rows.slice(from, from + PAGE);
    countPage(counted, page, await plan(page.flatMap((row) => ('recipient' in row ? [newRecipientOf(row)] : []))));
  }
  return counted;
}

/** Reads all rows of a file. */
export async function allOf(read: AsyncIterable<RecipientInputRow>): Promise<RecipientInputRow[]> {
  const rows: RecipientInputRow[] = [];
  for await (const row of read) {
    rows.push(row);
    if (rows.length <= MAX_FILE_ROWS) continue;
    const detail = `A file has at most ${MAX_FILE_ROWS} recipients: split the file.`;
    throw invalidAt('/file', 'too_many', detail);
  }
  return rows;
}
