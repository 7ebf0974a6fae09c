import { type ApiCall, curlOf, samplesOf } from '../../../../../contract/code-samples.ts';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import type { TriggerRecord } from '../../../../../contract/dashboard/triggers.ts';
import type { CodeTab } from '../../code-tabs.tsx';
import { exampleBody } from '../../trigger-code.ts';

type Target = { agentId: string | null; trigger: Pick<TriggerRecord, 'id' | 'variables'> | undefined };

/** Writes code that runs without changes, with the real URL, agent and trigger, and a call that this key may make. */
export function codeOfKey(made: NewKey, baseUrl: string, call: ApiCall): CodeTab[] {
  return [
    { name: '.env', code: `PARLEY_BASE_URL=${baseUrl}\nPARLEY_API_KEY=${made.value}` },
    { name: 'curl', code: curlOf(call, baseUrl, made.value) },
    ...samplesOf(call, baseUrl).filter(({ name }) => name !== 'curl'),
    { name: 'MCP', code: mcp(baseUrl, made.value) },
  ];
}

/** Returns the first call for a key, which the key may make and which preferably starts a conversation. */
export function callOfKey({ permissions }: NewKey, { agentId, trigger }: Target): ApiCall {
  if (permissions.includes('triggers') && agentId && trigger)
    return {
      method: 'POST',
      path: `/api/triggers/${agentId}/${trigger.id}`,
      body: { ...exampleBody(trigger.variables), message: 'Hello' },
      idempotent: true,
    };
  if (permissions.includes('channels') && agentId) return { method: 'GET', path: `/api/channels/${agentId}` };
  if (permissions.includes('end_users')) return { method: 'GET', path: '/api/end-users' };
  return { method: 'GET', path: '/api/me' };
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
