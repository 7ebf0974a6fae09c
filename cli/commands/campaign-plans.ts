import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { csv } from '../../contract/csv.ts';
import type { CountedAudience, CampaignReview } from '../../contract/dashboard/campaigns.ts';
import {
  type CampaignRehearsal,
  MAX_REHEARSED,
  REHEARSED_COLUMNS,
  type RehearseCampaignBody,
  type ScriptedReply,
} from '../../contract/dashboard/rehearsals.ts';
import type { BodyOf } from '../../contract/dashboard/routes.ts';
import type { AdditionRecord } from '../../contract/dashboard/additions.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { parseJson, parseJsonObject, readText, wholeNumber } from '../read-input.ts';
import type { Output } from '../output.ts';
import { toFile } from '../write-file.ts';
import { printable } from '../table.ts';
import { examples, setAction } from '../command-action.ts';

/** Commands that show the effect of a campaign in advance: review, rehearsal, test, audience. */
export function addCampaignPlans(campaigns: Command): void {
  addRehearse(campaigns);

  const review = filtered(
    campaigns
      .command('review')
      .description(
        'Shows what a start or resume would do with the waiting recipients, with end users who match, or with the recipients of a file. Changes nothing.',
      )
      .argument('<campaign-id>'),
  ).option('--file <file>', 'recipients of a file: CSV with a header row, or one as JSON in each line');
  setAction<FilterOptions & { file?: string }>(review, async ({ api, out }, [id], { file, ...filters }) => {
    const hasFilters = Object.keys(filters).length > 0;
    if (file !== undefined && hasFilters) throw new Failure('usage_invalid', 'Use either --file or filters.');
    const body = file !== undefined ? { file: await readText(file) } : hasFilters ? { filters } : {};
    const found = await api.call('reviewCampaign', { ids: { campaign_id: id! }, body });
    out.record(found, () => printable(reviewText(found)));
  });

  const test = campaigns
    .command('test')
    .description('Sends the first message to an address of yours, as a test. No one is enrolled.')
    .argument('<campaign-id>')
    .requiredOption('--address <address>', 'your address on the channel')
    .option('--name <name>', 'the name of the person in the message')
    .option('--locale <locale>', 'the language of the person, e.g. ar')
    .option('--variables <json>', 'values of the recipient, as a JSON object');
  setAction<TestOptions>(test, async ({ api, out }, [id], { address, variables, ...person }) => {
    const ids = { campaign_id: id! };
    const { settings } = await api.call('readCampaign', { ids });
    const given = variables === undefined ? {} : { variables: parseJsonObject(variables, '--variables') };
    out.record(
      await api.call('testCampaign', { ids, body: { settings, address, end_user: personOf(person), ...given } }),
    );
  });
  examples(test, 'campaigns test campaign_01jd… --address +97430000000 --name Asha');

  const audience = filtered(
    campaigns
      .command('audience')
      .summary('add end users as recipients')
      .description(
        'Adds the end users who match all filters as recipients, in the background, and waits for the end. No one is added twice.',
      )
      .argument('<campaign-id>'),
  )
    .option('--file <file>', 'recipients of a file instead: CSV with a header row, or one as JSON in each line')
    .option('--dry-run', 'only count the people');
  setAction<AudienceOptions>(audience, async ({ api, out }, [id], { dryRun, file, ...filters }) => {
    const ids = { campaign_id: id! };
    if (file !== undefined) {
      if (Object.keys(filters).length > 0) throw new Failure('usage_invalid', 'Use either --file or filters.');
      const text = await readText(file);
      if (dryRun) return out.record(await api.call('countFile', { ids, body: { file: text } }));
      return out.record(await added(api, out, await api.call('startPush', { ids, body: { file: text } })));
    }
    if (!dryRun) return out.record(await added(api, out, await api.call('startPush', { ids, body: { filters } })));
    const sum: Omit<CountedAudience, 'next'> = { accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };
    for (let after: string | null | undefined; after !== null;) {
      const body = { filters, ...(after !== undefined && { after }) };
      const { next, ...page } = await api.call('countAudience', { ids, body });
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += page[name];
      after = next;
      out.progress(`${Object.values(sum).reduce((all, one) => all + one, 0)} people`);
    }
    out.record(sum);
  });
  examples(
    audience,
    'campaigns audience campaign_01jd… --tag spring --dry-run',
    'campaigns audience campaign_01jd… --file recipients.csv',
  );
}

