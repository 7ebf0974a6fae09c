import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import type { Rehearsal, Reply } from './use-rehearsal.ts';
import { texts } from './texts.ts';

const MOST_REPLIES = 20;

/** The scripted replies define who replies, with which text, after which time. */
export function RepliesFields({ rehearsal: { asked, change } }: { rehearsal: Rehearsal }): ReactNode {
  const say = useTexts(texts);
  const { replies } = asked;
  const edit = (key: number, part: Partial<Reply>): void =>
    change({ replies: replies.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const next = Math.max(0, ...replies.map(({ key }) => key)) + 1;
  return (
    <Stack gap="sm" role="group" aria-label={say('replies')}>
      {replies.length > 0 && (
        <Text size="sm" fw={550}>
          {say('replies')}
        </Text>
      )}
      {replies.map((reply) => (
        <Group key={reply.key} align="flex-end" gap="sm" wrap="wrap">
          <TextInput
            label={say('reply_text')}
            flex="2 1 180px"
            dir="auto"
            maxLength={1_000}
            value={reply.text}
            onChange={(event) => edit(reply.key, { text: event.currentTarget.value })}
          />
          <NumberField
            label={say('reply_percent')}
            flex="1 1 90px"
            min={0}
            max={100}
            hideControls
            value={reply.percent}
            onChange={(percent) => edit(reply.key, { percent })}
          />
          <NumberField
            label={say('reply_after')}
            flex="1 1 90px"
            min={0}
            max={43_200}
            hideControls
            value={reply.after}
            onChange={(after) => edit(reply.key, { after })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={say('reply_remove', { text: reply.text })}
            onClick={() => change({ replies: replies.filter(({ key }) => key !== reply.key) })}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      {replies.length < MOST_REPLIES && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => change({ replies: [...replies, { key: next, text: 'stop', percent: 2, after: 10 }] })}
          >
            {say('reply_add')}
          </Button>
        </div>
      )}
    </Stack>
  );
}
