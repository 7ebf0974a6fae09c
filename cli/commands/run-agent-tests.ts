import type { CheckSuiteBody, TestCase, TestAgentBody } from '../../contract/dashboard/test-cases.ts';
import { readDefinition } from '../agent-file.ts';
import { annotation, type Place } from '../github-annotation.ts';
import { Failure, Refused } from '../failure.ts';
import { readText } from '../read-input.ts';
import { faultsOf, junit, type Outcome, type Report, type Tried } from '../junit.ts';
import { type ModelRecording, openRecording } from '../model-recording.ts';
import { isTemporary, retryCall } from '../retry-call.ts';
import { openReportFile } from '../report-file.ts';
import { linesOfCases, namingCases, parseSuite } from '../test-case-file.ts';
import { printable } from '../table.ts';
import type { Cli } from '../command-action.ts';
import { versionOf } from './agent-version.ts';

export type TestOptions = {
  file?: string;
  version: string;
  definition?: string;
  only: string[];
  junit?: string;
  repeat: number;
  record?: string;
  replay?: string;
};

/** The settings that all cases of a run share. */
type Target = Pick<TestAgentBody, 'version' | 'definition'>;
type Planned = { cases: TestCase[]; places: (Place | null)[] };

/** Runs the cases in order. The report file is opened first and written in every case, even after an error. */
export async function runAgentTests(cli: Cli, agent: string, options: TestOptions): Promise<void> {
  const file = openReportFile(options.junit);
  const tried: Tried[] = [];
  const report: Report = {
    agent: { id: agent, name: agent },
    version: options.definition ?? options.version,
    startedAt: new Date(),
    tried,
  };
  file.write(junit(report));
  try {
    const target = await targetOf(options);
    const planned = await planOf(cli, agent, options, target);
    tried.push(...planned.cases.map((suiteCase) => ({ suiteCase, outcome: null, seconds: 0 })));
    const recording = await openRecording(options, planned.all);
    report.agent.name = await nameOf(cli, agent);
    for (const [at, one] of tried.entries()) {
      cli.out.progress(`${at + 1} of ${tried.length}: ${one.suiteCase.name}`);
      await tryCase(cli, agent, one, target, recording, options.repeat);
      file.write(junit(report));
      show(cli, one.outcome!, planned.places[at]!);
    }
    await recording.save();
  } catch (error) {
    report.stopped = stopOf(error);
    throw error;
  } finally {
    file.close(junit(report));
  }
  conclude(cli, tried);
}

async function targetOf({ version: given, definition: file, record, repeat }: TestOptions): Promise<Target> {
  const version = versionOf(given);
  if (file !== undefined && version !== undefined)
    throw new Failure('usage_invalid', 'Use either --version or --definition.');
  if (record !== undefined && repeat > 1)
    throw new Failure('usage_invalid', 'A recording calls the model once for each case: omit --repeat.');
  return {
    ...(version !== undefined && { version }),
    ...(file !== undefined && { definition: await readDefinition(file) }),
  };
}

/** Returns the chosen cases after the server has validated the files. */
async function planOf(
  { api, settings }: Cli,
  agent: string,
  { file, only }: TestOptions,
  { definition }: Target,
): Promise<Planned & { all: string[] }> {
  const ids = { agent_id: agent };
  const text = file === undefined ? null : await readText(file);
  const suite = text === null ? await api.call('readSuite', { ids }) : parseSuite(text, file!);
  const { cases } = suite;
  if (cases.length === 0)
    throw new Failure('usage_invalid', 'The agent has no tests: ./parley agents suite set AGENT --file suite.yaml');
  const checked: CheckSuiteBody = { ...(text === null ? { cases } : suite), ...(definition && { definition }) };
  if (text !== null || definition) await namingCases(cases, api.call('checkSuite', { ids, body: checked }));
  const lines = text !== null && file !== '-' && settings.githubWorkspace !== null ? linesOfCases(text) : [];
  const places = cases.map((_, at) => (lines[at] === undefined ? null : { file: file!, line: lines[at] }));
  const chosen = cases.flatMap(({ name }, at) => (isChosen(name, only) ? at : []));
  if (chosen.length === 0) throw new Failure('usage_invalid', `No case has this text in its name: ${only.join(', ')}.`);
  return {
    cases: chosen.map((at) => cases[at]!),
    places: chosen.map((at) => places[at]!),
    all: cases.map(({ name }) => name),
  };
}

