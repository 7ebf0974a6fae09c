import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { cutText } from '../../../../contract/cut-text.ts';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { MAX_ATTACHMENT_NAME } from '../../../../contract/limits.ts';
import { call } from '../../api/client.ts';
import { useOrganization } from '../../session/session.ts';
import { READ_AGAIN } from './search.ts';
import { sendDelayed } from './use-delayed-reply.ts';

/** A copy of the server's limit in contract/limits.ts. */
export const MAX_MEBIBYTES = 10;
const MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024;
/** One reply has at most this many files, each of which becomes a separate message. */
export const MAX_FILES = 10;
/** The file belongs to the next reply. */
const TOO_MANY = 'file_too_many';

export type ChosenFile = {
  key: number;
  file: File;
  state: 'chosen' | 'sending' | 'failed';
  /** The reason why a file failed, as our text or the server's text. */
  why?: unknown;
};
let lastKey = 0;
/** The files that were chosen in each conversation. They last as long as the page, also when the member leaves. */
const chosenIn = new Map<string, readonly ChosenFile[]>();
const NONE: readonly ChosenFile[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/**
 * Holds the files that a member has selected. The selected files are sent with the reply, one by one. Failed files stay
 * in the field, with the reason.
 */
export function useChosenFiles({ id: conversationId, messages }: ConversationRecord) {
  const org_id = useOrganization().id;
  const client = useQueryClient();
  const files = useSyncExternalStore(subscribe, () => chosenIn.get(conversationId) ?? NONE);
  const setFiles = (change: (all: readonly ChosenFile[]) => readonly ChosenFile[]): void => {
    chosenIn.set(conversationId, change(chosenIn.get(conversationId) ?? NONE));
    for (const listener of listeners) listener();
  };
  const put = (key: number, next: Partial<ChosenFile>): void =>
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const add = (chosen: readonly File[]): void =>
    setFiles((all) => [
      ...all,
      ...chosen.map((file, index): ChosenFile => {
        const why = faultOf(file) ?? (all.length + index < MAX_FILES ? null : TOO_MANY);
        return { key: ++lastKey, file, ...(why === null ? { state: 'chosen' } : { state: 'failed', why }) };
      }),
    ]);
  /** The result is false if at least one file could not be sent. */
  const send = async (): Promise<boolean> => {
    // A waiting reply was written earlier, so it is sent first.
    if (!(await sendDelayed(conversationId))) return false;
    let allSent = true;
    const after = messages.at(-1)?.id;
    for (const { key, file, why } of files) {
      if (faultOf(file) !== null || why === TOO_MANY) continue;
      put(key, { state: 'sending', why: undefined });
      try {
        const params = { org_id, conversation_id: conversationId };
        await call('sendFileInConversation', { params, query: { name: nameOf(file), after }, body: file });
        setFiles((all) => all.filter((one) => one.key !== key));
      } catch (why) {
        allSent = false;
        put(key, { state: 'failed', why });
      }
    }
    setFiles((all) => all.map((one) => (one.why === TOO_MANY ? { ...one, state: 'chosen', why: undefined } : one)));
    for (const name of READ_AGAIN) void client.invalidateQueries({ queryKey: [name] });
    return allSent;
  };
  return {
    files,
    isSending: files.some(({ state }) => state === 'sending'),
    add,
    remove: (key: number): void => setFiles((all) => all.filter((one) => one.key !== key)),
    send,
  };
}

/** A pasted picture may have no name. */
const nameOf = ({ name, type }: File): string =>
  cutText(name, MAX_ATTACHMENT_NAME) || `file.${type.split('/')[1] ?? 'bin'}`;

const faultOf = ({ size }: File): 'file_empty' | 'file_too_large' | null =>
  size === 0 ? 'file_empty' : size > MAX_BYTES ? 'file_too_large' : null;
