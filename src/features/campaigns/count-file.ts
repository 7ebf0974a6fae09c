import { type CountedFile, MAX_FILE_ROWS } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { planPages } from './count-audience.ts';
import { NOTHING_ADDED, tell } from './count-pushed.ts';
import type { CampaignsDeps } from './deps.ts';
import { pushedRow, type PushRow } from './push-recipients.ts';

const PAGE = 500;

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
