import { useNavigate } from '@tanstack/react-router';
import { createContext, use, useRef, type ReactNode } from 'react';
import { useOrganization } from '../../session/session.ts';

/**
 * Call this function before an action that removes the conversation from the list, and call its result after the action
 * succeeded.
 */
type OpenNext = (id: string) => () => void;

const Context = createContext<OpenNext>(() => () => {});

export const useOpenNext = (): OpenNext => use(Context);

type Props = { ids: readonly string[]; opened: string | undefined; children: ReactNode };

/**
 * After a conversation is resolved or snoozed, opens the row below it, or the row above if there is no row below. If
 * the list has no other row, the list itself is opened. A conversation that was never in the list, for example from a
 * link, stays open.
 */
export function OpenNextOf({ ids, opened, children }: Props): ReactNode {
  const navigate = useNavigate();
  const rows = useRef(ids);
  rows.current = ids;
  const isOn = useRef(true);
  isOn.current = useOrganization().opens_next;
  // A reply may remove the open conversation from the list. The position of the conversation in the list is stored.
  const place = useRef<{ id: string; at: number } | null>(null);
  if (opened !== undefined && ids.includes(opened)) place.current = { id: opened, at: ids.indexOf(opened) };
  const prepare = useRef<OpenNext>((id) => {
    if (place.current?.id !== id || !isOn.current) return () => {};
    const { at } = place.current;
    const others = rows.current.filter((one) => one !== id);
    const next = others[at] ?? others[at - 1] ?? others[0];
    const search = (before: object): object => before;
    return () =>
      void (next === undefined
        ? navigate({ to: '/conversations', search, resetScroll: false })
        : navigate({
            to: '/conversations/$conversation_id',
            params: { conversation_id: next },
            search,
            resetScroll: false,
          }));
  });
  return <Context value={prepare.current}>{children}</Context>;
}
