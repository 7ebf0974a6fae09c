import type { Command } from 'commander';
import { CHANNEL_KINDS } from '../../../contract/channel-kinds.ts';
import type { Row } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { parseJsonObject, readText } from '../../read-input.ts';
import { field, listing, type ListOptions, time } from '../../listing.ts';
import { confirm } from '../../prompt.ts';
import { examples, setAction } from '../../command-action.ts';
import { describeKinds } from './describe-kinds.ts';
import { addTestCommand } from './try-channel.ts';

export function addChannelsCommand(program: Command): void {
  const channels = program
    .command('channels')
    .summary('channels that connect agents with people')
    .description('Channels connect agents with people. Each channel has one agent.');
  addConnect(channels);
  addReads(channels);
  addUpdate(channels);
  addTestCommand(channels);
  addTemplates(channels);

  const disconnect = channels
    .command('disconnect')
    .description(
      'Disconnects a channel permanently. The credentials of the channel are erased. The conversations stay.',
    )
    .argument('<channel-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(disconnect, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Channel ${id} will be disconnected permanently.`);
    await api.call('disconnectChannel', { ids: { channel_id: id! } });
    out.record({ id, deleted: true });
  });
}

function addTemplates(channels: Command): void {
  const templates = channels
    .command('templates')
    .description('Lists the message templates of a WhatsApp channel, read from Meta now.')
    .argument('<channel-id>');
  setAction(templates, async ({ api, out }, [id]) => {
    const { items } = await api.call('listTemplates', { ids: { channel_id: id! } });
    out.list(
      { data: items, next_cursor: null },
      [field('name'), field('language'), field('status'), field('can_be_sent', 'Can be sent'), field('body', 'Text')],
      'No templates. Create templates in the WhatsApp Manager of Meta.',
    );
  });
}

function addConnect(channels: Command): void {
  const connect = channels
    .command('connect')
    .description(
      'Connects a channel, after its provider has accepted the credentials. The response contains inbound_url, the webhook URL for the provider, and the secret or verify_token, which is shown only once.',
    )
    .requiredOption('--agent <id>', 'the agent of the channel')
    .requiredOption('--kind <kind>', CHANNEL_KINDS.join(', '))
    .requiredOption('--name <name>', 'the name of the channel')
    .option(
      '--settings <json>',
      'the settings of this kind; "-" reads them from standard input, so that they are not in the shell history',
    );
  setAction<{ agent: string; kind: string; name: string; settings?: string }>(
    connect,
    async ({ api, out }, _args, options) => {
      const { agent, kind, name } = options;
      const settings = await readSettings(options.settings ?? '{}');
      out.record(await api.call('connectChannel', { body: { agent_id: agent, kind, name, settings } }));
    },
  );
  connect.addHelpText('after', `\n${describeKinds()}`);
  examples(
    connect,
    'channels connect --agent agent_01jd… --kind sandbox --name Trial',
    `channels connect --agent agent_01jd… --kind webhook --name App --settings '{"url":"https://example.com/parley"}'`,
    'channels connect --agent agent_01jd… --kind telegram --name Bot --settings - < telegram.json',
  );
}

function addReads(channels: Command): void {
  const list = listing(
    channels.command('list').description('Lists the channels.').option('--agent <id>', 'only channels of this agent'),
  );
  setAction<ListOptions & { agent?: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listChannels', want, { query: { agent_id: agent } }),
      [field('id'), field('kind'), field('name'), field('agent_id', 'Agent'), field('status'), time('created_at')],
      'No channel yet: ./parley channels connect --agent ID --kind sandbox --name NAME',
    ),
  );

  setAction(
    channels.command('show').description('Shows a channel, without its secrets.').argument('<channel-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readChannel', { ids: { channel_id: id! } })),
  );
}

type Changes = { name?: string; enable?: boolean; disable?: boolean; settings?: string; newSecret?: boolean };

function addUpdate(channels: Command): void {
  const update = channels
    .command('update')
    .description(
      'Renames, enables or disables a channel, or changes its credentials. The provider must accept new credentials.',
    )
    .argument('<channel-id>')
    .option('--name <name>', 'the new name of the channel')
    .option('--enable', 'enable the channel')
    .option('--disable', 'disable the channel, from the next request')
    .option(
      '--settings <json>',
      'all of its settings; secrets left out stay, but must be given again with another address; "-" reads standard input',
    )
    .option('--new-secret', 'create a new channel secret; it is shown only once');
  setAction<Changes>(update, async ({ api, out }, [id], { name, enable, disable, settings, newSecret }) => {
    if (enable && disable) throw new Failure('usage_invalid', 'Choose one of --enable and --disable.');
    const body: Row = {
      ...(name !== undefined && { name }),
      ...((enable || disable) && { enabled: enable === true }),
      ...(settings !== undefined && { settings: await readSettings(settings) }),
      ...(newSecret && { new_secret: true }),
    };
    if (Object.keys(body).length === 0) throw new Failure('usage_invalid', 'Nothing to change: see --help.');
    out.record(await api.call('updateChannel', { ids: { channel_id: id! }, body }));
  });
  examples(update, `channels update channel_01jd… --settings '{"bot_token":"…"}'`);
}

/** A token in an argument stays in the shell's history. The shell does not store a token from standard input. */
const readSettings = async (given: string): Promise<Row> =>
  parseJsonObject(given === '-' ? await readText('-') : given, '--settings');
