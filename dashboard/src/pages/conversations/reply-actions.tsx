import { ActionIcon, Group, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useActionTexts } from '../../parts/conversations/action-texts.ts';
import { useDraftText } from '../../parts/use-draft-text.ts';
import { answerTexts } from './answer-texts.ts';
import classes from './reply-field.module.css';

/** Holds the actions of the chosen saved reply. The actions are stored with the unfinished text. */
export function useReplyActions(conversationId: string) {
  const [stored, keep] = useDraftText(`parley.reply-actions.${conversationId}`);
  const current: ReplyActions | null = stored === '' ? null : (JSON.parse(stored) as ReplyActions);
  const set = (next: ReplyActions | null): void =>
    keep(next === null || Object.keys(next).length === 0 ? '' : JSON.stringify(next));
  return { current, set };
}

type Props = { actions: ReplyActions | null; onRemove: () => void };

/** Shows the actions that happen when the reply is sent. */
export function ReplyActionsLine({ actions, onRemove }: Props): ReactNode {
  const say = useTexts(answerTexts);
  const texts = useActionTexts(actions ?? {});
  if (actions === null) return null;
  return (
    <Group gap={6} wrap="nowrap" className={classes.actions}>
      <Text size="xs" dir="auto">
        {say('on_send', { actions: list(say.language, texts) })}
      </Text>
      <ActionIcon size={24} variant="subtle" color="gray" aria-label={say('on_send_remove')} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </Group>
  );
}
