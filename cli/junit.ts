import type { CaseResult } from '../contract/dashboard/suites.ts';

/** The report that servers for continuous integration read. */
export function junit(name: string, results: readonly CaseResult[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const cases = results.map((result) =>
    result.passed
      ? `    <testcase classname="${xml(name)}" name="${xml(result.name)}"/>`
      : `    <testcase classname="${xml(name)}" name="${xml(result.name)}">\n      <failure message="${xml(faultsOf(result)[0] ?? '')}">${xml(faultsOf(result).join('\n'))}</failure>\n    </testcase>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${xml(name)}" tests="${results.length}" failures="${failed}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

/** A sentence for each expectation that did not hold. */
export const faultsOf = ({ turns }: CaseResult): string[] =>
  turns.flatMap(({ faults, judgment }, at) =>
    faults.map(({ expectation, expected, found }) => {
      const name = expectation === 'rubric' && judgment ? `rubric, judged by ${judgment.by}` : expectation;
      return `turn ${at + 1}, ${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
    }),
  );

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// XML has no way to write the other control characters.
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(NOT_XML, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
