/**
 * Code samples for one call of the public API. The reference and the dashboard show the samples. A test runs every
 * sample (test/journeys/code-samples.test.ts).
 */
export type ApiCall = {
  readonly method: string;
  /** The path of the call, with IDs or with placeholders in capitals. */
  readonly path: string;
  readonly body?: unknown;
  /**
   * True: the call requires an `Idempotency-Key`. The client library creates such a key. The sample for curl omits the
   * key.
   */
  readonly idempotent?: boolean;
  /** True: the response is a stream of events. */
  readonly streams?: boolean;
  readonly isPublic?: boolean;
};
export type CodeSample = { readonly name: 'curl' | 'TypeScript' | 'Python'; readonly code: string };

/** The sample reads the key from this environment variable. */
export const KEY_PLACE = 'PARLEY_API_KEY';

export const samplesOf = (call: ApiCall, baseUrl: string): CodeSample[] => [
  { name: 'curl', code: curlOf(call, baseUrl) },
  { name: 'TypeScript', code: typescriptOf(call, baseUrl) },
  { name: 'Python', code: pythonOf(call, baseUrl) },
];

/** Writes a curl command. Another `key` is printed unchanged, as a value or a shell variable. */
export function curlOf(call: ApiCall, baseUrl: string, key = `$${KEY_PLACE}`): string {
  const { method, path, body } = call;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(baseUrl + path)}`];
  // A shell replaces a variable only between double quotes.
  const quote = key.startsWith('$') ? '"' : "'";
  if (!call.isPublic) lines.push(`-H ${quote}Authorization: Bearer ${key}${quote}`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** A shell reads all characters inside single quotes literally, except the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The method of the client library for each route. The texts `$1` and so on are the IDs of the path, and `$body` is the
 * body. The text `$rows` is the list in the body, because the library creates the batches.
 */
const LIBRARY: Readonly<Record<string, string>> = {
  'POST /api/triggers/*/*': 'console.log(await parley.triggers.start($1, $2, $body));',
  'GET /api/triggers/*/*/runs': 'for await (const run of parley.runs.list($1, $2)) console.log(run);',
  'GET /api/triggers/*/*/runs/*': 'console.log(await parley.runs.get({ agent_id: $1, trigger_id: $2, id: $3 }));',
  'GET /api/triggers/*/*/runs/*/events':
    'for await (const event of parley.runs.stream({ agent_id: $1, trigger_id: $2, id: $3 })) console.log(event);',
  'POST /api/triggers/*/*/runs/*/cancel':
    'console.log(await parley.runs.cancel({ agent_id: $1, trigger_id: $2, id: $3 }));',
  'GET /api/triggers/*/*/conversations/*/messages':
    'for await (const message of parley.triggers.messages($1, $2, $3)) console.log(message);',
  'POST /api/client-tokens': 'console.log(await parley.clientTokens.create($body));',
  'GET /api/campaigns/*': 'console.log(await parley.campaigns.get($1));',
  'POST /api/campaigns/*/recipients': 'console.log(await parley.campaigns.push($1, $rows));',
  'GET /api/campaigns/*/recipients':
    'for await (const recipient of parley.campaigns.recipients($1)) console.log(recipient);',
  'GET /api/campaigns/*/recipients/*': 'console.log(await parley.campaigns.recipient($1, $2));',
  'DELETE /api/campaigns/*/recipients/*': 'console.log(await parley.campaigns.cancelRecipient($1, $2));',
  'POST /api/campaigns/*/pause': 'console.log(await parley.campaigns.pause($1));',
  'POST /api/campaigns/*/resume': 'console.log(await parley.campaigns.resume($1));',
  'POST /api/end-users': 'console.log(await parley.endUsers.create($body));',
  'GET /api/end-users': 'for await (const person of parley.endUsers.list()) console.log(person);',
  'PUT /api/end-users/external/*': 'console.log(await parley.endUsers.upsert($1, $body));',
  'POST /api/end-users/search': 'for await (const person of parley.endUsers.search($body)) console.log(person);',
  'POST /api/end-users/bulk': 'console.log(await parley.endUsers.bulk($rows));',
  'GET /api/end-users/*': 'console.log(await parley.endUsers.get($1));',
  'PATCH /api/end-users/*': 'console.log(await parley.endUsers.update($1, $body));',
  'DELETE /api/end-users/*': 'await parley.endUsers.delete($1);',
  'PUT /api/end-users/*/consent/*': 'console.log(await parley.endUsers.setConsent($1, $2, $body));',
  'GET /api/end-users/*/conversations':
    'for await (const conversation of parley.endUsers.conversations($1)) console.log(conversation);',
  'GET /api/end-users/*/conversations/*/messages':
    'for await (const message of parley.endUsers.messages($1, $2)) console.log(message);',
  'GET /api/end-users/*/export': 'console.log(await parley.endUsers.export($1));',
  'GET /api/channels/*': 'console.log(await parley.channels.list($1));',
  'POST /api/channels/*/*/messages': 'console.log(await parley.channels.send($1, $2, $body));',
  'GET /api/channels/*/*/messages/*': 'console.log(await parley.channels.message($1, $2, $3));',
  'GET /api/approvals':
    "for await (const approval of parley.approvals.list({ status: 'pending' })) console.log(approval);",
  'POST /api/approvals/*': 'console.log(await parley.approvals.decide($1, $body));',
  'GET /api/events': 'for await (const event of parley.events.list()) console.log(event);',
  'GET /api/health': 'console.log(await parley.health());',
  'GET /ready': 'console.log(await parley.ready());',
  'GET /api/openapi.json': 'console.log(await parley.openapi());',
  'GET /api/me': 'console.log(await parley.me());',
  'POST /api/keys/leaked': 'await parley.reportLeakedKeys($body);',
};

function typescriptOf({ method, path, body }: ApiCall, baseUrl: string): string {
  const asOpenAI = OPENAI[`${method} ${path}`];
  if (asOpenAI !== undefined) return openaiCall(asOpenAI, body, baseUrl);
  // A fixed part of a path has priority over an id, as in the router.
  const found = [`${method} ${path}`, ...Object.keys(LIBRARY)].find((route) => route in LIBRARY && fits(route));
  const [, ...ids] = found ? expression(found).exec(`${method} ${path}`)! : [];
  const given: Record<string, unknown> = { body, rows: Object.values(Object(body)).find((one) => Array.isArray(one)) };
  const call = (found ? LIBRARY[found]! : `console.log(await parley.request('${method}', '${path}'));`).replaceAll(
    /\$(\w+)/g,
    (_whole, name: string) => {
      const id = ids[Number(name) - 1];
      return id === undefined ? literal(given[name]) : `'${id}'`;
    },
  );
  return `// Install the client library from its release file: ${baseUrl}/docs/guides/sdk
