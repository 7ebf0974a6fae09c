import { IconCheck } from '@tabler/icons-react';
import { useSyncExternalStore, type ReactNode } from 'react';
import classes from './notify.module.css';

/** Reports a successful action for a short time. A failed action shows its failure next to the button. */
export function notifyDone(message: string): void {
  const id = ++lastId;
  set({ id, message });
  setTimeout(() => note?.id === id && set(null), SHOWN_MS);
}

/** The region is always in the page, so that a screen reader observes it before it has content. */
export function Notes(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => note);
  return (
    <div role="status" aria-live="polite" className={classes.notes}>
      {shown && (
        <div key={shown.id} className={classes.note} dir="auto">
          <IconCheck size={17} stroke={2.4} aria-hidden="true" />
          {shown.message}
        </div>
      )}
    </div>
  );
}

type Note = { id: number; message: string };
const SHOWN_MS = 4_000;

let lastId = 0;
/** Only the newest notification is shown, because several would cover the page. */
let note: Note | null = null;
const listeners = new Set<() => void>();

function set(next: Note | null): void {
  note = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
