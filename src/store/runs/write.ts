import type pg from 'pg';
import { accept } from '../fence/fence.ts';
import type { AcceptCall, NewRun, StoredAnswer } from './accept-call.ts';
import { peopleValues } from '../end-users/write-batch.ts';
import type { KeyedConversation } from './resolve-conversations.ts';
import type { EndUserRow } from '../end-users/end-user-row.ts';
import { textArray } from '../queue/text-array.ts';
import { type Parts, statementOf } from './write-statement.ts';

/** A call whose person and conversation are known, with all data for its rows. */
export type PlannedCall = {
  call: AcceptCall;
  run: NewRun;
  answer: StoredAnswer;
  endUser: EndUserRow | null;
  address: string | null;
  /** True: the call creates the person at an address without a person. */
  introduces: boolean;
  /** The conversation that the call continues. Null: the batch creates a new conversation. */
  continues: KeyedConversation | null;
  /** The conversation that loses its key to the new conversation. */
  releases: KeyedConversation | null;
  messageId: string | null;
};

/**
 * Writes the batch, with `at` as the time of all rows. Returns the IDs of the written runs. The fence stopped the other
 * calls, or they are replays.
 */
export async function writeRuns(
  client: pg.Pool | pg.PoolClient,
  planned: readonly PlannedCall[],
  at: Date,
): Promise<Set<string>> {
  const gates = gatesOf(planned);
  const parts = partsOf(planned);
  const columns = callColumns(parts);
  const values: Record<string, unknown> = { ...gates.values, now: at };
  for (const { name, value } of columns)
    values[name] = textArray(planned.map((plan, index) => value(plan, gates.of[index]!)));
  if (parts.people)
    Object.assign(
      values,
      peopleValues(
        planned.map(({ endUser }) => endUser),
        at,
      ),
    );
  if (parts.keyed) Object.assign(values, releasedValues(planned));
  const written = await accept<{ id: string }>(client, statementOf(parts, columns)(values));
  return new Set(written.rows.map((row) => row.id));
}

/** Calls with the same key, address, agent, trigger and channel share one gate, which is checked once. */
function gatesOf(planned: readonly PlannedCall[]) {
  const numbers = new Map<string, number>();
  const calls: AcceptCall[] = [];
  const of = planned.map(({ call }) => {
    const name = `${call.keyId} ${call.from} ${call.triggerId} ${call.channelId}`;
    let number = numbers.get(name);
    if (number === undefined) {
      number = calls.push(call) - 1;
      numbers.set(name, number);
    }
    return number;
  });
  const values = {
    gate_n: calls.map((_, index) => index),
    gate_org_id: textArray(calls.map((call) => call.orgId)),
    gate_key_id: textArray(calls.map((call) => call.keyId)),
    gate_came_from: textArray(calls.map((call) => call.from)),
    gate_agent_id: textArray(calls.map((call) => call.agentId)),
    gate_trigger_id: textArray(calls.map((call) => call.triggerId)),
    gate_channel_id: textArray(calls.map((call) => call.channelId)),
  };
  return { of, values };
}

const partsOf = (planned: readonly PlannedCall[]): Parts => {
  const keyed = planned.some(({ call }) => call.conversation !== null);
  return {
    // Calls that continue a conversation create no people, and calls with an address may be for a stored person.
    people: keyed || planned.some(({ call }) => call.endUser !== null || call.address !== null),
    keyed,
    repeatable: planned.some(({ call }) => call.idempotency !== null),
    messages: planned.some(({ call }) => call.message !== null),
    introduces: planned.some(({ introduces }) => introduces),
    client: planned.some(({ call }) => Boolean(call.clientMark)),
  };
};

type CallColumn = { name: string; type: string; value: (plan: PlannedCall, gate: number) => string | null };

function column(name: string, type: string, value: CallColumn['value']): CallColumn {
  return { name, type, value };
}

const ALWAYS = [
  column('gate', 'int', (_, gate) => `${gate}`),
  column('run_id', 'text', ({ run }) => run.id),
  column('conversation_id', 'text', ({ run }) => run.conversationId),
  column('end_user_id', 'text', ({ run }) => run.endUserId),
  column('address', 'text', ({ address }) => address),
  column('locale', 'text', ({ endUser }) => endUser?.locale ?? null),
  column('input', 'text', ({ call, messageId }) =>
    JSON.stringify(messageId === null ? call.input : { ...call.input, message_id: messageId }),
  ),
  column('send_at', 'timestamptz', ({ call }) => call.sendAt?.toISOString() ?? null),
  column('request_id', 'text', ({ call }) => call.requestId),
];

const REPEATABLE = [
  column('scope', 'bytea', ({ call }) => bytes(call.idempotency?.scope)),
  column('request', 'bytea', ({ call }) => bytes(call.idempotency?.request)),
  column('location', 'text', ({ call, answer }) => (call.idempotency ? answer.location : null)),
  column('body', 'text', ({ call, answer }) => (call.idempotency ? answer.body : null)),
];

const MESSAGE_COLUMNS = [
  column('message_id', 'text', ({ messageId }) => messageId),
  column('message', 'text', ({ call }) =>
    call.message === null ? null : JSON.stringify({ type: 'text', text: call.message }),
  ),
];

const KEYED = [
  column('key', 'text', ({ call }) =>
    call.conversation !== null && 'key' in call.conversation ? call.conversation.key : null,
  ),
  column('goes_on', 'bool', ({ continues }) => (continues === null ? null : 'true')),
  column('silent', 'bool', ({ continues }) => (continues?.status === 'handed_off' ? 'true' : null)),
  column('overtakes', 'text', ({ continues }) => continues?.run_id ?? null),
];

const INTRODUCES = [column('introduces', 'bool', ({ introduces }) => (introduces ? 'true' : null))];

const CLIENT = [column('client_mark', 'text', ({ call }) => call.clientMark ?? null)];

export const callColumns = ({ repeatable, messages, keyed, introduces, client }: Parts): CallColumn[] => [
  ...ALWAYS,
  ...(repeatable ? REPEATABLE : []),
  ...(messages ? MESSAGE_COLUMNS : []),
  ...(keyed ? KEYED : []),
  ...(introduces ? INTRODUCES : []),
  ...(client ? CLIENT : []),
];

function releasedValues(planned: readonly PlannedCall[]) {
  const released = planned.flatMap(({ releases, run }) => (releases === null ? [] : [{ ...releases, run: run.id }]));
  return {
    released_org_id: textArray(released.map((conversation) => conversation.org_id)),
    released_id: textArray(released.map((conversation) => conversation.id)),
    released_run_id: textArray(released.map((conversation) => conversation.run)),
  };
}

const bytes = (value: Buffer | undefined): string | null => (value ? `\\x${value.toString('hex')}` : null);
