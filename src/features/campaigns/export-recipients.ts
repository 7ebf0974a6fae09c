import { csv, csvHeader } from '../../../contract/csv.ts';
import type { Recipient } from '../../../contract/campaigns.ts';
import { readExternalIds, readNames } from '../../store/end-users/read.ts';
import type { PageOf } from '../../store/page.ts';
import type { CampaignsDeps } from './deps.ts';
import { listRecipients } from './recipients.ts';

type Filter = Parameters<typeof listRecipients>[3];

const PAGE = 1_000;

/** Streams the recipients of a campaign as CSV, newest first. Throws `campaign_not_found` before the first row. */
export async function exportRecipients(
  deps: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  campaignId: string,
  filter: Filter,
): Promise<AsyncIterable<string>> {
  const read = (after: Recipient | null) =>
    listRecipients(deps, orgId, campaignId, filter, {
      limit: PAGE,
      after: after && { id: after.id, createdAt: new Date(after.created_at) },
    });
  return write(deps, orgId, await read(null), read);
}

async function* write(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  first: PageOf<Recipient>,
  read: (after: Recipient) => Promise<PageOf<Recipient>>,
): AsyncIterable<string> {
  yield csvHeader(COLUMNS.map(([name]) => name));
  for (let page = first; ; page = await read(page.rows.at(-1)!)) {
    const people = page.rows.flatMap(({ end_user_id: id }) => id ?? []);
    const [names, externalIds] = await Promise.all([readNames(db, orgId, people), readExternalIds(db, orgId, people)]);
    const rows = page.rows.map((row) => {
      const person = row.end_user_id ?? '';
      return { ...row, name: names.get(person) ?? '', external_id: externalIds.get(person) ?? '' };
    });
    if (rows.length > 0) yield csv(rows.map((row) => COLUMNS.map(([, cell]) => cell(row))));
    if (!page.hasMore) return;
  }
}

/** `external_id` joins the file with the records of the caller's own systems. */
type Exported = Recipient & { name: string; external_id: string };

const COLUMNS: [string, (row: Exported) => string][] = [
  ['recipient_id', ({ id }) => id],
  ['ref', ({ ref }) => ref ?? ''],
  ['external_id', (row) => row.external_id],
  ['name', ({ name }) => name],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason ?? ''],
  ['variables', ({ variables }) => JSON.stringify(variables)],
  ['send_at', (row) => row.send_at ?? ''],
  ['due_at', (row) => row.due_at ?? ''],
  ['created_at', (row) => row.created_at],
  ['updated_at', (row) => row.updated_at],
  ['end_user_id', (row) => row.end_user_id ?? ''],
  ['conversation_id', (row) => row.conversation_id ?? ''],
  ['run_id', (row) => row.run_id ?? ''],
];
