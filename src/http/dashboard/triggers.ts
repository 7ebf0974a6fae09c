import { Refusal } from '../../../contract/problems.ts';
import { type AcceptedRun, DryRun, type TriggerCall } from '../../../contract/triggers.ts';
import { createTrigger } from '../../features/triggers/create-trigger.ts';
import { presentTrigger } from '../../features/triggers/present-trigger.ts';
import { listTriggers, readTrigger } from '../../features/triggers/read-triggers.ts';
import { deleteTrigger, updateTrigger } from '../../features/triggers/update-trigger.ts';
import type { Route } from '../route/route.ts';
import type { Desk, Room } from './deps.ts';

/** Triggers, their test calls and runs. */
export const triggerRoutes = ({ route, room }: Desk): Route[] => [
  route('listTriggers', ({ orgId, query, paged }) => {
    const filter = { agentId: query.agent_id, text: query.text };
    return paged(filter, async (page) => {
      const { rows, hasMore } = await listTriggers(room.db, orgId, filter, page);
      return { rows: rows.map(presentTrigger), hasMore };
    });
  }),
  route('createTrigger', ({ orgId, body, actor }) => createTrigger(room, orgId, body, actor)),
  route('readTrigger', ({ orgId, params }) => readTrigger(room.db, orgId, params.trigger_id)),
  route('updateTrigger', ({ orgId, params, body, actor }) =>
    updateTrigger(room, orgId, params.trigger_id, body, actor),
  ),
  route('deleteTrigger', ({ orgId, params, actor }) => deleteTrigger(room, orgId, params.trigger_id, actor)),
  route(
    'testTrigger',
    async ({ orgId, params, body, from, reply }) => {
      if (body.dry_run) reply.code(200);
      return testTrigger(room, orgId, params.trigger_id, body, from.requestId);
    },
    { 200: DryRun },
  ),
  route('listTriggerRuns', async ({ orgId, params: { trigger_id: triggerId }, paged }) => {
    await readTrigger(room.db, orgId, triggerId);
    return paged({ triggerId }, async (page) => {
      const { rows, hasMore } = await room.triggers.listRuns(orgId, { triggerId }, page);
      return { rows: rows.map(room.triggers.presentRun), hasMore };
    });
  }),
];

/** Calls the trigger as a backend does, but without a key. */
async function testTrigger(
  { access, triggers, db }: Room,
  orgId: string,
  triggerId: string,
  call: TriggerCall,
  requestId: string,
): Promise<AcceptedRun | DryRun> {
  const { agent_id: agentId } = await readTrigger(db, orgId, triggerId);
  const [trigger, agent] = [await access.facts.trigger(orgId, triggerId), await access.facts.agent(orgId, agentId)];
  if (!trigger || !agent) throw new Refusal('trigger_not_found');
  const target = { orgId, agent, trigger };
  if (call.dry_run) return triggers.preview(target, call, { fillsOnly: false });
  const { answer } = await triggers.start({
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
