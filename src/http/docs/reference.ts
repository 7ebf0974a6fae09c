import { type ApiCall, curlOf, samplesOf } from '../../../contract/code-samples.ts';
import type { OpenApiDocument } from './openapi.ts';
import { eventsSection } from './events-section.ts';
import { GUIDE_NAMES, GUIDES } from './guides.ts';
import { code, escapeHtml, json, prose, tabs } from './html.ts';
import { fieldsOf, typeSays, type Schema } from './schema-fields.ts';
import type { Content } from './sections.ts';

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Schema;
  }[];
  readonly requestBody?: { required: boolean; content: { 'application/json': { schema: Schema; example?: unknown } } };
  readonly responses: Readonly<Record<string, Response>>;
};
type Response = {
  description: string;
  content?: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, unknown> }>;
};
export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The readable reference, generated from the same document that machines read. */
export function referencePage(document: OpenApiDocument): Content {
  const endpoints = endpointsOf(document);
  const [server] = document.servers as { url: string; description: string }[];
  const sections = tagsOf(document).map(
    ({ name, description }) =>
      `<h2 id="${slug(name)}">${escapeHtml(name)}</h2><p>${prose(description)}</p>` +
      endpoints
        .filter(({ operation }) => operation.tags[0] === name)
        .map((endpoint) => endpointSection(endpoint, document, server!.url))
        .join('\n'),
  );
  return {
    title: 'API reference',
    kind: 'Reference',
    main: introduction(server!) + sections.join('\n') + eventsSection(),
  };
}

export const tagsOf = (document: OpenApiDocument) => document.tags as { name: string; description: string }[];

export const endpointsOf = (document: OpenApiDocument): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation: operation as unknown as Operation,
    })),
  );

export const slug = (name: string): string => `tag-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;

const introduction = ({ url, description }: { url: string; description: string }): string => `
<h1>Parley API reference</h1>
<p>Base URL of this region (${escapeHtml(description)}): <code>${escapeHtml(url)}</code>. Keys are created in the dashboard under
Settings, Integrations, API Keys, work in their own region only, and are sent in one header:</p>
${code(curlOf({ method: 'GET', path: '/api/me' }, url))}
<p>Begin with a guide, from nothing to a finished task with code that runs: ${GUIDE_NAMES.map((name) => `<a href="/docs/guides/${name}">${escapeHtml(GUIDES[name])}</a>`).join(', ')}.</p>
<p><strong>Errors</strong> have one shape (RFC 9457, <code>application/problem+json</code>) with a <code>code</code> from
<a href="/docs/problems">one closed list</a>, and the <code>request_id</code> to name when you ask for help.
<strong>Limits</strong> are counted per minute for the key and for its organization; <code>RateLimit</code> says what is left,
and a 429 says how long to wait.
<strong>Idempotency</strong>: with an <code>Idempotency-Key</code>, an acting call takes effect once within 24 hours, however often it is sent.
<strong>Lists</strong> take <code>limit</code> (1 to 100) and <code>cursor</code>, and answer <code>data</code>, <code>next_cursor</code>, <code>has_more</code>.</p>
`;

/** The examples stay visible next to the fields that use them. */
function endpointSection(endpoint: Endpoint, document: OpenApiDocument, baseUrl: string): string {
  const { method, path, operation } = endpoint;
  const { requestBody } = operation;
  return `<section class="with-examples">
<div>
<h3 id="${operation.operationId}">${escapeHtml(operation.summary)}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
${operation.description ? `<p>${prose(operation.description)}</p>` : ''}
${operation.security.length === 0 ? '<p class="quiet">Needs no key.</p>' : ''}
</div>
<div class="examples">
${tabs(samplesOf(callOf(endpoint), baseUrl))}
${Object.entries(operation.responses).map(exampleAnswer).join('')}
</div>
<div>
${parameterTable(operation)}
${requestBody ? `<h4>Body${requestBody.required ? '' : ' (may be left out)'}</h4>${fieldTable(requestBody.content['application/json'].schema, document)}` : ''}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, response]) => responseSection(status, response, document))
  .join('')}
</div>
</section>`;
}

function exampleAnswer([status, { content = {} }]: [string, Response]): string {
  // The reference has no examples of errors, because each code has a page.
  const { example, examples } = (Number(status) < 400 && content['application/json']) || {};
  const named = Object.entries((examples ?? {}) as Record<string, { value: unknown }>);
  const all = example === undefined ? named.map(([name, { value }]) => [` (${name})`, value]) : [['', example]];
  return all
    .map(([name, value]) => `<p class="quiet">Answer ${status}${escapeHtml(String(name))}</p>${json(value)}`)
    .join('');
}

/** The call has a name in capitals in place of each ID. */
export const callOf = ({ method, path, operation }: Endpoint): ApiCall => ({
  method: method.toUpperCase(),
  path: path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => name.toUpperCase()),
  ...(operation.requestBody && { body: operation.requestBody.content['application/json'].example ?? {} }),
  idempotent: operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false,
  streams:
    Object.values(operation.responses).every(({ content }) => !content?.['application/json']) &&
    path.endsWith('/events'),
  isPublic: operation.security.length === 0,
});

function parameterTable({ parameters = [] }: Operation): string {
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}</td><td>${escapeHtml(typeSays(schema))}${required ? ', required' : ''}</td><td>${prose(description)}</td></tr>`,
  );
  return rows.length === 0
    ? ''
    : `<div class="wide"><table><tr><th>Parameter</th><th>In</th><th>Type</th><th></th></tr>${rows.join('')}</table></div>`;
}

function fieldTable(schema: Schema, document: OpenApiDocument): string {
  const rows = fieldsOf(schema, document).map(
    ({ name, type, required, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(type)}${required ? ', required' : ''}</td><td>${prose(description)}</td></tr>`,
  );
  return rows.length === 0
    ? ''
    : `<div class="wide"><table><tr><th>Field</th><th>Type</th><th></th></tr>${rows.join('')}</table></div>`;
}

function responseSection(status: string, { description, content = {} }: Response, document: OpenApiDocument): string {
  const problem = content['application/problem+json'];
  if (problem) {
    const links = Object.keys(problem.examples ?? {}).map(
      (name) => `<a href="/docs/problems/${name}"><code>${name}</code></a>`,
    );
    return `<p><strong>${status}</strong> ${links.join(' ')}</p>`;
  }
  const answer = content['application/json'];
  const shape = answer ? fieldTable(answer.schema, document) : '';
  return `<p><strong>${status}</strong> ${prose(description)}</p>${shape && `<details><summary>Fields</summary>${shape}</details>`}`;
}
