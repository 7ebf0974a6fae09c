import { type Answer, startTestApp, type TestApp } from './app.ts';
import { givenAgent, givenOrganization, givenTrigger } from './factories.ts';

/** Starts the complete program, with a key for the end users of an organization and for a trigger of its agent. */
export type EndUsersApi = {
  parley: TestApp;
  orgId: string;
  triggerPath: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

export const people = '/api/end-users';

export async function startEndUsersApi(): Promise<EndUsersApi> {
  const parley = await startTestApp();
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const triggerPath = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const { value: key } = await parley.key(orgId, { permissions: ['end_users', 'triggers'] });
  const call: EndUsersApi['call'] = (method, path, body, headers = {}) =>
    parley.call(method, path, { key, body, headers });
  return { parley, orgId, triggerPath, call };
}
