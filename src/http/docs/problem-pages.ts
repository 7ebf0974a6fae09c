import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { exampleProblem } from './openapi.ts';
import { escapeHtml, json } from './html.ts';
import type { Content } from './sections.ts';

const byStatus = (): [number, ProblemCode[]][] => {
  const groups = Object.groupBy(Object.keys(PROBLEMS) as ProblemCode[], (code) => PROBLEMS[code].status);
  return Object.entries(groups).map(([status, codes]) => [Number(status), codes ?? []]);
};

/** The page with the closed list of all codes, by status. */
export function problemListPage(): Content {
  const rows = byStatus().map(
    ([status, codes]) =>
      `<h2 id="status-${status}">${status}</h2><table>${codes
        .map(
          (code) =>
            `<tr><td><a href="/docs/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(PROBLEMS[code].title)}</td></tr>`,
        )
        .join('')}</table>`,
  );
  return {
    title: 'Problems',
    kind: 'Reference',
    outline: true,
    main: `<h1>Problems</h1><p>Every error body is <code>application/problem+json</code> (RFC 9457) and carries one of these codes. A program should look at <code>code</code>, a person at <code>detail</code>.</p>${rows.join('')}`,
  };
}

/** The page to which the `type` of an error body leads, which explains the code and how to solve the problem. */
export function problemPage(code: ProblemCode, baseUrl: string): Content {
  const { status, title, fix } = PROBLEMS[code];
  return {
    title: code,
    kind: 'Problem',
    main: `<h1>${escapeHtml(title)}</h1>
<p class="endpoint"><code>${code}</code> <span class="quiet">HTTP ${status}</span></p>
<h2>What to do</h2><p>${escapeHtml(fix)}</p>
<h2>What it looks like</h2>${json(exampleProblem(code, baseUrl))}
<p>The <code>request_id</code> is also in the header <code>X-Request-Id</code> and in the log of the service.</p>
<p><a href="/docs/problems">All problems</a></p>`,
  };
}
