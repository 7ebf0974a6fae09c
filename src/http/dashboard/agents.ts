import type { UpdateAgentBody } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { tooNarrow } from '../../access/tokens/decide-token.ts';
import { createAgent } from '../../features/agents/create-agent.ts';
import { deleteAgent } from '../../features/agents/delete-agent.ts';
import { publishAgent, restoreAgentVersion } from '../../features/agents/publish-agent.ts';
import { listAgents, listAgentVersions, readAgent } from '../../features/agents/read-agents.ts';
import { listMcpTools } from '../../features/agents/list-mcp-tools.ts';
import { listAllMissedQuestions, listMissedQuestions, settleMissedQuestions } from '../../features/agents/questions.ts';
import { replayConversation } from '../../features/agents/replay-conversation.ts';
import { testAgent } from '../../features/agents/test-agent.ts';
import { checkSuite, readSuite, setSuite } from '../../features/agents/test-cases.ts';
import { tryAgent } from '../../features/agents/try-agent.ts';
import { tryTool } from '../../features/agents/try-tool.ts';
import { updateAgent } from '../../features/agents/update-agent.ts';
import { checkModel, type CheckModelDeps } from '../../features/models/check-model.ts';
import { listModels } from '../../features/models/list-models.ts';
import { removeModel, setModel } from '../../features/models/set-model.ts';
import { compareVersions } from '../../features/rollouts/compare-versions.ts';
import { finishRollout, stopRollout } from '../../features/rollouts/end-rollout.ts';
import { readRollout } from '../../features/rollouts/read-rollout.ts';
import { setRollout } from '../../features/rollouts/set-rollout.ts';
import type { AgentsDeps } from '../../features/agents/deps.ts';
import type { ModelsDeps } from '../../features/models/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';
import { streamTestChat } from './stream-test-chat.ts';

/** Routes for agents, their tests, and the models that they use. */
export const agentRoutes = ({ route, deps }: RouteDeps<AgentsDeps & ModelsDeps & CheckModelDeps>): Route[] => [
  route('listAgents', ({ orgId, query: { text }, paged }) =>
    paged({ text }, (page) => listAgents(deps, orgId, { text }, page)),
  ),
  route('createAgent', ({ orgId, body, actor, careful }) => createAgent(careful(deps), orgId, body, actor)),
  route('readAgent', ({ orgId, params }) => readAgent(deps, orgId, params.agent_id)),
  route('updateAgent', ({ orgId, params, body, actor, caller: { token }, careful }) => {
    if (token && !changesDraftAlone(body) && !token.verbs.includes('publish')) throw needsPublish();
    return updateAgent(careful(deps), orgId, params.agent_id, body, actor);
  }),
  route('deleteAgent', ({ orgId, params, actor }) => deleteAgent(deps, orgId, params.agent_id, actor)),
  route('publishAgent', ({ orgId, params, body, actor, careful }) =>
    publishAgent(careful(deps), orgId, params.agent_id, body ?? {}, actor),
  ),
  route('listAgentVersions', ({ orgId, params: { agent_id: agent }, paged }) =>
    paged(
      { agent },
      ({ limit, after }) => listAgentVersions(deps, orgId, agent, { limit, before: after && Number(after.id) }),
      (row) => String(row.version),
    ),
  ),
  route('restoreAgentVersion', ({ orgId, params, body, actor, careful }) =>
    restoreAgentVersion(careful(deps), orgId, params.agent_id, readVersion(params.version), body ?? {}, actor),
  ),
  route('readRollout', ({ orgId, params }) => readRollout(deps, orgId, params.agent_id)),
  route('setRollout', ({ orgId, params, body, actor }) => setRollout(deps, orgId, params.agent_id, body, actor)),
  route('stopRollout', ({ orgId, params, actor }) => stopRollout(deps, orgId, params.agent_id, actor)),
  route('finishRollout', ({ orgId, params, actor }) => finishRollout(deps, orgId, params.agent_id, actor)),
  route('compareVersions', ({ orgId, params }) => compareVersions(deps, orgId, params.agent_id)),
  route('tryAgent', ({ orgId, caller, params, body, reply, thenChecked }) =>
    streamTestChat(
      reply,
      { userId: caller.user.id, isStillGranted: () => thenChecked(Promise.resolve(true)) },
      (reader) => thenChecked(tryAgent(deps, orgId, params.agent_id, body, reader)),
    ),
  ),
  route('readSuite', ({ orgId, params }) => readSuite(deps, orgId, params.agent_id)),
  route('setSuite', ({ orgId, params, body, actor, caller: { token } }) => {
    if (token && body.required !== undefined && !token.verbs.includes('publish')) throw needsPublish();
    return setSuite(deps, orgId, params.agent_id, body, actor);
  }),
  route('checkSuite', ({ orgId, params, body }) => checkSuite(deps, orgId, params.agent_id, body)),
  route('testAgent', ({ orgId, params, body, thenChecked }) =>
    testAgent(deps, orgId, params.agent_id, body, thenChecked),
  ),
  route('replayConversation', ({ orgId, params, body, thenChecked }) =>
    thenChecked(replayConversation(deps, orgId, params.agent_id, body)),
  ),
  route('listMissedQuestions', ({ orgId, params }) => listMissedQuestions(deps, orgId, params.agent_id)),
  route('listAllMissedQuestions', ({ orgId }) => listAllMissedQuestions(deps, orgId)),
  route('settleMissedQuestions', ({ orgId, params, body }) =>
    settleMissedQuestions(deps, orgId, params.agent_id, body.message_ids),
  ),
  route('tryTool', ({ orgId, params, body, thenChecked }) => thenChecked(tryTool(deps, orgId, params.agent_id, body))),
  route('listMcpTools', ({ orgId, params, body, thenChecked }) =>
    thenChecked(listMcpTools(deps, orgId, params.agent_id, body)),
  ),

  route('listModels', async ({ orgId }) => ({ data: await listModels(deps, orgId) })),
  route('setModel', ({ orgId, params, body, actor, careful }) =>
    setModel(careful(deps), orgId, params.provider, body, actor),
  ),
  route('checkModel', ({ orgId, params, thenChecked }) => checkModel(deps, orgId, params.provider, thenChecked)),
  route('removeModel', ({ orgId, params, actor }) => removeModel(deps, orgId, params.provider, actor)),
];

/**
 * The changes that the verb `push` of an access token permits. All changes of an agent except changes of its draft
 * affect live answers.
 */
const changesDraftAlone = ({ name, enabled, publish }: UpdateAgentBody): boolean =>
  publish === false && name === undefined && enabled === undefined;

const needsPublish = (): Refusal =>
  tooNarrow(
    'publish',
    'This requires the verb publish; push changes only the draft and its tests ("publish": false, without "required").',
  );

/** Versions start at 1 and fit the column. */
function readVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Refusal('version_not_found');
  return Number(text);
}
