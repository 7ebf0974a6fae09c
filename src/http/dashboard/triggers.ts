import { Refusal } from '../../../contract/problems.ts';
import { type AcceptedRun, DryRun, type TriggerCall } from '../../../contract/triggers.ts';
import { createTrigger } from '../../features/triggers/create-trigger.ts';
import type { TriggersDeps } from '../../features/triggers/deps.ts';
import { previewCall } from '../../features/triggers/preview-call.ts';
import { listNamedRuns, runFilter } from '../../features/triggers/read-runs.ts';
import { startConversation } from '../../features/triggers/start-conversation.ts';
import { listTriggers, readTrigger } from '../../features/triggers/read-triggers.ts';
import { deleteTrigger, updateTrigger } from '../../features/triggers/update-trigger.ts';
import type { Access } from '../../access/access.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

type TriggerTestDeps = TriggersDeps & { access: Pick<Access, 'facts'> };

/** Routes for triggers, their test calls and their runs. */
export const triggerRoutes = ({ route, deps }: RouteDeps<TriggerTestDeps>): Route[] => [
  route('listTriggers', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, (page) => listTriggers(deps, orgId, filter, page));
  }),
  route('createTrigger', ({ orgId, body, actor }) => createTrigger(deps, orgId, body, actor)),
  route('readTrigger', ({ orgId, params }) => readTrigger(deps, orgId, params.trigger_id)),
  route('updateTrigger', ({ orgId, params, body, actor }) =>
    updateTrigger(deps, orgId, params.trigger_id, body, actor),
  ),
  route('deleteTrigger', ({ orgId, params, actor }) => deleteTrigger(deps, orgId, params.trigger_id, actor)),
  route(
    'testTrigger',
    async ({ orgId, params, body, from, reply }) => {
      if (body.dry_run) reply.code(200);
      return testTrigger(deps, orgId, params.trigger_id, body, from.requestId);
    },
    { 200: DryRun },
  ),
  route('listTriggerRuns', async ({ orgId, params: { trigger_id: triggerId }, query, paged }) => {
    await readTrigger(deps, orgId, triggerId);
    const { status, created_after, created_before } = query;
    const filters = { status, created_after, created_before };
    return paged({ triggerId, ...filters }, (page) => listNamedRuns(deps, orgId, runFilter(triggerId, filters), page));
  }),
];

/** The route calls the trigger like a backend, but without a key. */
async function testTrigger(
  deps: TriggerTestDeps,
  orgId: string,
  triggerId: string,
  call: TriggerCall,
  requestId: string,
): Promise<AcceptedRun | DryRun> {
  const { agent_id: agentId } = await readTrigger(deps, orgId, triggerId);
  const [trigger, agent] = [
    await deps.access.facts.trigger(orgId, triggerId),
    await deps.access.facts.agent(orgId, agentId),
  ];
  if (!trigger || !agent) throw new Refusal('trigger_not_found');
  const target = { orgId, agent, trigger };
  if (call.dry_run) return previewCall(deps, target, call, { fillsOnly: false });
  const { answer } = await startConversation(deps, {
    target,
    call,
    keyId: null,
    from: null,
    fillsOnly: false,
    requestId,
    idempotency: null,
  });
  return JSON.parse(answer.body) as AcceptedRun;
}
