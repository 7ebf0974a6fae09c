import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { SavedReplySummary } from '../../../../contract/dashboard/saved-replies.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';
import { selectMissing } from './missing-values.ts';

/** A slash that begins a word, and what is typed after it up to the caret. */
const SLASH = /(?:^|\s)\/((?:[^\s/][^\n/]{0,40})?)$/;
const MOST_SHOWN = 8;

type Input = {
  conversationId: string;
  /** False where no reply is written. */
  enabled: boolean;
  text: string;
  setText: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
};

/**
 * The list of saved replies below a slash. Null for an option is the page where they are managed. The focus stays in
 * the field; arrows move the active option, Enter or Tab take it, Esc closes the list until the next slash.
 */
export function useSavedReplies({ conversationId, enabled, text, setText, field }: Input) {
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [at, setAt] = useState({ words: '', index: 0 });
  const slash = enabled && caret !== null ? slashAt(text, caret) : null;
  const read = useRead('listSavedReplies', { params: { org_id } }, { enabled: slash !== null, staleTime: 30_000 });
  const fill = useAct('fillSavedReply', { refresh: [] });
  const found = slash ? ranked(read.data?.data ?? [], slash.words) : [];
  const isBare = slash?.words === '';
  const isOpen = slash !== null && slash.from !== dismissed && read.data !== undefined && (isBare || found.length > 0);
  const options: (SavedReplySummary | null)[] = isOpen ? [...found, null] : [];
  // With nothing to choose no option is active: Enter then sends, as it always does.
  const first = found.length > 0 ? 0 : -1;
  const active = at.words === slash?.words ? Math.min(at.index, options.length - 1) : first;

  const choose = (option: SavedReplySummary | null): void => {
    if (option === null) return void navigate({ to: '/settings/saved-replies' });
    if (!slash || fill.isPending) return;
    const written = `/${slash.words}`;
    fill.mutate(
      { params: { org_id, conversation_id: conversationId, saved_reply_id: option.id } },
      { onSuccess: ({ text: said }) => insert(slash.from, written, said) },
    );
  };
  const insert = (from: number, written: string, said: string): void => {
    const now = field.current?.value ?? '';
    const isThere = now.slice(from, from + written.length) === written;
    const start = isThere ? from : now.length;
    flushSync(() => {
      setText(now.slice(0, start) + said + (isThere ? now.slice(from + written.length) : ''));
      setCaret(null);
    });
    selectMissing(field.current, start + said.length);
  };
  const move = (step: number): void => {
    const { length } = options;
    setAt({ words: slash?.words ?? '', index: (Math.max(active, step > 0 ? -1 : 0) + step + length) % length });
  };
  /** True: the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') setDismissed(slash.from);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && active >= 0) choose(options[active]!);
    else return false;
    event.preventDefault();
    return true;
  };
  const place = (next: number | null): void => {
    setCaret(next);
    // A slash that goes takes along that its list was closed.
    if (next === null || !slashAt(field.current?.value ?? '', next)) setDismissed(null);
  };
  const open = (next: number): void => {
    setCaret(next);
    setDismissed(null);
  };
  return {
    isOpen,
    options,
    active,
    found: found.length,
    listId,
    choose,
    onKey,
    setCaret: place,
    open,
    error: fill.error,
  };
}

function slashAt(text: string, caret: number): { from: number; words: string } | null {
  const words = SLASH.exec(text.slice(0, caret))?.[1];
  return words === undefined ? null : { from: caret - words.length - 1, words };
}

/** Those whose shortcut begins so come first, then those that have all words in their name or shortcut. */
function ranked(all: readonly SavedReplySummary[], typed: string): SavedReplySummary[] {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const begins = ({ shortcut }: SavedReplySummary): boolean => shortcut.toLocaleLowerCase().startsWith(words[0] ?? '');
  const has = (one: SavedReplySummary): boolean => {
    const text = `${one.shortcut} ${one.name}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = all.filter(has);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MOST_SHOWN);
}
