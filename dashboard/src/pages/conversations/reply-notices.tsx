import { Alert, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { PresentMember } from '../../../../contract/dashboard/conversations.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { answerTexts } from './answer-texts.ts';
import { usePresentNames } from './presence.tsx';
import { HOLD_MS } from './use-delayed-reply.ts';
import classes from './reply-field.module.css';

/** The notice is shown while the reader writes a reply, because another member may send a reply first. */
export function AlsoReplying({ others, own }: { others: readonly PresentMember[]; own: string }): ReactNode {
  const say = useTexts(answerTexts);
  const typing = others.filter((one) => one.typing);
  const names = usePresentNames(typing);
  if (names.length === 0) return null;
  return (
    <Alert color="yellow" role="alert" p="xs">
      <Text size="sm">{say('also_replying', { count: names.length, names: list(say.language, names) })}</Text>
      <div className={classes.drafts} aria-live="off">
        {typing.map(
          ({ user_id, draft }, index) =>
            draft && (
              <Draft key={user_id} name={say.rich('draft_of', { name: <bdi>{names[index]}</bdi> })} text={draft} />
            ),
        )}
        {typing.some(({ draft }) => draft) && own !== '' && <Draft name={say('draft_own')} text={own} />}
      </div>
    </Alert>
  );
}

function Draft({ name, text }: { name: ReactNode; text: string }): ReactNode {
  return (
    <div>
      <Text size="xs" fw={600}>
        {name}
      </Text>
      <p dir="auto">{text}</p>
    </div>
  );
}

/** Shows the waiting reply, with Undo. */
export function HeldReply({ text, onUndo }: { text: string | null; onUndo: () => void }): ReactNode {
  const say = useTexts(answerTexts);
  const notice = text === null ? '' : say('held', { seconds: HOLD_MS / 1_000 });
  return (
    <>
      {/* The region is always in the page, so that a screen reader observes it before a reply waits. */}
      <VisuallyHidden role="status">{notice}</VisuallyHidden>
      {text !== null && (
        <div className={classes.held}>
          <span aria-hidden="true">{notice}</span>
          <p dir="auto">{text}</p>
          <Button size="compact-sm" variant="default" leftSection={<IconArrowBackUp size={15} />} onClick={onUndo}>
            {say('undo')}
          </Button>
        </div>
      )}
    </>
  );
}

/** Asks for confirmation before text that only members should see is sent. */
export function SendAsIs({ names, onSend }: { names: readonly string[]; onSend: () => void }): ReactNode {
  const say = useTexts(answerTexts);
  return (
    <Alert color="yellow" role="alert" p="xs">
      <Group gap="xs" justify="space-between">
        <Text size="sm">{say.rich('left_in_text', { names: <bdi>{names.join(', ')}</bdi> })}</Text>
        <Button size="compact-sm" variant="default" onClick={onSend}>
          {say('send_as_is')}
        </Button>
      </Group>
    </Alert>
  );
}
