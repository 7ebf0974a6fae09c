import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { useRead } from '../../api/queries.ts';
import { useOrganization, useSession } from '../../session/session.ts';

/** Matches an @ at the start of a word, with the text between the @ and the caret. */
const AT = /(?:^|\s)@((?:[^\s@][^\n@]{0,40})?)$/;
const MOST_SHOWN = 8;
/** A copy of the server's limit in contract/limits.ts. */
const MAX_MENTIONS = 20;

export type Named = { user_id: string; name: string };

/** Reads the members that a note can mention, which are all except the reader. */
export function useNamable(enabled: boolean): readonly Named[] {
  const org_id = useOrganization().id;
  const me = useSession().user.id;
  const members = useRead('listMembers', { params: { org_id } }, { enabled, staleTime: 30_000 });
  return (members.data?.data ?? []).filter(({ user_id }) => user_id !== me);
}

/** Finds the members that a text mentions. A name within a longer name does not count. */
export function namedIn(text: string, members: readonly Named[]): string[] {
  const byLength = members.toSorted((a, b) => b.name.length - a.name.length);
  let rest = text;
  const found: string[] = [];
  for (const { user_id, name } of byLength) {
    if (!rest.includes(`@${name}`)) continue;
    found.push(user_id);
    // All members with the same name are mentioned.
    if (!byLength.some((one) => one.user_id !== user_id && one.name === name && !found.includes(one.user_id)))
      rest = rest.replaceAll(`@${name}`, '');
  }
  return found.slice(0, MAX_MENTIONS);
}

type Input = {
  /** False while the member writes no note. */
  enabled: boolean;
  text: string;
  setText: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
};

/** The list of members below an @ has the same keys as for saved replies: arrows, Enter or Tab, Esc. */
export function useMentions({ enabled, text, setText, field }: Input) {
  const listId = useId();
  const members = useNamable(enabled);
  const [caret, setCaret] = useState<number | null>(null);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [at, setAt] = useState({ words: '', index: 0 });
  const open = enabled && caret !== null ? openAt(text, caret) : null;
  const found = open && open.from !== dismissed ? ranked(members, open.words) : [];
  const active = at.words === open?.words ? Math.min(at.index, found.length - 1) : 0;

  const choose = ({ name }: Named): void => {
    if (!open || caret === null) return;
    const before = `${text.slice(0, open.from)}@${name} `;
    flushSync(() => {
      setText(before + text.slice(caret).replace(/^ /, ''));
      setCaret(null);
    });
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  };
  /** True: the list handled the key. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (found.length === 0 || event.nativeEvent.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt({ words: open!.words, index: (active + step + found.length) % found.length });
    else if (event.key === 'Escape') setDismissed(open!.from);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose(found[active]!);
    else return false;
    event.preventDefault();
    return true;
  };
  const place = (next: number | null): void => {
    setCaret(next);
    if (next === null || !openAt(field.current?.value ?? '', next)) setDismissed(null);
  };
  return { isOpen: found.length > 0, found, active, listId, choose, onKey, setCaret: place };
}

function openAt(text: string, caret: number): { from: number; words: string } | null {
  const words = AT.exec(text.slice(0, caret))?.[1];
  return words === undefined ? null : { from: caret - words.length - 1, words };
}

function ranked(members: readonly Named[], typed: string): Named[] {
  const wanted = typed.toLocaleLowerCase();
  const found = members.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
  const begins = ({ name }: Named): boolean => name.toLocaleLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MOST_SHOWN);
}
