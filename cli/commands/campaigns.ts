import type { Command } from 'commander';
import { RECIPIENT_STATUSES, type RecipientStatus } from '../../contract/campaigns.ts';
import { Failure } from '../failure.ts';
import { parseJsonObject, readText } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { toFile } from '../write-file.ts';
import { examples, setAction } from '../command-action.ts';
import { addCampaignReport } from './campaign-report.ts';
import { addCampaignPlans } from './campaign-plans.ts';
import { addRepeat } from './campaign-repeat.ts';

export function addCampaignsCommand(program: Command): void {
  const campaigns = program
    .command('campaigns')
    .summary('webhook campaigns')
    .description('Webhook campaigns. Backends add recipients over HTTP with a key of the campaign.');

  const create = campaigns
    .command('create')
    .description('Creates a campaign as a draft.')
    .requiredOption('--agent <id>', 'the agent of the campaign')
    .requiredOption('--channel <id>', 'the channel to send on')
    .requiredOption('--name <name>', 'the name of the campaign');
  setAction<{ agent: string; channel: string; name: string }>(
    create,
    async ({ api, out }, _args, { agent, channel, name }) =>
      out.record(await api.call('createCampaign', { body: { agent_id: agent, channel_id: channel, name } })),
  );
  examples(create, 'campaigns create --agent agent_01jd… --channel channel_01jd… --name "November offers"');

  const list = listing(campaigns.command('list').description('Lists the campaigns.'));
  setAction<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listCampaigns', want),
      [field('id'), field('name'), field('state'), field('agent_id', 'Agent'), time('created_at')],
      'No campaign yet: ./parley campaigns create --agent ID --channel ID --name NAME',
    ),
  );

  setAction(
    campaigns.command('show').description('Shows a campaign.').argument('<campaign-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readCampaign', { ids: { campaign_id: id! } })),
  );

  const recipients = listing(
    campaigns
      .command('recipients')
      .description('Lists the recipients of a campaign, newest first.')
      .argument('<campaign-id>')
      .option('--status <status>', RECIPIENT_STATUSES.join(', '))
      .option('--ref <ref>', "the caller's reference"),
  );
  setAction<ListOptions & RecipientFilter>(recipients, async ({ api, out }, [id], { status, ref, ...want }) =>
    out.list(
      await api.list('listRecipients', want, { ids: { campaign_id: id! }, query: { status, ref } }),
      [field('id'), field('ref'), field('status'), field('reason'), time('due_at', 'Goes out'), time('updated_at')],
      'No recipient yet: add recipients with the key of the campaign.',
    ),
  );
  examples(recipients, 'campaigns recipients campaign_01jd… --status failed');

  const take = campaigns
    .command('export-recipients')
    .description('Exports the recipients of a campaign as CSV, newest first.')
    .argument('<campaign-id>')
    .option('--status <status>', 'as for "campaigns recipients"')
    .option('--ref <ref>', 'as for "campaigns recipients"')
    .option('--file <file>', 'a new file (default: standard output)');
  setAction<RecipientFilter & { file?: string }>(take, async ({ api, out }, [id], { file, ...query }) => {
    await toFile(file, (write) => api.download('exportRecipients', { ids: { campaign_id: id! }, query }, write));
    if (file !== undefined) out.hint(`Written to ${file}.`);
  });
  examples(take, 'campaigns export-recipients campaign_01jd… --status failed --file failed.csv');

  setAction(
    campaigns
      .command('cancel-recipient')
      .description('Cancels a recipient: the campaign sends them nothing more.')
      .argument('<campaign-id>')
      .argument('<recipient-id>'),
    async ({ api, out }, [id, recipient]) =>
      out.record(await api.call('cancelRecipient', { ids: { campaign_id: id!, recipient_id: recipient! } })),
  );

  const update = campaigns
    .command('update')
    .description(
      'Renames a campaign, or replaces all its settings (schedule, quiet hours, rate limit and first message) from a file.',
    )
    .argument('<campaign-id>')
    .option('--file <file>', 'the settings as JSON; "-" is standard input')
    .option('--name <name>', 'the new name of the campaign');
  setAction<{ file?: string; name?: string }>(update, async ({ api, out }, [id], { file, name }) => {
    if (file === undefined && name === undefined)
      throw new Failure('usage_invalid', 'Nothing to change: use --file or --name.');
    const settings = file === undefined ? undefined : parseJsonObject(await readText(file), file);
    const body = { ...(settings && { settings }), ...(name !== undefined && { name }) };
    out.record(await api.call('updateCampaign', { ids: { campaign_id: id! }, body }));
  });
  examples(
    update,
    `campaigns update campaign_01jd… --file - <<< '{"per_minute":600,"quiet_hours":{"from":"21:00","to":"08:00"}}'`,
  );

  addCampaignPlans(campaigns);
  addRepeat(campaigns);

  const moves = [
    [
      'start',
      'startCampaign',
      'Starts a campaign. Waiting recipients are messaged, and keys of the campaign can add more.',
    ],
    [
      'pause',
      'pauseCampaign',
      'Pauses a campaign: no first messages and no reminders are sent until you resume it. Started conversations continue.',
    ],
    ['resume', 'resumeCampaign', 'Resumes a paused campaign.'],
  ] as const;
  for (const [name, route, description] of moves) {
    setAction(campaigns.command(name).description(description).argument('<campaign-id>'), async ({ api, out }, [id]) =>
      out.record(await api.call(route, { ids: { campaign_id: id! } })),
    );
  }

  addCampaignReport(campaigns);

  const end = campaigns
    .command('end')
    .description('Ends a campaign. An ended campaign cannot be started again.')
    .argument('<campaign-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(end, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Campaign ${id} will end. An ended campaign cannot be started again.`);
    out.record(await api.call('endCampaign', { ids: { campaign_id: id! } }));
  });

  const remove = campaigns
    .command('delete')
    .description('Deletes a campaign permanently. Calls with keys of the campaign get 404.')
    .argument('<campaign-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Campaign ${id} will be deleted permanently.`);
    await api.call('deleteCampaign', { ids: { campaign_id: id! } });
    out.record({ id, deleted: true });
  });
}

type RecipientFilter = { status?: RecipientStatus; ref?: string };