const POLL_MS = 500;

/** Waits until all people are added, and the server continues if the command is interrupted. */
async function added(api: Api, out: Output, addition: AdditionRecord): Promise<AdditionRecord> {
  for (let now = addition; ;) {
    if (now.state === 'failed') throw new Failure('import_failed', now.fault?.detail ?? 'It failed.');
    if (now.finished_at !== null) return now;
    out.progress(now.is_held ? 'The campaign is paused' : `${now.done} people`);
    await sleep(POLL_MS);
    now = await api.call('readPush', { ids: { campaign_id: addition.campaign_id, push_id: addition.id } });
  }
}

type FilterOptions = { text?: string; tag?: string; attribute?: string };
type AudienceOptions = FilterOptions & { dryRun?: boolean; file?: string };
type TestOptions = { address: string; name?: string; locale?: string; variables?: string };

const personOf = ({ name, locale }: Pick<TestOptions, 'name' | 'locale'>): BodyOf<'testCampaign'>['end_user'] => ({
  ...(name !== undefined && { name }),
  ...(locale !== undefined && { locale }),
});

const filtered = (command: Command): Command =>
  command
    .option('--tag <tag>', 'end users with this tag')
    .option('--attribute <name=value>', 'end users with this attribute')
    .option('--text <words>', 'words of the name, or the beginning of an identifier');

type RehearseOptions = FilterOptions & {
  file?: string;
  madeUp?: number;
  zones?: string;
  replies?: string;
  settings?: string;
  beginsAt?: string;
  rows?: string;
};

function addRehearse(campaigns: Command): void {
  const rehearse = filtered(
    campaigns
      .command('rehearse')
      .summary('play a campaign on a virtual clock')
      .description(
        `Runs a campaign on a virtual clock with the rules of the worker. Shows who gets a message and when, who gets none and why, and when the campaign ends. Sends and stores nothing. The people come from a file, a filter of end users, or generated data. By default, the people are the recipients who wait for their first message. At most ${MAX_REHEARSED} people take part.`,
      )
      .argument('<campaign-id>')
      .option(
        '--file <file>',
        'recipients as CSV with a header row, or one as JSON in each line; "-" is standard input',
      )
      .option('--made-up <n>', 'the number of generated people', wholeNumber('--made-up', 1, MAX_REHEARSED)),
  )
    .option('--zones <zones>', 'time zones of the made-up people, comma-separated')
    .option('--replies <file>', 'JSON: [{"text":"stop","after_minutes":5,"percent":2}], or "refs" for "percent"')
    .option('--settings <file>', 'settings as JSON instead of the stored ones')
    .option('--begins-at <time>', 'what the clock shows at the start, e.g. 2027-01-31T09:00:00Z (default: now)')
    .option('--rows <file>', 'write a row for each recipient into this new CSV file');
  setAction<RehearseOptions>(rehearse, async ({ api, out }, [id], options) => {
    const body = await askedOf(options);
    const rehearsal = await api.call('rehearseCampaign', { ids: { campaign_id: id! }, body });
    const { rows, ...report } = rehearsal;
    if (options.rows !== undefined) {
      const text = csv(tableOf(rows));
      await toFile(options.rows, (write) => write(Buffer.from(text)));
    }
    out.record(options.rows === undefined ? rehearsal : report, () => printable(rehearsalText(rehearsal)));
  });
  examples(
    rehearse,
    'campaigns rehearse campaign_01jd… --made-up 10000 --zones Asia/Qatar,Europe/London',
    'campaigns rehearse campaign_01jd… --file recipients.csv --replies replies.json --rows report.csv',
  );
}

