import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import type { SavedReplySummary } from '../../../../contract/dashboard/saved-replies.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';
import { selectMissing } from './missing-values.ts';

/** Matches a slash at the start of a word, with the text between the slash and the caret. */
const SLASH = /(?:^|\s)\/((?:[^\s/][^\n/]{0,40})?)$/;
const MOST_SHOWN = 8;

type Input = {
  conversationId: string;
  /** False while the member writes no reply. */
  enabled: boolean;
  text: string;
  setText: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** This function is called with the actions of the chosen reply. */
  onActions: (actions: ReplyActions) => void;
};

/**
 * The list of saved replies opens at a slash, or at the caret if the button opened it. A null option is a link to the
 * page where saved replies are managed. The focus stays in the field. Arrows move the active option, Enter or Tab
 * select it, and Esc closes the list until the next slash.
 */
export function useSavedReplies({ conversationId, enabled, text, setText, field, onActions }: Input) {
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const listId = useId();
  const [at, setAt] = useState({ words: '', index: 0 });
  const { slash, isClosed, close, setCaret, open } = usePlace({ enabled, text, field });
  const byButton = slash?.byButton === true;
  const read = useRead('listSavedReplies', { params: { org_id } }, { enabled: slash !== null, staleTime: 30_000 });
  const fill = useAct('fillSavedReply', { refresh: [] });
  const found = slash ? ranked(read.data?.data ?? [], slash.words) : [];
  const isBare = slash?.words === '';
  const isSearched = isBare || byButton || found.length > 0;
  const isOpen = slash !== null && !isClosed && read.data !== undefined && isSearched;
  const options: (SavedReplySummary | null)[] = isOpen ? [...found, null] : [];
  // If no reply matches, no option is active, so Enter sends as usual.
  const first = found.length > 0 ? 0 : -1;
  const active = at.words === slash?.words ? Math.min(at.index, options.length - 1) : first;

  const choose = (option: SavedReplySummary | null): void => {
    if (option === null) return void navigate({ to: '/settings/saved-replies' });
    if (!slash || fill.isPending) return;
    fill.mutate(
      { params: { org_id, conversation_id: conversationId, saved_reply_id: option.id } },
      {
        onSuccess: ({ text: filled }) => {
          if (Object.keys(option.actions).length > 0) onActions(option.actions);
          insert(slash, filled);
        },
      },
    );
  };
  const insert = ({ from, written }: Place, inserted: string): void => {
    const now = field.current?.value ?? '';
    const isThere = now.slice(from, from + written.length) === written;
    const start = isThere ? from : now.length;
    close();
    flushSync(() => {
      setText(now.slice(0, start) + inserted + (isThere ? now.slice(from + written.length) : ''));
      setCaret(null);
    });
    selectMissing(field.current, start + inserted.length);
  };
  const move = (step: number): void => {
    const { length } = options;
    setAt({ words: slash?.words ?? '', index: (Math.max(active, step > 0 ? -1 : 0) + step + length) % length });
  };
  /** True: the list handled the key. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && active >= 0) choose(options[active]!);
    // The search text for a saved reply is never sent.
    else if (event.key === 'Enter' && byButton) event.preventDefault();
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    isOpen,
    options,
    active,
    found: found.length,
    hasNone: read.data?.data.length === 0,
    listId,
    choose,
    onKey,
    setCaret,
    open,
    error: fill.error,
  };
}

/** The place of the list in the text, with its search text and the text that a saved reply replaces. */
type Place = { from: number; words: string; written: string; byButton: boolean };

/** Finds the position at which the caret opens the list, until the user closes the list. */
function usePlace({ enabled, text, field }: Pick<Input, 'enabled' | 'text' | 'field'>) {
  const [caret, setCaret] = useState<number | null>(null);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [openedAt, setOpenedAt] = useState<number | null>(null);
  const slash = enabled && caret !== null ? placeAt(text, caret, openedAt) : null;
  const close = (): void => {
    if (slash && !slash.byButton) setDismissed(slash.from);
    setOpenedAt(null);
  };
  const place = (next: number | null): void => {
    setCaret(next);
    if (next === null || (openedAt !== null && next < openedAt)) setOpenedAt(null);
    // When the slash is deleted, forget that the user closed the list.
    if (next === null || slashAt(field.current?.value ?? '', next) === null) setDismissed(null);
  };
  const open = (next: number): void => {
    setCaret(next);
    setOpenedAt(next);
    setDismissed(null);
  };
  return { slash, isClosed: slash?.from === dismissed, close, setCaret: place, open };
}

function placeAt(text: string, caret: number, openedAt: number | null): Place | null {
  if (openedAt !== null && caret >= openedAt) {
    const words = text.slice(openedAt, caret);
    return { from: openedAt, words, written: words, byButton: true };
  }
  const from = slashAt(text, caret);
  if (from === null) return null;
  return { from, words: text.slice(from + 1, caret), written: text.slice(from, caret), byButton: false };
}

function slashAt(text: string, caret: number): number | null {
  const words = SLASH.exec(text.slice(0, caret))?.[1];
  return words === undefined ? null : caret - words.length - 1;
}

/** Replies whose shortcut starts with the text come first, then replies with all words in their name or shortcut. */
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
