import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Matches open braces before the caret, with the start of a name. */
const OPEN = /\{\{[#^/]?\s?([\w.]{0,64})$/;
/** Matches the rest of an existing variable, which a choice would not replace. */
const WITHIN = /^(?:\||[\w.]+\s?(?:\||\}\}))/;
/** The number exceeds the longest name with braces, so that a long text is not searched at every key press. */
const LOOK_BACK = 80;
const MOST_SHOWN = 8;

type Input = {
  text: string;
  setText: (text: string) => void;
  variables: readonly string[];
  field: RefObject<HTMLTextAreaElement | null>;
};

/**
 * Lists the variables that match the text after two braces. The focus stays in the field. Arrows move the active
 * option, Enter or Tab select it, and Esc closes the list until the next braces.
 */
export function useVariableList({ text, setText, variables, field }: Input) {
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [at, setAt] = useState({ typed: '', index: 0 });
  const open = caret === null ? null : openAt(text, caret);
  const isWhole = open !== null && text.startsWith('}}', caret ?? 0) && variables.includes(open.typed);
  const options = open && open.from !== dismissed && !isWhole ? ranked(variables, open.typed) : [];
  const active = at.typed === open?.typed ? Math.min(at.index, options.length - 1) : 0;

  const choose = (name: string): void => {
    if (!open || caret === null) return;
    const rest = text.slice(caret);
    const before = `${text.slice(0, open.from)}${name}`;
    const end = before.length + 2;
    flushSync(() => {
      setText(rest.startsWith('}}') ? before + rest : `${before}}}${rest}`);
      setCaret(null);
    });
    field.current?.focus();
    field.current?.setSelectionRange(end, end);
  };
  const move = (step: number): void => {
    const { length } = options;
    setAt({ typed: open?.typed ?? '', index: (active + step + length) % length });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (options.length === 0 || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') setDismissed(open!.from);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose(options[active]!);
    else return;
    event.preventDefault();
  };
  const place = (next: number | null): void => {
    setCaret(next);
    if (next === null || !openAt(field.current?.value ?? '', next)) setDismissed(null);
  };
  return { listId, options, active, choose, onKey, place };
}

function openAt(text: string, caret: number): { from: number; typed: string } | null {
  if (WITHIN.test(text.slice(caret, caret + LOOK_BACK))) return null;
  const typed = OPEN.exec(text.slice(Math.max(0, caret - LOOK_BACK), caret))?.[1];
  return typed === undefined ? null : { from: caret - typed.length, typed };
}

/** Names that start with the text come first, then names that contain it. */
function ranked(variables: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const found = variables.filter((name) => name.toLowerCase().includes(wanted));
  const begins = (name: string): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((name) => !begins(name))].slice(0, MOST_SHOWN);
}
