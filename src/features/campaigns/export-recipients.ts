import { csv, csvHeader } from '../../../contract/csv.ts';
import { readExternalIds } from '../../store/end-users/read.ts';
import type { CampaignsDeps } from './deps.ts';
import { listNamedRecipients } from './recipients.ts';

type Filter = Parameters<typeof listNamedRecipients>[3];
type Page = Awaited<ReturnType<typeof listNamedRecipients>>;
type Named = Page['rows'][number];

const PAGE = 1_000;

/** Streams the recipients of a campaign as CSV, newest first. Throws `campaign_not_found` before the first row. */
export async function exportRecipients(
  deps: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  campaignId: string,
  filter: Filter,
): Promise<AsyncIterable<string>> {
  const read = (after: Named | null) =>
    listNamedRecipients(deps, orgId, campaignId, filter, {
      limit: PAGE,
      after: after && { id: after.id, createdAt: new Date(after.created_at) },
    });
  return write(deps, orgId, await read(null), read);
}

async function* write(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  first: Page,
  read: (after: Named) => Promise<Page>,
): AsyncIterable<string> {
  yield csvHeader(COLUMNS.map(([name]) => name));
  for (let page = first; ; page = await read(page.rows.at(-1)!)) {
    const people = page.rows.flatMap(({ end_user_id: id }) => id ?? []);
    const externalIds = await readExternalIds(db, orgId, people);
    const rows = page.rows.map((row) => ({ ...row, external_id: externalIds.get(row.end_user_id ?? '') ?? '' }));
    if (rows.length > 0) yield csv(rows.map((row) => COLUMNS.map(([, cell]) => cell(row))));
    if (!page.hasMore) return;
  }
}

/** `external_id` joins the file with the records of the caller's own systems. */
type Exported = Named & { external_id: string };

const COLUMNS: [string, (row: Exported) => string][] = [
  ['recipient_id', ({ id }) => id],
  ['ref', ({ ref }) => ref ?? ''],
  ['external_id', (row) => row.external_id],
  ['name', ({ name }) => name ?? ''],
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
