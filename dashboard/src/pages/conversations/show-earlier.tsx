import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { MAX_SHOWN_MESSAGES } from '../../../../contract/limits.ts';
import { Problem } from '../../api/client.ts';
import { readOptions } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { showEarlierTexts } from './show-earlier-texts.ts';
import classes from './conversations.module.css';

/** A screen reader would read inserted messages aloud, and processes an insertion some time later. */
const QUIET_MS = 1_000;

type Props = {
  item: ConversationRecord;
  log: RefObject<HTMLDivElement | null>;
  /** Shows the conversation with the messages before this message. */
  onEarlier: (before: string) => void;
};

/** The button stands above the messages. The message that was the first one stays at its place on the screen. */
export function ShowEarlier({ item, log, onEarlier }: Props): ReactNode {
  const say = useTexts(showEarlierTexts);
  const params = { org_id: useOrganization().id, conversation_id: item.id };
  const client = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  const [many, setMany] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const before = item.messages[0]?.id ?? '';
  const isFull = item.messages.length >= MAX_SHOWN_MESSAGES;

  const show = (messages: ConversationRecord['messages']): void => {
    const box = log.current;
    const first = box?.querySelector<HTMLElement>(`[data-message="${before}"]`);
    if (!box || !first) return;
    const isFocused = button.current === document.activeElement;
    const place = first.getBoundingClientRect().top;
    box.ariaLive = 'off';
    setTimeout(() => (box.ariaLive = null), QUIET_MS);
    flushSync(() => {
      onEarlier(before);
      setMany(messages.findIndex(({ id }) => id === before));
    });
    box.scrollTop += first.getBoundingClientRect().top - place;
    if (!isFocused) return;
    // The button is now far above, or no longer on the page. Reading continues at the same message.
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  };

  const load = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      // The page then renders the stored answer immediately, and reads it again after every change.
      show((await client.fetchQuery(readOptions('readConversation', { params, query: { before } }))).messages);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <VisuallyHidden role="status">{many > 0 && say('shown', { many: number(say.language, many) })}</VisuallyHidden>
      {isFull && item.has_earlier_messages && (
        <p className={classes.note}>{say('most', { many: number(say.language, MAX_SHOWN_MESSAGES) })}</p>
      )}
      {!isFull && item.has_earlier_messages && (
        <Button
          ref={button}
          size="xs"
          variant="default"
          style={{ alignSelf: 'center', flexShrink: 0 }}
          leftSection={<IconArrowUp size={14} />}
          aria-disabled={isBusy || undefined}
          onClick={() => void (isBusy || load())}
        >
          {say('show')}
        </Button>
      )}
      {problem && <ProblemAlert problem={problem} />}
    </>
  );
}
