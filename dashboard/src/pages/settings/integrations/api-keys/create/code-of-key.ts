import type { NewKey } from '../../../../../../../contract/dashboard/keys.ts';
import type { TriggerRecord } from '../../../../../../../contract/dashboard/triggers.ts';
import type { CodeTab } from '../../../../../parts/code-tabs.tsx';
import { quoted } from '../../../../../parts/post-code.ts';
import { exampleBody } from '../../../../triggers/trigger-code.ts';

type Target = { agentId: string | null; trigger: Pick<TriggerRecord, 'id' | 'variables'> | undefined };
export type Call = { method: string; path: string; body?: string };

/** Code that runs as it is copied: real address, real agent and trigger, and the call that this key may make. */
export function codeOfKey(made: NewKey, baseUrl: string, call: Call): CodeTab[] {
  return [
    { name: '.env', code: `PARLEY_BASE_URL=${baseUrl}\nPARLEY_API_KEY=${made.value}` },
    { name: 'curl', code: curl(call, baseUrl, made.value) },
    { name: 'TypeScript', code: typescript(call) },
    { name: 'Python', code: python(call) },
    { name: 'MCP', code: mcp(baseUrl, made.value) },
  ];
}

/** The first call to make with a key: what it may do, best one that starts a conversation. */
export function callOfKey({ permissions }: NewKey, { agentId, trigger }: Target): Call {
  if (permissions.includes('triggers') && agentId && trigger)
    return {
      method: 'POST',
      path: `/api/triggers/${agentId}/${trigger.id}`,
      body: JSON.stringify({ ...exampleBody(trigger.variables), message: 'Hello' }),
    };
  if (permissions.includes('channels') && agentId) return { method: 'GET', path: `/api/channels/${agentId}` };
  if (permissions.includes('end_users')) return { method: 'GET', path: '/api/end-users?limit=1' };
  return { method: 'GET', path: '/api/me' };
}

export function curl({ method, path, body }: Call, baseUrl: string, key: string): string {
  // A variable of the shell is seen only between double quotes.
  const quote = key.startsWith('$') ? '"' : "'";
  const lines = [`curl -X ${method} '${baseUrl}${path}'`, `-H ${quote}Authorization: Bearer ${key}${quote}`];
  if (body) lines.push("-H 'Content-Type: application/json'", `-d '${quoted(body)}'`);
  return lines.join(' \\\n  ');
}

function typescript({ method, path, body }: Call): string {
  return `const response = await fetch(\`\${process.env.PARLEY_BASE_URL}${path}\`, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${process.env.PARLEY_API_KEY}\`,${body ? "\n    'Content-Type': 'application/json'," : ''}
  },${body ? `\n  body: JSON.stringify(${body}),` : ''}
});
console.log(response.status, await response.json());`;
}

function python({ method, path, body }: Call): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    os.environ["PARLEY_BASE_URL"] + "${path}",
    method="${method}",
    headers={
        "Authorization": "Bearer " + os.environ["PARLEY_API_KEY"],${body ? '\n        "Content-Type": "application/json",' : ''}
    },${body ? `\n    data=json.dumps(json.loads(r"""${body}""")).encode(),` : ''}
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;
}

const mcp = (baseUrl: string, key: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        parley: { type: 'http', url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } },
      },
    },
    null,
    2,
  );
