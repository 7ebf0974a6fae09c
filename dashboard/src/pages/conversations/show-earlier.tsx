import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationMessage } from '../../../../contract/dashboard/conversations.ts';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { showEarlierTexts } from './show-earlier-texts.ts';

/** One click loads this number of pages. */
const PAGES = 2;
/** A screen reader would read inserted messages aloud, and processes an insertion some time later. */
const QUIET_MS = 1_000;

export type Earlier = { messages: ConversationMessage[]; before: string; isAll: boolean };

type Props = {
  conversation_id: string;
  /** The first shown message. */
  before: string;
  log: RefObject<HTMLDivElement | null>;
  isAll: boolean;
  onLoad: (earlier: Earlier) => void;
};

/** The button stands above the messages. The message that was the first one stays at its place on the screen. */
export function ShowEarlier({ conversation_id, before, log, isAll, onLoad }: Props): ReactNode {
  const say = useTexts(showEarlierTexts);
  const params = { org_id: useOrganization().id, conversation_id };
  const read = useAct('listMessages', { refresh: [] });
  const button = useRef<HTMLButtonElement>(null);
  const [many, setMany] = useState(0);
  const [isBusy, setBusy] = useState(false);

  const load = async (): Promise<void> => {
    const messages: ConversationMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page++) {
      const query = { before, limit: MAX_PAGE, cursor };
      const { data, next_cursor } = await read.mutateAsync({ params, query });
      messages.unshift(...data.toReversed());
      cursor = next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    insert({ messages, before, isAll: cursor === undefined });
  };

  const insert = (earlier: Earlier): void => {
    const box = log.current;
    const first = box?.querySelector<HTMLElement>(`[data-message="${before}"]`);
    if (!box || !first) return;
    const isFocused = button.current === document.activeElement;
    const place = first.getBoundingClientRect().top;
    box.ariaLive = 'off';
    setTimeout(() => (box.ariaLive = null), QUIET_MS);
    flushSync(() => {
      onLoad(earlier);
      setMany(earlier.messages.length);
    });
    box.scrollTop += first.getBoundingClientRect().top - place;
    if (!isFocused) return;
    // The button is now far above, or no longer on the page. Reading continues at the same message.
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  };

  const onClick = (): void => {
    if (isBusy) return;
    setBusy(true);
    // The page shows the error of the read.
    load().then(
      () => setBusy(false),
      () => setBusy(false),
    );
  };

  return (
    <>
      <VisuallyHidden role="status">{many > 0 && say('shown', { many: number(say.language, many) })}</VisuallyHidden>
      {!isAll && (
        <Button
          ref={button}
          size="xs"
          variant="default"
          style={{ alignSelf: 'center', flexShrink: 0 }}
          leftSection={<IconArrowUp size={14} />}
          aria-disabled={isBusy || undefined}
          onClick={onClick}
        >
          {say('show')}
        </Button>
      )}
      {read.error && <ProblemAlert problem={read.error} />}
    </>
  );
}
