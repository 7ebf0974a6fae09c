import { DEFAULT_END_USER_FIELDS } from '../../../contract/agents.ts';
import type { TurnRequested } from '../../../contract/turns.ts';
import type { TurnRequest } from '../../engine/provider.ts';
import { withoutBound } from '../../engine/providers/bind-arguments.ts';
import { decisionsIn } from '../../engine/providers/request-approval.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Facts } from '../../store/turns/code-turn.ts';

/** The body of the call, without the part that differs between attempts. */
export const turnBody = (request: TurnRequest, facts: Facts | null): Omit<TurnRequested, 'turn' | 'type'> => ({
  run: {
    id: request.context.run_id,
    trigger_id: facts?.trigger_id ?? null,
    variables: facts ? (facts.input.variables ?? {}) : withoutPerson(request.variables),
    metadata: facts?.input.metadata ?? {},
  },
  conversation: {
    id: request.context.conversation_id,
    key: facts?.key ?? null,
    locale: request.locale,
    channel_kind: request.context.channel?.kind ?? null,
  },
  end_user: personOf(request),
  messages: facts ? facts.messages.map(present) : madeUp(request),
  ...approvalsOf(request),
});

const present = ({ id, role, content, sources, created_at: at }: Facts['messages'][number]) => ({
  id,
  role,
  content,
  sources,
  created_at: timestamp(Date.parse(at)),
});

/**
 * Returns the decisions that the agent does not know yet. A tool call that a fallback requested may be decided later.
 */
function approvalsOf({ approvals }: TurnRequest): Pick<TurnRequested, 'approvals'> {
  const decided = decisionsIn(approvals).map(({ tool, arguments: args, status, reason, outcome }) => ({
    tool: tool.name,
    arguments: withoutBound(args, tool),
    status: status === 'approved' ? ('approved' as const) : ('denied' as const),
    reason,
    result: outcome?.result ?? null,
  }));
  return decided.length > 0 ? { approvals: decided } : {};
}

const withoutPerson = (variables: TurnRequest['variables']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => name !== 'end_user'));

/** Returns only the fields of the person that the definition allows. */
function personOf({ agent, context, variables, end_user: { id } }: TurnRequest): TurnRequested['end_user'] {
  const endUser = Object(variables['end_user']) as Record<string, unknown>;
  const allowed = (agent.definition.end_user_fields ?? DEFAULT_END_USER_FIELDS).filter((name) =>
    Object.hasOwn(endUser, name),
  );
  const fields = Object.fromEntries(allowed.map((name) => [name, endUser[name] ?? null]));
  return { ...fields, id, external_id: context.end_user.external_id };
}

const ID_CHARACTERS = 26;

/**
 * The messages of a try are not stored, so their IDs are made up. The IDs and times of a try never change, so that a
 * recorded answer is found again.
 */
const madeUp = ({ history, now }: TurnRequest): TurnRequested['messages'] =>
  history.map(({ role, text }, index) => ({
    id: `msg_${String(index).padStart(ID_CHARACTERS, '0')}`,
    role,
    content: { type: 'text', text },
    sources: [],
    created_at: timestamp(now),
  }));
