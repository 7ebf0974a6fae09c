import type { Command } from 'commander';
import { REPORT_STEPS } from '../../contract/dashboard/campaign-report.ts';
import { field, time } from '../listing.ts';
import { examples, setAction } from '../command-action.ts';

/** Adds the command `campaigns report`. */
export function addCampaignReport(campaigns: Command): void {
  const report = campaigns
    .command('report')
    .description('Shows how many people a campaign reached, by the hour or by the day.')
    .argument('<campaign-id>')
    .option('--time-zone <zone>', 'the time zone of the hours and days, such as Asia/Qatar (default UTC)');
  setAction<{ timeZone?: string }>(report, async ({ api, out }, [id], { timeZone }) => {
    const found = await api.call('readCampaignReport', {
      ids: { campaign_id: id! },
      query: { time_zone: timeZone },
    });
    if (out.json) return out.record(found);
    const columns = [time('at', found.by === 'hour' ? 'Hour' : 'Day'), ...REPORT_STEPS.map((step) => field(step))];
    out.list({ data: found.points, next_cursor: null }, columns, 'No message was sent yet.');
  });
  examples(report, 'campaigns report campaign_01jd… --time-zone Asia/Qatar');
}
