import type { Command } from 'commander';
import type { CaseResult, SetSuiteBody, SuiteCase, TestAgentBody } from '../../contract/dashboard/suites.ts';
import { Failure, Refused } from '../failure.ts';
import { wholeNumber } from '../input.ts';
import { faultsOf, junit } from '../junit.ts';
import { openTape } from '../model-tape.ts';
import { patiently } from '../patiently.ts';
import { readSuiteFile, suiteSchema, writeSuite } from '../suite-file.ts';
import { type Cli, examples, verb } from '../verb.ts';
import { writeText } from '../write-text.ts';
import { versionOf } from './agent-version.ts';

type TestOptions = { file?: string; version: string; junit?: string; repeat: number; record?: string; replay?: string };

/** `agents test` and `agents suite`. */
export function addAgentTests(agents: Command): void {
  const test = agents
    .command('test')
    .summary('run the tests of an agent')
    .description(
      'Runs the tests of an agent: those that are stored, or those of a file. Nothing is sent and no tool is called. Ends with 0 if all pass, with 5 if some fail, with 6 if --replay lacks an answer.',
    )
    .argument('<agent-id>')
    .option('--file <file>', 'cases in YAML or JSON; "-" is standard input')
    .option('--version <version>', '"draft", or the number of a version', 'draft')
    .option('--junit <file>', 'write a report in the form of JUnit')
    .option('--record <file>', 'write the answers of the model into a file, or into recorded.json of a folder')
    .option(
      '--replay <file>',
      'use the answers of that file or folder; no model is called, and a pass does not count for publishing',
    )
    .option('--repeat <times>', 'run each case so often; all must pass', wholeNumber('--repeat', 1, 100), 1);
  verb<TestOptions>(test, (cli, [id], options) => runTests(cli, id!, options));
  examples(test, 'agents test agent_01jd… --file suite.yaml --junit report.xml', 'agents test agent_01jd… --version 3');

  const suite = agents.command('suite').description('The tests of an agent, as a file.');
  verb(
    suite.command('show').description('Prints the tests as YAML.').argument('<agent-id>'),
    async ({ api, out }, [id]) => {
      const found = await api.call('readSuite', { ids: { agent_id: id! } });
      out.record(found, () => writeSuite(found).trimEnd());
    },
  );
  const set = suite
    .command('set')
    .description('Replaces the tests by those of a file.')
    .argument('<agent-id>')
    .requiredOption('--file <file>', 'cases in YAML or JSON; "-" is standard input')
    .option('--required', 'publishing needs all cases to pass')
    .option('--not-required', 'publishing does not need them')
    .option('--keep-required', 'whether publishing needs them stays as it is, whatever the file says');
  verb<SetOptions>(set, async ({ api, out }, [id], options) => {
    const body = wantedOf(await readSuiteFile(options.file), options);
    const stored = await api.call('setSuite', { ids: { agent_id: id! }, body });
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

type SetOptions = { file: string; required?: boolean; notRequired?: boolean; keepRequired?: boolean };

function wantedOf({ cases, required }: SetSuiteBody, options: SetOptions): SetSuiteBody {
  if ([options.required, options.notRequired, options.keepRequired].filter(Boolean).length > 1)
    throw new Failure('usage_invalid', 'Use one of --required, --not-required and --keep-required.');
  if (options.keepRequired) return { cases };
  const wanted = options.required ? true : options.notRequired ? false : required;
  return { cases, ...(wanted !== undefined && { required: wanted }) };
}

async function runTests(cli: Cli, agent: string, options: TestOptions): Promise<void> {
  const { file, version, junit: report, repeat } = options;
  const wanted = versionOf(version);
  const { cases } = await (file === undefined
    ? cli.api.call('readSuite', { ids: { agent_id: agent } })
    : readSuiteFile(file));
  if (cases.length === 0)
    throw new Failure('usage_invalid', 'The agent has no tests: ./parley agents suite set AGENT --file suite.yaml');
  const tape = await openTape(options);
  if (options.record !== undefined && repeat > 1)
    throw new Failure('usage_invalid', 'A model is recorded once: leave out --repeat.');
  const results: CaseResult[] = [];
  const unrecorded: string[] = [];
  for (const [at, one] of cases.entries()) {
    cli.out.progress(`${at + 1} of ${cases.length}: ${one.name}`);
    const body = { case: one, ...(wanted !== undefined && { version: wanted }), ...tape.bodyOf(one.name) };
    const result = await runCase(cli, agent, body, repeat).then(tape.keep, (error: unknown) => {
      if (!(error instanceof Refused) || error.code !== 'answer_not_recorded') throw error;
      unrecorded.push(one.name);
      return notRecorded(one);
    });
    results.push(result);
    cli.out.line(result, () =>
      [
        `${result.passed ? 'ok    ' : 'FAILED'} ${one.name}`,
        ...faultsOf(result).map((fault) => `         ${fault}`),
      ].join('\n'),
    );
  }
  await tape.save();
  if (report !== undefined) await writeText(report, junit(agent, results));
  if (unrecorded.length > 0)
    throw new Failure(
      'answers_not_recorded',
      `The model is asked something new in: ${unrecorded.join(', ')}. The definition, the test, a document or a tool changed; record again.`,
    );
  const failed = results.filter(({ passed }) => !passed).length;
  if (failed > 0) throw new Failure('tests_failed', `${failed} of ${results.length} tests failed.`);
  cli.out.hint(`${results.length} tests passed.`);
}

/** The first run that fails, else the last. */
async function runCase(cli: Cli, agent: string, body: TestAgentBody, times: number): Promise<CaseResult> {
  for (let time = 1; ; time++) {
    const result = await patiently(() => cli.api.call('testAgent', { ids: { agent_id: agent }, body }));
    if (!result.passed || time >= times) return result;
  }
}

const notRecorded = ({ name }: SuiteCase): CaseResult => ({
  name,
  passed: false,
  turns: [
    {
      said: [],
      cites: [],
      calls: [],
      next: 'waiting_for_user',
      faults: [{ expectation: 'recorded', expected: 'an answer of the model', found: 'none' }],
    },
  ],
});
