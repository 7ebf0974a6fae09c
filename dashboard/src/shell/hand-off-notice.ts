import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTexts } from '../language/texts.tsx';
import { usePreferences } from '../preferences.ts';
import { atLeast, useMaybeOrganization } from '../session/session.ts';
import { useWaitingConversations } from '../session/waiting-conversations.ts';
import { texts } from './texts.ts';

/**
 * Desktop notifications for hand-offs and approvals. The user must have enabled notifications, and no notification
 * contains a name.
 */
export function useNotices(): void {
  const counts = useWaitingConversations().data;
  useNotice(
    'handed_over',
    counts && (counts.newest ? { id: counts.newest.id, at: counts.newest.handed_off_at } : null),
  );
  const asked = counts?.newest_approval;
  // Only people who may decide get a notice.
  const may = atLeast(useMaybeOrganization()?.role ?? 'viewer', 'member');
  useNotice('approval_needed', counts && (asked && may ? { id: asked.conversation_id, at: asked.created_at } : null));
}

/** `newest`: the newest conversation of this kind, or null. The result is undefined before the first response. */
function useNotice(
  kind: 'handed_over' | 'approval_needed',
  newest: { id: string; at: string } | null | undefined,
): void {
  const say = useTexts(texts);
  const navigate = useNavigate();
  const { notify = false } = usePreferences();
  /**
   * The newest hand-off that this window has read. The value is undefined before the first response, which causes no
   * notification.
   */
  const known = useRef<string>(undefined);
  const { id, at = '' } = newest ?? {};
  useEffect(() => {
    if (newest === undefined) return;
    const before = known.current;
    known.current = before !== undefined && before > at ? before : at;
    if (before === undefined || at <= before || !id || !notify) return;
    if (document.visibilityState === 'visible' && location.pathname.endsWith(id)) return;
    show(id);
    // Each new hand-off is notified once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [newest === undefined, at]);

  function show(conversation_id: string): void {
    try {
      // Several windows show one notification, because the newer notification replaces the older notification.
      const notice = new Notification(say(kind), { body: say(`${kind}_body`), tag: `${kind} ${conversation_id}` });
      notice.addEventListener('click', () => {
        window.focus();
        notice.close();
        void navigate({ to: '/conversations/$conversation_id', params: { conversation_id } });
      });
    } catch {
      // Some phones do not support notifications from pages.
    }
  }
}
