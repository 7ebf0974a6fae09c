import type { AgentDefinition } from '../../../contract/agents.ts';
import type { AgentRecord } from '../../../contract/dashboard/agents.ts';
import type { PublishAgentBody, PublishBody } from '../../../contract/dashboard/test-cases.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type AgentRow, lockAgent, readAgent } from '../../store/agents/read.ts';
import { addVersion, publishDefinition, readAgentVersion } from '../../store/agents/versions.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { AgentsDeps } from './deps.ts';
import { checkDefinition, checkToolAddresses } from './check-definition.ts';
import { passPublishGate, refuseDuringRollout } from './publish-gate.ts';
import { foundAgent, presentAgent } from './read-agents.ts';

/**
 * Makes the draft live, or adds it as a version that is not live. Publishing the same definition again creates no new
 * version.
 */
export const publishAgent = (
  deps: Pick<AgentsDeps, 'db' | 'egress'>,
  orgId: string,
  id: string,
  body: PublishAgentBody,
  actor: Actor,
): Promise<AgentRecord> =>
  publish(deps, orgId, id, body, actor, async (_tx, row) => ({ definition: row.draft, facts: {} }));

/** Makes an earlier version live again as a new version, because the history never changes. */
export const restoreAgentVersion = (
  deps: Pick<AgentsDeps, 'db' | 'egress'>,
  orgId: string,
  id: string,
  version: number,
  body: PublishBody,
  actor: Actor,
): Promise<AgentRecord> =>
  publish(deps, orgId, id, body, actor, async (tx) => {
    const earlier = await readAgentVersion(tx, orgId, id, version);
    if (!earlier) throw new Refusal('version_not_found');
    return { definition: earlier.definition, facts: { restored: version } };
  });

type Chosen = { definition: AgentDefinition; facts: Record<string, unknown> };

async function publish(
  { db, egress }: Pick<AgentsDeps, 'db' | 'egress'>,
  orgId: string,
  id: string,
  { without_tests, live = true }: PublishAgentBody,
  actor: Actor,
  choose: (tx: Queryable, row: AgentRow) => Promise<Chosen>,
): Promise<AgentRecord> {
  const seen = await readAgent(db, orgId, id);
  if (!seen) throw new Refusal('agent_not_found');
  // If the draft is saved after this check, the save checks it.
  await checkToolAddresses((await choose(db, seen)).definition, { egress });
  return db.transaction(async (tx) => {
    const row = await lockAgent(tx, orgId, id);
    if (!row) throw new Refusal('agent_not_found');
    const { definition, facts } = await choose(tx, row);
    // The version was checked when it was saved, but the current rules may be stricter.
    checkDefinition(definition);
    if (live) await refuseDuringRollout(tx, orgId, id);
    const tested = await passPublishGate(tx, orgId, id, definition, without_tests);
    const store = live ? publishDefinition : addVersion;
    const version = await store(tx, row, definition, actor.userId, tested.without_tests ?? null);
    const all = { version, ...(!live && { live }), ...facts, ...tested };
    await recordAudit(tx, { orgId, actor, action: 'agent.published', subjectId: id, facts: all });
    return presentAgent(await foundAgent(tx, orgId, id), []);
  });
}
