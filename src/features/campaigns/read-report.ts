import type { CampaignReport } from '../../../contract/dashboard/campaign-report.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { reportRecipients } from '../../store/recipients/report.ts';
import type { CampaignsDeps } from './deps.ts';

const UTC = 'UTC';
/** The database has its own list of time zones, which may be older than the browser's list. */
const UNKNOWN_ZONE = '22023';

/** Counts the people who reached each step, hour by hour or day by day. */
export async function readReport(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  id: string,
  zone: string = UTC,
): Promise<CampaignReport> {
  if (!(await readCampaign(db, orgId, id))) throw new Refusal('campaign_not_found');
  try {
    const { by, points } = await reportRecipients(db, orgId, id, zone);
    return { by, time_zone: zone, points: points.map((point) => ({ ...point, at: timestamp(point.at) })) };
  } catch (error) {
    if (zone !== UTC && codeOf(error) === UNKNOWN_ZONE) return readReport({ db }, orgId, id);
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined =>
  ((error as { cause?: { code?: string } }).cause ?? (error as { code?: string })).code;
