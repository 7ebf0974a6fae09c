import type { CaseResult, TestCase } from '../contract/dashboard/test-cases.ts';

/** The result of a test case, or the reason why a case that ran has no result. */
export type Outcome = CaseResult & { error?: { code: string; message: string } };
/** A test case of a run has no outcome if it did not run. */
export type Tried = { suiteCase: TestCase; outcome: Outcome | null; seconds: number };
export type Report = {
  agent: { id: string; name: string };
  /** The tested version is "draft", a version number, or the name of a file. */
  version: string;
  startedAt: Date;
  tried: readonly Tried[];
  /** The reason why the run ended before its last case. */
  stopped?: { code: string; message: string } | undefined;
};

/** Writes the report in the JUnit format, which CI servers read. */
export function junit({ agent, version, startedAt, tried, stopped }: Report): string {
  const failures = tried.filter(({ outcome }) => outcome && !outcome.passed && !outcome.error).length;
  const errors = tried.filter(({ outcome }) => outcome?.error).length + (stopped ? 1 : 0);
  const skipped = tried.filter(({ outcome }) => !outcome).length;
  const seconds = tried.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
  const counts = `tests="${tried.length + (stopped ? 1 : 0)}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${seconds}"`;
  const end = stopped
    ? [testcase(agent.name, 'The run stopped', 0, [fault('error', stopped.code, [stopped.message])])]
    : [];
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="${xml(agent.name)}" ${counts} timestamp="${startedAt.toISOString()}">
    <properties>
      <property name="agent_id" value="${xml(agent.id)}"/>
      <property name="version" value="${xml(version)}"/>
    </properties>
${[...tried.map((one) => caseOf(agent.name, one)), ...end].join('\n')}
  </testsuite>
</testsuites>
`;
}

function caseOf(agentName: string, { suiteCase, outcome, seconds }: Tried): string {
  const parts: string[] = [];
  if (!outcome) parts.push('      <skipped message="The case did not run."/>');
  else if (outcome.error) parts.push(fault('error', outcome.error.code, [outcome.error.message]));
  else if (!outcome.passed) parts.push(fault('failure', null, faultsOf(outcome)));
  if (outcome && outcome.turns.length > 0)
    parts.push(`      <system-out>${xml(conversationOf(suiteCase, outcome))}</system-out>`);
  return testcase(agentName, suiteCase.name, seconds, parts);
}

function testcase(agentName: string, name: string, seconds: number, parts: readonly string[]): string {
  const head = `    <testcase classname="${xml(agentName)}" name="${xml(name)}" time="${seconds.toFixed(3)}"`;
  return parts.length === 0 ? `${head}/>` : `${head}>\n${parts.join('\n')}\n    </testcase>`;
}

function fault(kind: 'error' | 'failure', type: string | null, lines: readonly string[]): string {
  const what = type === null ? '' : ` type="${xml(type)}"`;
  return `      <${kind}${what} message="${xml(lines[0] ?? '')}">${xml(lines.join('\n'))}</${kind}>`;
}

/** Lists the messages of the person and the agent, and the names of the called tools. */
const conversationOf = ({ turns: asked }: TestCase, { turns }: CaseResult): string =>
  turns
    .flatMap(({ said, calls, next }, at) => [
      ...(asked[at]?.say === undefined ? [] : [`Person: ${asked[at].say}`]),
      ...calls.map(({ tool, arguments: args }) => `[${tool} ${JSON.stringify(args)}]`),
      ...said.map((text) => `Agent: ${text}`),
      ...(next === 'waiting_for_user' ? [] : [`[${next}]`]),
    ])
    .join('\n');

/** Returns one sentence for each failed expectation. */
export const faultsOf = ({ turns }: CaseResult): string[] =>
  turns.flatMap(({ faults, judgment }, at) =>
    faults.map(({ expectation, expected, found }) => {
      const name = expectation === 'rubric' && judgment ? `rubric, judged by ${judgment.by}` : expectation;
      return `turn ${at + 1}, ${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
    }),
  );

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// XML cannot represent the listed control characters.
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(NOT_XML, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