async function askedOf({ file, madeUp, zones, replies, settings, beginsAt, rows, ...filters }: RehearseOptions) {
  const hasFilters = Object.values(filters).some((value) => value !== undefined);
  if ([file !== undefined, madeUp !== undefined, hasFilters].filter(Boolean).length > 1)
    throw new Failure('usage_invalid', 'Choose one source of people: --file, --made-up or filters.');
  if (zones !== undefined && madeUp === undefined) throw new Failure('usage_invalid', '--zones needs --made-up.');
  const made = madeUp !== undefined && {
    made_up: { count: madeUp, ...(zones !== undefined && { time_zones: zones.split(',') }) },
  };
  const body: RehearseCampaignBody = {
    ...(file !== undefined && { file: await readText(file) }),
    ...made,
    ...(hasFilters && { filters }),
    ...(replies !== undefined && { replies: parseJson(await readText(replies), replies) as ScriptedReply[] }),
    ...(settings !== undefined && { settings: parseJsonObject(await readText(settings), settings) }),
    ...(beginsAt !== undefined && { begins_at: beginsAt }),
    ...(rows !== undefined && { all_rows: true }),
  };
  return body;
}

const minute = (at: string | null): string => (at === null ? '–' : `${at.slice(0, 16).replace('T', ' ')}Z`);

function rehearsalText(rehearsal: CampaignRehearsal): string {
  const { sent, recipients, empty } = rehearsal;
  const stops = {
    after_a_year: 'The campaign had not ended after a year.',
    took_too_long: 'The rehearsal took too long and was stopped.',
  };
  return [
    `${sent} of ${recipients} are messaged, from ${minute(rehearsal.first_at)} to ${minute(rehearsal.last_at)}`,
    ...rehearsal.left_out.map(({ status, reason, count }) => `${count} not: ${reason ?? status}`),
    ...rehearsal.replies.map(
      ({ text, count, opts_out: optsOut }) => `${count} answer “${text}”${optsOut ? ', which opts them out' : ''}`,
    ),
    ...(rehearsal.reminders > 0 ? [`${rehearsal.reminded} get ${rehearsal.reminders} reminders`] : []),
    ...(empty.count > 0 ? [`${empty.count} messages have an empty place: ${empty.names.join(', ')}`] : []),
    `Ends ${minute(rehearsal.ends_at)}`,
    ...(rehearsal.stopped === null ? [] : [stops[rehearsal.stopped]]),
    ...(rehearsal.has_more ? [`More people match; the first ${recipients} were rehearsed.`] : []),
    '',
    ...rehearsal.by_hour.map((hour) => `${minute(hour.at)}  ${hour.sent} sent  ${hour.replies} replies`),
  ].join('\n');
}

const tableOf = (rows: CampaignRehearsal['rows']): (string | null)[][] => [
  [...REHEARSED_COLUMNS],
  ...rows.map((row) => REHEARSED_COLUMNS.map((name) => row[name])),
];

function reviewText(review: CampaignReview): string {
  const { waiting, goes, left_out: leftOut, empty, refused, faults } = review;
  return [
    `${waiting} wait or match; ${goes.count} are messaged, from ${minute(goes.first_at)} to ${minute(goes.last_at)}`,
    ...leftOut.map(({ status, reason, count }) => `${count} not: ${reason ?? status}`),
    ...(empty.count > 0 ? [`${empty.count} messages have an empty place: ${empty.names.join(', ')}`] : []),
    ...(refused.count > 0 ? [`The provider would refuse ${refused.count}: ${refused.reasons.join(' ')}`] : []),
    ...(review.needs_template ? ['Without a template, people who have not written recently are not reached.'] : []),
    ...faults.map(({ row, errors }) => `Recipient ${row}: ${errors.map(({ detail }) => detail).join(' ')}`),
  ].join('\n');
}
