import type { Command } from 'commander';
import type { SetSuiteBody } from '../../contract/dashboard/test-cases.ts';
import { Failure } from '../failure.ts';
import { wholeNumber } from '../read-input.ts';
import { namingCases, readSuiteFile, suiteSchema, writeSuite } from '../test-case-file.ts';
import { examples, printsText, setAction } from '../command-action.ts';
import { runAgentTests, type TestOptions } from './run-agent-tests.ts';

/** Adds the commands `agents test` and `agents suite`. */
export function addAgentTests(agents: Command): void {
  const test = agents
    .command('test')
    .summary('run the tests of an agent')
    .description(
      'Runs the stored tests of an agent, or the tests of a file. Nothing is sent and no tool is called. If a provider fails, Parley repeats the call once. If the second call fails, the case fails. Prints text, also when piped; with --json, one line of JSON for each case. In a job of GitHub Actions, the command marks failed cases in the pull request. Exits with 0 if all cases pass, with 5 if some fail, with 6 if --replay lacks an answer.',
    )
    .argument('<agent-id>')
    .option('--file <file>', 'cases in YAML or JSON; "-" is standard input')
    .option('--version <version>', '"draft", or the number of a version', 'draft')
    .option('--definition <file>', 'test the definition in this file (JSON or YAML); the draft stays as it is')
    .option('--only <text>', 'only cases with this text in their name; can be repeated', collect, [])
    .option('--junit <file>', 'write a report in the form of JUnit, also when the run stops')
    .option('--record <file>', 'write the answers of the model into a file, or into recorded.json of a folder')
    .option(
      '--replay <file>',
      'use the answers of that file or folder; no model is called, and a pass does not count for publishing',
    )
    .option('--repeat <times>', 'the number of runs of each case; all must pass', wholeNumber('--repeat', 1, 100), 1);
  setAction<TestOptions>(printsText(test), (cli, [id], options) => runAgentTests(cli, id!, options));
  examples(
    test,
    'agents test agent_01jd… --file suite.yaml --junit report.xml',
    'agents test agent_01jd… --definition agent.json --file suite.yaml --only hours',
    'agents test agent_01jd… --version 3',
  );

  const suite = agents.command('suite').description('The tests of an agent, as a file.');
  setAction(
    suite.command('show').description('Prints the tests as YAML.').argument('<agent-id>'),
    async ({ api, out }, [id]) => {
      const found = await api.call('readSuite', { ids: { agent_id: id! } });
      out.record(found, () => writeSuite(found).trimEnd());
    },
  );
  const set = suite
    .command('set')
    .description('Replaces the tests with those of a file.')
    .argument('<agent-id>')
    .requiredOption('--file <file>', 'cases in YAML or JSON; "-" is standard input')
    .option('--required', 'publishing needs all cases to pass')
    .option('--not-required', 'publishing does not need all cases to pass')
    .option('--keep-required', 'ignore the setting of the file for publishing, and keep the current setting');
  setAction<SetOptions>(set, async ({ api, out }, [id], options) => {
    const body = wantedOf(await readSuiteFile(options.file), options);
    const stored = await namingCases(body.cases, api.call('setSuite', { ids: { agent_id: id! }, body }));
    out.record(
      stored,
      () => `${stored.cases.length} cases; publishing ${stored.required ? 'needs' : 'does not need'} them`,
    );
  });
  examples(set, 'agents suite set agent_01jd… --file suite.yaml --required');
  suite
    .command('schema')
    .description('Prints the JSON Schema of the file, for editors.')
    .action(() => void process.stdout.write(`${suiteSchema()}\n`));
}

const collect = (text: string, before: string[]): string[] => [...before, text];

type SetOptions = { file: string; required?: boolean; notRequired?: boolean; keepRequired?: boolean };

function wantedOf({ cases, required }: SetSuiteBody, options: SetOptions): SetSuiteBody {
  if ([options.required, options.notRequired, options.keepRequired].filter(Boolean).length > 1)
    throw new Failure('usage_invalid', 'Use one of --required, --not-required and --keep-required.');
  if (options.keepRequired) return { cases };
  const wanted = options.required ? true : options.notRequired ? false : required;
  return { cases, ...(wanted !== undefined && { required: wanted }) };
}
