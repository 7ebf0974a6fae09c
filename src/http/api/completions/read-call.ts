import type { CompletionCall } from '../../../../contract/completions.ts';
import { invalidAt } from '../../../../contract/problems.ts';
import type { EarlierMessage, TriggerCall } from '../../../../contract/triggers.ts';

type Sent = CompletionCall['messages'][number];

/** The request of a completion in the form of a trigger call. */
export type ReadCall = {
  call: TriggerCall;
  earlier: EarlierMessage[];
  /** Null: the call names no trigger. */
  triggerId: string | null;
};

/** A turn reads at most this many messages in addition to the message that it answers. */
const MAX_EARLIER = 39;
/** A turn reads at most this many characters of its history (src/engine/providers/build-messages.ts). */
const MAX_EARLIER_CHARACTERS = 60_000;
const MAX_KEY_CHARACTERS = 255;

/** Throws 422 if the request has no message to answer. */
export function readCall({ messages, user, metadata, variables }: CompletionCall): ReadCall {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const message = at === -1 ? '' : textOf(messages[at]!);
  if (message === '') throw invalidAt(at === -1 ? '/messages' : `/messages/${at}/content`, 'required', NO_MESSAGE);
  const { conversation: key, trigger: triggerId = null, ...noted } = metadata ?? {};
  if (key !== undefined && (key === '' || key.length > MAX_KEY_CHARACTERS))
    throw invalidAt('/metadata/conversation', 'length', `Must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
  return {
    call: {
      message,
      ...(user !== undefined && { end_user: { external_id: user } }),
      ...(key !== undefined && { conversation: { key } }),
      ...(Object.keys(noted).length > 0 && { metadata: noted }),
      ...(variables !== undefined && { variables }),
    },
    earlier: key === undefined ? newest(messages.slice(0, at).flatMap(earlierOf)) : [],
    triggerId,
  };
}

const NO_MESSAGE = 'The call needs a message with the role `user` and a text.';

/** The names of the person for the key's limit per end user, as in a call of a trigger. */
export const peopleOf = ({ user, metadata }: CompletionCall): Pick<TriggerCall, 'end_user' | 'conversation'> => ({
  ...(user !== undefined && { end_user: { external_id: user } }),
  ...(metadata?.conversation !== undefined && { conversation: { key: metadata.conversation } }),
});

function earlierOf(sent: Sent): EarlierMessage[] {
  const text = textOf(sent);
  if (text === '' || (sent.role !== 'user' && sent.role !== 'assistant')) return [];
  return [{ role: sent.role === 'user' ? 'end_user' : 'agent', text }];
}

function newest(earlier: EarlierMessage[]): EarlierMessage[] {
  let characters = 0;
  const tooOld = earlier.findLastIndex(({ text }) => (characters += text.length) > MAX_EARLIER_CHARACTERS);
  return earlier.slice(tooOld + 1).slice(-MAX_EARLIER);
}

const textOf = ({ content }: Sent): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n');
