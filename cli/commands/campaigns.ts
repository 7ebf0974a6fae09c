import type { Command } from 'commander';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, verb } from '../verb.ts';

export function addCampaignsCommand(program: Command): void {
  const campaigns = program
    .command('campaigns')
    .summary('webhook campaigns')
    .description("Webhook campaigns: recipients are pushed in over HTTP with the campaign's own key.");

  const create = campaigns
    .command('create')
    .description('Makes a campaign as a draft.')
    .requiredOption('--agent <id>', 'the agent that writes')
    .requiredOption('--channel <id>', 'the channel it writes on')
    .requiredOption('--name <name>', 'its name');
  verb<{ agent: string; channel: string; name: string }>(
    create,
    async ({ api, out }, _args, { agent, channel, name }) =>
      out.record(await api.call('createCampaign', { body: { agent_id: agent, channel_id: channel, name } })),
  );
  examples(create, 'campaigns create --agent agent_01jd… --channel channel_01jd… --name "November offers"');

  const list = listing(campaigns.command('list').description('Lists the campaigns.'));
  verb<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listCampaigns', want),
      [field('id'), field('name'), field('state'), field('agent_id', 'Agent'), time('created_at')],
      'No campaign yet: ./parley campaigns create --agent ID --channel ID --name NAME',
    ),
  );

  verb(
    campaigns.command('show').description('Shows a campaign.').argument('<campaign-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readCampaign', { ids: { campaign_id: id! } })),
  );

  const moves = [
    ['start', 'startCampaign', 'Opens a campaign: it takes recipients from now on.'],
    ['pause', 'pauseCampaign', 'Holds a campaign: nothing is sent until it is resumed.'],
    ['resume', 'resumeCampaign', 'Goes on with a paused campaign.'],
  ] as const;
  for (const [name, route, description] of moves) {
    verb(campaigns.command(name).description(description).argument('<campaign-id>'), async ({ api, out }, [id]) =>
      out.record(await api.call(route, { ids: { campaign_id: id! } })),
    );
  }

  const end = campaigns
    .command('end')
    .description('Ends a campaign. It cannot be opened again.')
    .argument('<campaign-id>')
    .option('--yes', 'do not ask');
  verb<{ yes?: boolean }>(end, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Campaign ${id} will end; it cannot be opened again.`);
    out.record(await api.call('endCampaign', { ids: { campaign_id: id! } }));
  });
}
