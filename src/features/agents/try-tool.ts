import { randomUUID } from 'node:crypto';
import type { ToolTried, TryToolBody } from '../../../contract/dashboard/tools.ts';
import { Refusal } from '../../../contract/problems.ts';
import { tryContext } from '../../answering/try-context.ts';
import { bindArguments, noValueFor } from '../../engine/providers/bind-arguments.ts';
import { CHECK_MS, type ToolAnswer } from '../../engine/providers/run-tool.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import type { AgentsDeps } from './deps.ts';
import { toolFaults } from './check-tool.ts';
import { foundAgent } from './read-agents.ts';
import { limitTries } from './try-limit.ts';

const MAX_SHOWN_CHARACTERS = 16_000;
/** The time is longer than the longest timeout of a tool, because a try makes only one attempt. */
const TRY_TIMEOUT_MS = 35_000;

type Deps = Pick<AgentsDeps, 'db' | 'egress' | 'answering'>;
type Call = { tool: TryToolBody['tool']; arguments: Record<string, unknown>; variables: Record<string, unknown> };

/** Calls a tool that a member is editing, as a turn would, for a made-up person. */
export async function tryTool(
  { db, egress, answering }: Deps,
  orgId: string,
  agentId: string,
  { tool, arguments: args = {}, variables = {} }: TryToolBody,
): Promise<ToolTried> {
  await foundAgent(db, orgId, agentId);
  const errors = toolFaults(tool).map((fault) => ({ ...fault, pointer: `/tool${fault.pointer}` }));
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
  await checkAddress(egress, '/tool/url', tool.url);
  return limitTries(orgId, () => callOnce(answering, orgId, agentId, { tool, arguments: args, variables }));
}

async function callOnce(
  { callTool }: Pick<Deps['answering'], 'callTool'>,
  orgId: string,
  agentId: string,
  { tool, arguments: given, variables }: Call,
): Promise<ToolTried> {
  const { arguments: args, missing } = bindArguments(tool, given, variables);
  if (missing.length > 0) return { ...NOT_CALLED, error: noValueFor(missing) };
  const { notFitting, violationsOf } = await import('../../engine/providers/check-arguments.ts');
  const violations = violationsOf(tool, args, { ms: CHECK_MS });
  if (violations.length > 0) return { ...NOT_CALLED, error: notFitting(violations) };
  const started = performance.now();
  const answer = await callTool({
    tool: { ...tool, retries: 0 },
    arguments: args,
    context: {
      ...tryContext(orgId, agentId, Object(variables['end_user'])),
      idempotency_key: randomUUID(),
    },
    signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
  });
  return present(answer, Math.round(performance.now() - started));
}

const NOT_CALLED: ToolTried = { request: null, status: null, error: null, answer: '', duration_ms: 0 };

function present({ sent, status, error, result }: ToolAnswer, duration: number): ToolTried {
  const text = typeof result === 'string' ? result : result === null ? '' : JSON.stringify(result);
  return { request: sent, status, error, answer: text.slice(0, MAX_SHOWN_CHARACTERS), duration_ms: duration };
}
