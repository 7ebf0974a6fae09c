import { randomUUID } from 'node:crypto';
import type { ToolTried } from '../../../contract/dashboard/tools.ts';
import { bindArguments, noValueFor } from '../../engine/providers/bound-arguments.ts';
import { type CallTool, CHECK_MS, type ToolAnswer } from '../../engine/providers/run-tool.ts';
import type { TryTool } from '../../features/agents/try-tool.ts';
import type { Plays } from './plays.ts';
import { tryContext } from './try-context.ts';

const MAX_SHOWN_CHARACTERS = 16_000;
/** More than the longest time limit of a tool; a try is one attempt. */
const TRY_TIMEOUT_MS = 35_000;

/** One call of a tool for the editor: the same call as in a turn, with a made-up person. */
export const createTryTool = ({ callTool, plays }: { callTool: CallTool; plays: Plays }): TryTool =>
  function tryTool(orgId, agentId, { tool, arguments: given, variables }) {
    return plays(orgId, async () => {
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
    });
  };

const NOT_CALLED: ToolTried = { request: null, status: null, error: null, answer: '', duration_ms: 0 };

function present({ sent, status, error, result }: ToolAnswer, duration: number): ToolTried {
  const text = typeof result === 'string' ? result : result === null ? '' : JSON.stringify(result);
  return { request: sent, status, error, answer: text.slice(0, MAX_SHOWN_CHARACTERS), duration_ms: duration };
}
