import type { Command } from 'commander';
import { MAX_MONTH_DAY } from '../../contract/schedule-days.ts';
import type { CampaignSchedule, SetScheduleBody } from '../../contract/dashboard/campaign-schedules.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { wholeNumber } from '../read-input.ts';
import { examples, setAction } from '../command-action.ts';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SHORTEST = 3;
const SHORT = WEEK.map((day) => day.slice(0, SHORTEST)).join(', ');

type Options = {
  segment?: string;
  days?: string;
  monthDay?: number;
  at?: string;
  pause?: boolean;
  resume?: boolean;
  stop?: boolean;
};

/** Repeats a campaign for the people of a segment. */
export function addRepeat(campaigns: Command): void {
  const repeat = campaigns
    .command('repeat')
    .summary('repeat a campaign')
    .description(
      'Repeats a campaign for the people of a segment. On each of the days, a new campaign starts. Without options, shows the schedule and its next days. Omitted options do not change.',
    )
    .argument('<campaign-id>')
    .option('--segment <name or id>', 'the people: a segment, as saved on the page End users')
    .option('--days <days>', `days of the week, such as mon,thu (${SHORT})`)
    .option(
      '--month-day <number>',
      'instead of --days: this day of each month, or the last day of a shorter month',
      wholeNumber('--month-day', 1, MAX_MONTH_DAY),
    )
    .option('--at <hh:mm>', 'the time of day, in the time zone of each person (default 09:00)')
    .option('--pause', 'start no campaigns until --resume')
    .option('--resume', 'start campaigns again')
    .option('--stop', 'do not repeat any more; campaigns that were started stay');
  setAction<Options>(repeat, async ({ api, out }, [id], options) => {
    const ids = { campaign_id: id! };
    const days = check(options);
    if (options.stop) {
      await api.call('removeCampaignSchedule', { ids });
      return out.record({ schedule: null });
    }
    const { schedule } = await api.call('readCampaignSchedule', { ids });
    if (Object.keys(options).length === 0) return out.record(schedule ?? { schedule: null });
    const changed = await api.call('setCampaignSchedule', { ids, body: await bodyOf(api, schedule, options, days) });
    out.record(changed.schedule!);
  });
  examples(
    repeat,
    'campaigns repeat campaign_01jd… --segment "Gold customers" --days mon,thu --at 10:30',
    'campaigns repeat campaign_01jd… --segment "Gold customers" --month-day 31',
    'campaigns repeat campaign_01jd… --pause',
  );
}

/** Checks the flags before any call, and returns the days of the week if the flags name any. */
function check({ days, monthDay, pause, resume, stop, ...rest }: Options): number[] | null {
  const others = Object.values({ days, monthDay, pause, resume, ...rest }).some((value) => value !== undefined);
  if (stop && others) throw new Failure('usage_invalid', 'Use --stop alone.');
  if (pause && resume) throw new Failure('usage_invalid', 'Use either --pause or --resume.');
  if (days === undefined) return null;
  if (monthDay !== undefined) throw new Failure('usage_invalid', 'Use either --days or --month-day.');
  return readDays(days);
}

async function bodyOf(
  api: Api,
  stored: CampaignSchedule | null,
  { segment, monthDay, at = stored?.at ?? '09:00', pause, resume }: Options,
  days: number[] | null,
): Promise<SetScheduleBody> {
  const segmentId = segment === undefined ? stored?.segment_id : await findSegment(api, segment);
  if (segmentId === undefined) throw new Failure('usage_invalid', 'Name the people with --segment.');
  const isNamed = days !== null || monthDay !== undefined;
  if (!isNamed && stored === null) throw new Failure('usage_invalid', 'Name the days with --days or --month-day.');
  const when = isNamed
    ? { days: days ?? [], month_day: monthDay ?? null }
    : { days: stored!.days, month_day: stored!.month_day };
  return { segment_id: segmentId, ...when, at, paused: pause ?? (resume ? false : (stored?.paused ?? false)) };
}

function readDays(text: string): number[] {
  const days = text.split(',').map((one) => {
    const day = one.trim().toLowerCase();
    return day.length < SHORTEST ? 0 : WEEK.findIndex((name) => name.startsWith(day)) + 1;
  });
  if (days.includes(0)) throw new Failure('usage_invalid', `--days takes days such as mon,thu: ${SHORT}.`);
  return [...new Set(days)];
}

async function findSegment(api: Api, wanted: string): Promise<string> {
  const { data } = await api.call('listSegments', {});
  const found = data.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found) return found.id;
  const names = data.map(({ name }) => name).join(', ');
  throw new Failure(
    'usage_invalid',
    names === ''
      ? 'There is no segment yet: save one on the page End users.'
      : `No segment has this name or id. There are: ${names}.`,
  );
}
