import type { AgentDefinition } from '../../../contract/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { openCases, readSuite } from '../../store/agents/test-cases.ts';
import type { Queryable } from '../../store/db.ts';
import { readActiveRollout } from '../../store/rollouts/rollouts.ts';
import { checkBoundVariables } from './check-tool.ts';

/**
 * Decides whether a definition may become live, in the transaction that publishes it. Each variable that a tool uses
 * must be declared by a trigger of the agent. If the tests are required, each case must have passed with the present
 * definition and documents, or the member must enter a reason. Returns the facts for the audit log.
 */
export async function passPublishGate(
  tx: Queryable,
  orgId: string,
  id: string,
  definition: AgentDefinition,
  reason: string | undefined,
): Promise<{ without_tests?: string; open_tests?: number }> {
  await checkBoundVariables(tx, orgId, id, definition);
  const suite = await readSuite(tx, orgId, id);
  if (!suite?.required) return {};
  const open = await openCases(tx, orgId, id, suite.cases, definition);
  if (open.length === 0) return {};
  if (reason !== undefined) return { without_tests: reason, open_tests: open.length };
  const more = open.length > 3 ? ` and ${open.length - 3} more` : '';
  throw new Refusal(
    'tests_not_passed',
    `Run these tests on this definition until they pass: ${open.slice(0, 3).join(', ')}${more}.`,
  );
}

/** A rollout compares a version with the live version, so the live version stays until the rollout ends. */
export async function refuseDuringRollout(tx: Queryable, orgId: string, id: string): Promise<void> {
  const rollout = await readActiveRollout(tx, orgId, id);
  if (rollout)
    throw new Refusal('rollout_active', `Version ${rollout.version} is being rolled out to ${rollout.percent} %.`);
}
