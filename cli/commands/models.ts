import { type Command, Option } from 'commander';
import { MODEL_PROVIDERS } from '../../contract/dashboard/models.ts';
import { Failure } from '../failure.ts';
import { readSecret } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

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
    .option('--key-stdin', 'read the key from standard input')
    .option('--embedding-model <name>', 'makes the embeddings of the documents of this organization')
    .option('--no-embedding-model', 'turn embeddings off')
    .option('--transcription-model <name>', 'transcribes audio of people, so that agents can answer it')
    .option('--no-transcription-model', 'turn transcripts off')
    .option('--question-model <name>', 'writes questions for the passages of documents, for agents without a model')
    .option('--no-question-model', 'turn the writing of questions off and delete them');
  setAction<{
    provider: string;
    baseUrl?: string;
    keyStdin?: boolean;
    embeddingModel?: string | false;
    transcriptionModel?: string | false;
    questionModel?: string | false;
  }>(set, async ({ api, out }, _args, options) => {
    const { baseUrl, keyStdin, embeddingModel, transcriptionModel, questionModel } = options;
    const models = [embeddingModel, transcriptionModel, questionModel];
    if (!keyStdin && baseUrl === undefined && models.every((model) => model === undefined))
      throw new Failure(
        'usage_invalid',
        'Use at least one of --key-stdin, --base-url, --embedding-model, --transcription-model and --question-model.',
      );
    const key = keyStdin ? await readSecret('key') : undefined;
    const [embedding_model, transcription_model, question_model] = models.map((model) =>
      model === false ? null : model,
    );
    const body = { base_url: baseUrl, key, embedding_model, transcription_model, question_model };
    out.record(await api.call('setModel', { ids: { provider: options.provider }, body }));
  });
  examples(
    set,
    'models set --provider anthropic --key-stdin < key.txt',
    'models set --provider openai_compatible --base-url http://127.0.0.1:11434/v1 --embedding-model nomic-embed-text',
  );

  const check = models
    .command('check')
    .description('Calls the embedding model of a provider once and shows its dimensions.')
    .argument('<provider>');
  setAction(check, async ({ api, out }, [provider]) =>
    out.record(await api.call('checkModel', { ids: { provider: provider! } })),
  );

  const list = listing(models.command('list').description('Lists the providers that are set up.'));
  setAction<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listModels', want),
      [
        field('provider'),
        field('base_url', 'Base URL'),
        field('has_key', 'Key'),
        field('embedding_model'),
        field('transcription_model'),
        field('question_model'),
        time('updated_at'),
      ],
      'No providers. Agents on the embedded provider need no model. See ./parley models set --help',
    ),
  );

  const remove = models
    .command('remove')
    .description('Removes a provider and its key.')
    .argument('<provider>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [provider], { yes }) => {
    await confirm(yes, `The credentials of ${provider} will be removed.`);
    await api.call('removeModel', { ids: { provider: provider! } });
    out.record({ provider, deleted: true });
  });
}
