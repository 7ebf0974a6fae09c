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
      'Stores how to reach a model provider. The key is read from standard input, so that it never stands in a command line. A key belongs to its base URL: with another one it must be given again.',
    )
    .addOption(new Option('--provider <name>', 'which provider').choices(MODEL_PROVIDERS).makeOptionMandatory())
    .option('--base-url <url>', 'for openai_compatible: where the server is')
    .option('--key-stdin', 'read the key from standard input');
  verb<{ provider: string; baseUrl?: string; keyStdin?: boolean }>(set, async ({ api, out }, _args, options) => {
    if (!options.keyStdin && options.baseUrl === undefined)
      throw new Failure('usage_invalid', 'Say how to reach it: --key-stdin, --base-url or both.');
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
      'None: agents on the embedded provider need no model. See ./parley models set --help',
    ),
  );

  const remove = models
    .command('remove')
    .description('Forgets a provider and its key.')
    .argument('<provider>')
    .option('--yes', 'do not ask');
  verb<{ yes?: boolean }>(remove, async ({ api, out }, [provider], { yes }) => {
    await confirm(yes, `The access to ${provider} will be forgotten.`);
    await api.call('removeModel', { ids: { provider: provider! } });
    out.record({ provider, deleted: true });
  });
}
