import {
  deleteToolSecret,
  rotateToolSecret,
  setToolCredentials,
} from '../../features/tool-secrets/change-tool-secret.ts';
import { createToolSecret } from '../../features/tool-secrets/create-tool-secret.ts';
import type { ToolSecretsDeps } from '../../features/tool-secrets/deps.ts';
import { listToolSecrets } from '../../features/tool-secrets/read-tool-secrets.ts';
import { rotateAgentSecret } from '../../features/tool-secrets/rotate-agent-secret.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

const which = (orgId: string, params: { agent_id: string; tool_secret_id: string }) => ({
  orgId,
  agentId: params.agent_id,
  id: params.tool_secret_id,
});

/** Routes for the secrets and credentials of tool calls. */
export const toolRoutes = ({ route, deps }: RouteDeps<ToolSecretsDeps>): Route[] => [
  route('rotateAgentSecret', ({ orgId, params, actor }) => rotateAgentSecret(deps, orgId, params.agent_id, actor)),
  route('listToolSecrets', async ({ orgId, params }) => ({
    data: await listToolSecrets(deps, orgId, params.agent_id),
  })),
  route('createToolSecret', ({ orgId, params, body, actor, careful }) =>
    createToolSecret(careful(deps), orgId, params.agent_id, body, actor),
  ),
  route('rotateToolSecret', ({ orgId, params, body, actor }) =>
    rotateToolSecret(deps, which(orgId, params), body, actor),
  ),
  route('setToolCredentials', ({ orgId, params, body, actor }) =>
    setToolCredentials(deps, which(orgId, params), body, actor),
  ),
  route('deleteToolSecret', ({ orgId, params, actor }) => deleteToolSecret(deps, which(orgId, params), actor)),
];
