import type { CaseResult, TestCase, TestAgentBody } from '../../../contract/dashboard/test-cases.ts';
import type { RunResult } from '../../../contract/results.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { ModelRecording } from '../../answering/models/find-provider.ts';
import type { DecideInPlace } from '../../engine/providers/stored-call.ts';
import type { CallTool } from '../../engine/providers/run-tool.ts';
import { checkTurn, fits } from './check-turn.ts';
import { type Recorded, startRecording, replayRecording } from './model-recording.ts';
import { judgeTurn } from './judge-turn.ts';
import { playResult } from './play-result.ts';
import { PLAY_TIMEOUT_MS, type PlayedAgent, playOnce, type PlayTurnDeps, refusing } from './play-turn.ts';
import { limitTries } from './try-limit.ts';

/** The time of a case that names no time, so that two runs are equal byte for byte. */
const NOW = '2026-01-15T09:00:00Z';
/** The time is shorter than the time that the command line waits for an answer. */
const MAX_CASE_MS = 35_000;

type Call = CaseResult['turns'][number]['calls'][number];

/** Plays the turns of a case one after another. A test calls no tool, sends nothing and stores nothing. */
export const playCase = (
  deps: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  suiteCase: TestCase,
  { record = false, recorded }: Pick<TestAgentBody, 'record' | 'recorded'>,
): Promise<CaseResult> =>
  limitTries(orgId, async () => {
    if (recorded) return playRecorded(deps, orgId, agent, suiteCase, recorded);
    const recording = record ? startRecording() : undefined;
    const result = await refusing(play(deps, orgId, agent, suiteCase, recording));
    return recording ? { ...result, recorded: recording.recorded } : result;
  });

async function playRecorded(
  deps: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  suiteCase: TestCase,
  recorded: Recorded,
): Promise<CaseResult> {
  const recording = replayRecording(recorded);
  try {
    return await refusing(play(deps, orgId, agent, suiteCase, recording));
  } catch (error) {
    throw recording.isMissing() ? new Refusal('answer_not_recorded', undefined, { cause: error }) : error;
  }
}

async function play(
  deps: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  suiteCase: TestCase,
  recording?: ModelRecording,
): Promise<CaseResult> {
  const { name, locale = null, variables = {} } = suiteCase;
  const until = performance.now() + MAX_CASE_MS;
  const history: { role: 'agent' | 'end_user'; text: string }[] = [];
  const turns: CaseResult['turns'] = [];
  let state: unknown = null;
  let result: RunResult | null = null;
  let next = 'waiting_for_user';
  for (const { say, expect = {} } of suiteCase.turns) {
    if (next !== 'waiting_for_user') {
      turns.push({ said: [], cites: [], calls: [], next, faults: [ended(next)] });
      break;
    }
    if (say !== undefined) history.push({ role: 'end_user', text: say });
    const calls: Call[] = [];
    const asked: Call[] = [];
    const stage = {
      now: new Date(suiteCase.now ?? NOW),
      callTool: answering(suiteCase, calls),
      decideApproval: deciding(suiteCase, asked),
      ...(recording && { recording }),
    };
    const talk = { history: [...history], input: say === undefined ? [] : [say], state, variables, locale };
    const turn = await playOnce({ ...deps, timeoutMs: within(until) }, orgId, agent, talk, { stage });
    result = await playResult(deps, orgId, agent, {
      talk,
      turn,
      result,
      stage,
      isExpected: expect.result !== undefined,
    });
    const texts = turn.messages.map(({ content }) => ('text' in content && content.text) || '');
    for (const text of texts) if (text !== '') history.push({ role: 'agent', text });
    ({ state, next } = turn);
    const cites = [...new Set(turn.messages.flatMap(({ sources }) => sources.map(({ document }) => document)))];
    const faults = checkTurn(expect, { said: texts, cites, calls, asked, turn, data: result?.data ?? {} });
    const played = { said: texts, cites, calls, next, faults };
    if (expect.rubric === undefined || faults.length > 0) {
      turns.push(played);
      continue;
    }
    const judgment = await judgeTurn(
      { ...deps, timeoutMs: within(until) },
      orgId,
      agent,
      expect.rubric,
      history,
      stage,
    );
    if (!judgment.met) faults.push({ expectation: 'rubric', expected: expect.rubric, found: judgment.why });
    turns.push({ ...played, judgment });
  }
  return { name, passed: turns.every(({ faults }) => faults.length === 0), turns };
}

/** Returns the milliseconds that one call may still take. */
function within(until: number): number {
  const left = until - performance.now();
  if (left <= 0) throw new Refusal('unavailable', 'The test takes longer than 35 seconds. Split the test into two.');
  return Math.min(PLAY_TIMEOUT_MS, Math.ceil(left));
}

const ended = (next: string) => ({ expectation: 'turn', expected: 'waiting_for_user', found: next });

/** Returns the answer that the case has for a tool call. */
const answering =
  ({ tools = [] }: TestCase, calls: Call[]): CallTool =>
  async ({ tool, arguments: args }) => {
    calls.push({ tool: tool.name, arguments: args });
    const found = tools.find((one) => one.tool === tool.name && fits(one.arguments ?? {}, args));
    const error = found ? (found.error ?? null) : `The test has no answer of ${tool.name} for these arguments.`;
    return { sent: null, attempts: 1, status: null, result: found?.answer ?? null, error };
  };

/** Returns the decision that the case has for a tool call. */
const deciding =
  ({ tools = [] }: TestCase, asked: Call[]): DecideInPlace =>
  ({ tool, arguments: args }) => {
    asked.push({ tool: tool.name, arguments: args });
    const found = tools.find((one) => one.tool === tool.name && fits(one.arguments ?? {}, args));
    return { approved: found?.approval !== 'deny' };
  };
