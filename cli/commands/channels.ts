import type { Command } from 'commander';
import { CHANNEL_KINDS } from '../../contract/dashboard/channels.ts';
import { parseJsonObject } from '../input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, verb } from '../verb.ts';

export function addChannelsCommand(program: Command): void {
  const channels = program
    .command('channels')
    .summary('connected ways to reach people')
    .description('Channels: connected ways to reach people, each served by one agent.');

  const connect = channels
    .command('connect')
    .description("Connects a channel. A webhook channel's secret is shown now and never again.")
    .requiredOption('--agent <id>', 'the agent that serves it')
    .requiredOption('--kind <kind>', CHANNEL_KINDS.join(', '))
    .requiredOption('--name <name>', 'its name')
    .option('--settings <json>', 'what this kind needs');
  verb<{ agent: string; kind: string; name: string; settings?: string }>(
    connect,
    async ({ api, out }, _args, options) => {
      const settings = options.settings === undefined ? {} : parseJsonObject(options.settings, '--settings');
      const { agent, kind, name } = options;
      out.record(await api.call('connectChannel', { body: { agent_id: agent, kind, name, settings } }));
    },
  );
  examples(
    connect,
    'channels connect --agent agent_01jd… --kind sandbox --name Trial',
    `channels connect --agent agent_01jd… --kind webhook --name App --settings '{"url":"https://example.com/parley"}'`,
  );

  const list = listing(
    channels.command('list').description('Lists the channels.').option('--agent <id>', 'of this agent only'),
  );
  verb<ListOptions & { agent?: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listChannels', want, { query: { agent_id: agent } }),
      [field('id'), field('kind'), field('name'), field('agent_id', 'Agent'), field('status'), time('created_at')],
      'No channel yet: ./parley channels connect --agent ID --kind sandbox --name NAME',
    ),
  );

  verb(
    channels.command('show').description('Shows a channel, without its secrets.').argument('<channel-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readChannel', { ids: { channel_id: id! } })),
  );

  const disconnect = channels
    .command('disconnect')
    .description('Disconnects a channel for good.')
    .argument('<channel-id>')
    .option('--yes', 'do not ask');
  verb<{ yes?: boolean }>(disconnect, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Channel ${id} will be disconnected for good.`);
    await api.call('disconnectChannel', { ids: { channel_id: id! } });
    out.record({ id, deleted: true });
  });
}
