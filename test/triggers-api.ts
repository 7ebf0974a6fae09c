import { type Answer, startTestApp, type TestApp } from './app.ts';
import { givenAgent, givenOrganization, givenTrigger } from './factories.ts';

/** Starts the complete program with an agent, a trigger, and a key for it. */
export type TriggersApi = {
  parley: TestApp;
  orgId: string;
  agentId: string;
  /** Starts a conversation and waits for the agent's answer. */
  start(body?: object): Promise<Answer>;
  /** Makes a call below the runs of the trigger, or of another trigger. */
  runs(method: string, rest?: string, more?: { trigger?: string; headers?: Record<string, string> }): Promise<Answer>;
};

export async function startTriggersApi(): Promise<TriggersApi> {
  const parley = await startTestApp();
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const triggerId = await givenTrigger(parley.db, orgId, agentId);
  const { value: key } = await parley.key(orgId);
  const at = `/api/triggers/${agentId}`;
  return {
    parley,
    orgId,
    agentId,
    start: (body = {}) => parley.call('POST', `${at}/${triggerId}`, { key, body, headers: { prefer: 'wait=10' } }),
    runs: (method, rest = '', { trigger = triggerId, headers = {} } = {}) =>
      parley.call(method, `${at}/${trigger}/runs${rest}`, { key, headers }),
  };
}
