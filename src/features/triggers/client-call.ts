import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { TriggerCall } from '../../../contract/triggers.ts';
import type { ClientCaller } from '../../access/types.ts';

/**
 * A web page may set only the listed fields of a call. Only the backend that created the token may set the other
 * fields.
 */
const OPEN_FIELDS: ReadonlySet<string> = new Set<keyof TriggerCall>([
  'conversation',
  'message',
  'metadata',
  'variables',
]);

/**
 * Builds the call of a client token, with the end user and the conversation that the token names. A field that would
 * name another person, address, time or conversation is refused, because a page is not trusted.
 */
export function callOfClient({ endUser, conversationKey }: ClientCaller, call: TriggerCall): TriggerCall {
  const { conversation, ...rest } = call;
  const faults: Fault[] = Object.keys(call)
    .filter((field) => !OPEN_FIELDS.has(field))
    .map((field) => ({ pointer: `/${field}`, code: 'not_allowed', detail: NOT_OF_PAGES }));
  if (conversation !== undefined && (conversation.id === undefined || Object.keys(conversation).length > 1))
    faults.push({ pointer: '/conversation', code: 'not_allowed', detail: ONLY_BY_ID });
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
  // The mark of the conversation proves the person (see store/runs/accept.ts).
  if (conversation !== undefined) return { ...rest, conversation };
  return { ...rest, end_user: endUser, ...(conversationKey !== null && { conversation: { key: conversationKey } }) };
}

const NOT_OF_PAGES = 'A call with a client token cannot set this field.';
const ONLY_BY_ID = 'A call with a client token names a conversation only by its id.';