const isChosen = (name: string, only: readonly string[]): boolean =>
  only.length === 0 || only.some((text) => name.toLowerCase().includes(text.toLowerCase()));

/** A token that has only the verb `test` cannot read the agent. */
async function nameOf({ api }: Cli, agent: string): Promise<string> {
  try {
    return (await api.call('readAgent', { ids: { agent_id: agent } })).name;
  } catch (error) {
    if (error instanceof Refused && error.code === 'token_too_narrow') return agent;
    throw error;
  }
}

async function tryCase(
  cli: Cli,
  agent: string,
  tried: Tried,
  target: Target,
  recording: ModelRecording,
  repeat: number,
): Promise<void> {
  const { suiteCase } = tried;
  const startedAt = performance.now();
  const body = { case: suiteCase, ...target, ...recording.bodyOf(suiteCase.name) };
  try {
    tried.outcome = recording.keep(await runCase(cli, agent, body, repeat));
  } catch (error) {
    tried.outcome = failedOutcome(suiteCase, error);
  } finally {
    tried.seconds = (performance.now() - startedAt) / 1_000;
  }
}

/** Returns the first failed run, or the last run if none failed. */
async function runCase(cli: Cli, agent: string, body: TestAgentBody, times: number): Promise<Outcome> {
  for (let time = 1; ; time++) {
    const result = await retryCall(() => cli.api.call('testAgent', { ids: { agent_id: agent }, body }));
    if (!result.passed || time >= times) return result;
  }
}

/** An error that concerns only this case does not end the run, but every other error does. */
function failedOutcome({ name }: TestCase, error: unknown): Outcome {
  if (!(error instanceof Refused && error.code === 'answer_not_recorded') && !isTemporary(error)) throw error;
  return { name, passed: false, turns: [], error: { code: error.code, message: error.message } };
}

function show(cli: Cli, outcome: Outcome, place: Place | null): void {
  const lines = outcome.error ? [outcome.error.message] : faultsOf(outcome);
  const { name, passed, error } = outcome;
  cli.out.line(outcome, () =>
    [
      `${passed ? 'ok    ' : error ? 'ERROR ' : 'FAILED'} ${printable(name)}`,
      ...lines.map((line) => `         ${printable(line)}`),
    ].join('\n'),
  );
  const { githubWorkspace } = cli.settings;
  if (!passed && !cli.out.json && githubWorkspace !== null)
    cli.out.line({}, () => annotation(githubWorkspace, place, name, lines.join('\n')));
}

function conclude({ out }: Cli, tried: readonly Tried[]): void {
  const failed = tried.filter(({ outcome }) => !outcome?.passed);
  const unrecorded = failed.filter(({ outcome }) => outcome?.error?.code === 'answer_not_recorded');
  if (unrecorded.length > 0)
    throw new Failure(
      'answers_not_recorded',
      `These cases send the model a request that was not recorded: ${unrecorded.map(({ suiteCase }) => suiteCase.name).join(', ')}. The definition, the test, a document or a tool changed; record again.`,
    );
  if (failed.length > 0) throw new Failure('tests_failed', `${failed.length} of ${tried.length} tests failed.`);
  out.hint(`${tried.length} tests passed.`);
}

function stopOf(error: unknown): { code: string; message: string } {
  const known = error instanceof Failure || error instanceof Refused;
  return {
    code: known ? error.code : 'internal_error',
    message: error instanceof Error ? error.message : String(error),
  };
}
