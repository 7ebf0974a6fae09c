import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useWords } from '../language/words.tsx';
import { usePreferences } from '../preferences.ts';
import { useWaitingConversations } from '../session/waiting-conversations.ts';
import { words } from './words.ts';

/** A desktop notification for a new hand-off. The user must have enabled it, and it contains no name. */
export function useHandOffNotice(): void {
  const say = useWords(words);
  const navigate = useNavigate();
  const { notify = false } = usePreferences();
  const counts = useWaitingConversations().data;
  /**
   * The newest hand-off that this window knows. It is undefined before the first response, which causes no
   * notification.
   */
  const known = useRef<string>(undefined);
  const { id, handed_off_at: at = '' } = counts?.newest ?? {};
  useEffect(() => {
    if (!counts) return;
    const before = known.current;
    known.current = before !== undefined && before > at ? before : at;
    if (before === undefined || at <= before || !id || !notify) return;
    if (document.visibilityState === 'visible' && location.pathname.endsWith(id)) return;
    show(id);
    // Each new hand-off is notified once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [counts === undefined, at]);

  function show(conversation_id: string): void {
    try {
      // Several windows show one notification, because the newer replaces the older.
      const notice = new Notification(say('handed_over'), { body: say('handed_over_body'), tag: conversation_id });
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
