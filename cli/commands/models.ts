import { type Command, Option } from 'commander';
import { MODEL_PROVIDERS } from '../../contract/dashboard/models.ts';
import { Failure } from '../failure.ts';
import { readSecret } from '../input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, verb } from '../verb.ts';

export function addModelsCommand(program: Command): void {
  const models = program
    .command('models')
    .summary('access to model providers')
    .description('Access to model providers, per organization; keys are stored encrypted and never shown.');

  const set = models
    .command('set')
    .description(
      'Stores the credentials of a model provider. The key is read from standard input, so that it does not appear in a command line. A key belongs to its base URL: if you change the base URL, enter the key again.',
    )
    .addOption(new Option('--provider <name>', 'which provider').choices(MODEL_PROVIDERS).makeOptionMandatory())
    .option('--base-url <url>', 'for openai_compatible: the base URL of the server')
    .option('--key-stdin', 'read the key from standard input');
  verb<{ provider: string; baseUrl?: string; keyStdin?: boolean }>(set, async ({ api, out }, _args, options) => {
    if (!options.keyStdin && options.baseUrl === undefined)
      throw new Failure('usage_invalid', 'Use --key-stdin, --base-url or both.');
    const key = options.keyStdin ? await readSecret('key') : undefined;
    out.record(
      await api.call('setModel', { ids: { provider: options.provider }, body: { base_url: options.baseUrl, key } }),
    );
  });
  examples(
    set,
    'models set --provider anthropic --key-stdin < key.txt',
    'models set --provider openai_compatible --base-url http://127.0.0.1:11434/v1',
  );

  const list = listing(models.command('list').description('Lists the providers that are set up.'));
  verb<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listModels', want),
      [field('provider'), field('base_url', 'Base URL'), field('has_key', 'Key'), time('updated_at')],
      'No providers. Agents on the embedded provider need no model. See ./parley models set --help',
    ),
  );

  const remove = models
    .command('remove')
    .description('Removes a provider and its key.')
    .argument('<provider>')
    .option('--yes', 'do not ask');
  verb<{ yes?: boolean }>(remove, async ({ api, out }, [provider], { yes }) => {
    await confirm(yes, `The credentials of ${provider} will be removed.`);
    await api.call('removeModel', { ids: { provider: provider! } });
    out.record({ provider, deleted: true });
  });
}
