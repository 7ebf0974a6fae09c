import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import { useSyncExternalStore, type ReactNode } from 'react';
import classes from './notify.module.css';

/** Reports a successful action for a short time. A failed action shows its failure next to the button. */
export const notifyDone = (message: string): void => show({ message, icon: IconCheck }, SHOWN_MS);

/** Reports an action that failed after the user left its page, for a longer time. */
export const notifyFailed = (message: string): void => show({ message, icon: IconAlertCircle }, FAILED_MS);

/** The region is always in the page, so that a screen reader observes it before it has content. */
export function Notes(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => note);
  return (
    <div role="status" aria-live="polite" className={classes.notes}>
      {shown && (
        <div key={shown.id} className={classes.note} dir="auto">
          <shown.icon size={17} stroke={2.4} aria-hidden="true" />
          {shown.message}
        </div>
      )}
    </div>
  );
}

type Note = { id: number; message: string; icon: typeof IconCheck };
const SHOWN_MS = 4_000;
const FAILED_MS = 30_000;

let lastId = 0;
/** Only the newest notification is shown, because several would cover the page. */
let note: Note | null = null;
const listeners = new Set<() => void>();

function show(next: Omit<Note, 'id'>, ms: number): void {
  const id = ++lastId;
  set({ ...next, id });
  setTimeout(() => note?.id === id && set(null), ms);
}

function set(next: Note | null): void {
  note = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
