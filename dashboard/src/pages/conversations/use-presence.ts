import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { cutText } from '../../../../contract/cut-text.ts';
import type { Presence, PresentMember } from '../../../../contract/dashboard/conversations.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';
import type { Side } from './side.ts';

/** The interval is much shorter than PRESENT_SECONDS of the contract, so one report may be lost. */
const BEAT_MS = 15_000;
/** The interval is much shorter than TYPING_SECONDS of the contract. */
const TYPING_MS = 3_000;
/** The limit is a copy of the contract's limit. */
const MAX_SHARED_DRAFT = 4_000;
/** The interval of reads without a stream. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Reports that the reader has the conversation open while the window is visible. Returns the other members who have the
 * conversation open.
 */
export function usePresence(conversation_id: string): readonly PresentMember[] {
  const params = { org_id: useOrganization().id, conversation_id };
  const tell = useTell(conversation_id);
  const inSight = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!inSight) return;
    const leave = (): void => tell('gone');
    const here = (): void => tell('here');
    here();
    const beat = setInterval(here, BEAT_MS);
    // A page that closes does not unmount its components. A page that the browser caches and shows again is still
    // present.
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', here);
    return () => {
      clearInterval(beat);
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', here);
      leave();
    };
  }, [inSight, tell]);
  const others = useRead('listPresence', { params }, { every: LOOK_AGAIN_MS, live: `presence:${conversation_id}` });
  return others.data?.data ?? [];
}

/**
 * Reports that the reader is typing or that a reply waits, and the end of both states. A stored text that is shown does
 * not count as typing. Other members who reply see the unsent reply, but no note.
 */
export function useTyping(conversation_id: string, side: Side, text: string, delayed: string | null): void {
  const tell = useTell(conversation_id);
  const isHeld = delayed !== null;
  const known = useRef({ side, text, isHeld });
  /** Null: nothing was reported, or the end was reported. */
  const toldAt = useRef<number | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = { side, text, isHeld };
    const isSame = before.isHeld === isHeld && (before.side !== side || before.text === text);
    if (isSame || side === 'end_user') return undefined;
    // A waiting reply is reported until it is sent, because a reply of another member would be a second reply.
    if (isHeld && !before.isHeld) toldAt.current = null;
    if (text === '' && !isHeld) {
      if (toldAt.current !== null) tell('still');
      toldAt.current = null;
      return undefined;
    }
    const report = (): void => {
      toldAt.current = performance.now();
      tell('typing', side === 'member' ? text || (delayed ?? '') : undefined);
    };
    const wait = toldAt.current === null ? 0 : toldAt.current + TYPING_MS - performance.now();
    if (wait <= 0) {
      report();
      return undefined;
    }
    // The last letters before a pause are reported too.
    const later = setTimeout(report, wait);
    return () => clearTimeout(later);
  }, [side, text, isHeld, delayed, tell]);
}

/** The function stays the same for one conversation. The next report replaces a lost report. */
function useTell(conversation_id: string): (presence: Presence, draft?: string) => void {
  const org_id = useOrganization().id;
  const { mutate } = useAct('setPresence', { refresh: [] });
  const newest = useRef<(presence: Presence, draft?: string) => void>(() => {});
  const tell = useRef((presence: Presence, draft?: string): void => newest.current(presence, draft));
  newest.current = (presence, draft) =>
    mutate({
      params: { org_id, conversation_id },
      body: { presence, ...(draft && { draft: cutText(draft, MAX_SHARED_DRAFT) }) },
      keepalive: presence === 'gone',
    });
  return tell.current;
}