import { Parley } from '@parley/sdk';

const parley = new Parley({ baseUrl: '${baseUrl}', apiKey: process.env.${KEY_PLACE}! });
${call}`;

  function fits(route: string): boolean {
    return expression(route).test(`${method} ${path}`);
  }
}

/** OpenAI's own client calls the routes that have its format. */
const OPENAI: Readonly<Record<string, string>> = {
  'GET /api/openai/v1/models': 'for await (const model of openai.models.list()) console.log(model);',
  'POST /api/openai/v1/chat/completions': 'console.log(await openai.chat.completions.create($body));',
};

const openaiCall = (call: string, body: unknown, baseUrl: string): string => `import OpenAI from 'openai';

const openai = new OpenAI({ baseURL: '${baseUrl}/api/openai/v1', apiKey: process.env.${KEY_PLACE}! });
${call.replace('$body', literal(body ?? {}))}`;

const expression = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll('.', String.raw`\.`).replaceAll('*', '([^/]+)')}$`);

/** JSON is valid TypeScript, in which short values stay on the line. */
const literal = (value: unknown): string => {
  const short = JSON.stringify(value);
  return short.length <= 60 ? short : JSON.stringify(value, null, 2);
};

function pythonOf({ method, path, body, idempotent, streams, isPublic }: ApiCall, baseUrl: string): string {
  const headers = [
    ...(isPublic ? [] : [`"Authorization": f"Bearer {os.environ['${KEY_PLACE}']}"`]),
    ...(idempotent ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  const values = [
    `    "${baseUrl}${path}",`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body, '    ')},`]),
    '    timeout=30,',
  ];
  const modules = [...(isPublic ? [] : ['os']), ...(idempotent ? ['uuid'] : [])];
  const imports = `${modules.length > 0 ? `import ${modules.join(', ')}\n\n` : ''}import httpx\n\n`;
  if (streams)
    return `${imports}with httpx.stream(
    "${method}",
${values.join('\n')}
) as response:
    for line in response.iter_lines():
        print(line)`;
  return `${imports}response = httpx.${method.toLowerCase()}(
${values.join('\n')}
)
print(response.status_code, response.text)`;
}

const PYTHON_WORDS = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

/** JSON strings and numbers are also valid Python. */
function pythonLiteral(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return PYTHON_WORDS.get(value) ?? JSON.stringify(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const short = `${open}${parts.join(', ')}${close}`;
  if (short.length <= 60 && !short.includes('\n')) return short;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}
