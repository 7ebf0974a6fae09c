import { Button, Stack, Text } from '@mantine/core';
import { IconTemplate } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Until } from '../../parts/moment.tsx';
import { NO_TEMPLATE, TemplateFields } from '../../parts/template-fields.tsx';
import { useOrganization } from '../../session/session.ts';
import { READ_AGAIN } from './search.ts';
import { templateReplyTexts } from './template-reply-texts.ts';
import classes from './conversations.module.css';

/**
 * Shows the end of the time for free text, on channels that limit it to some hours after the person wrote, and the form
 * for a template.
 */
export function TemplateReply({ item }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(templateReplyTexts);
  const [opened, setOpened] = useState(false);
  if (item.reply_window === null) return null;
  const { until } = item.reply_window;
  const isOpen = until !== null && Date.parse(until) > Date.now();
  return (
    <div className={classes.window}>
      <Text size="xs" c={isOpen ? 'dimmed' : undefined} role="status">
        {isOpen ? say.rich('open', { when: <Until at={until} /> }) : say('closed')}
      </Text>
      <Button
        size="compact-xs"
        variant={isOpen ? 'subtle' : 'default'}
        color="gray"
        leftSection={<IconTemplate size={14} />}
        onClick={() => setOpened(true)}
      >
        {say('choose')}
      </Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={say('title')}>
        <TemplateForm item={item} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}

function TemplateForm({ item, onClose }: { item: ConversationRecord; onClose: () => void }): ReactNode {
  const say = useTexts(templateReplyTexts);
  const org_id = useOrganization().id;
  const [template, setTemplate] = useState(NO_TEMPLATE);
  const [isMissing, setMissing] = useState(false);
  const reply = useAct('replyInConversation', { refresh: READ_AGAIN });
  const { name, language, variables, text } = template;
  const isWhole = name.trim() !== '' && Object.values(variables).every((value) => value.trim() !== '');
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(!isWhole);
        if (!isWhole) return;
        const params = { org_id, conversation_id: item.id };
        const body = { template: { name: name.trim(), language: language.trim(), variables, text } };
        reply.mutate({ params, query: { after: item.messages.at(-1)?.id }, body }, { onSuccess: onClose });
      }}
      act={say('send')}
      busy={reply.isPending}
      problem={reply.error}
      onCancel={onClose}
    >
      <Stack gap="sm">
        <TemplateFields
          channelId={item.channel_id}
          label={say('template')}
          value={template}
          onChange={(next) => {
            setMissing(false);
            setTemplate(next);
          }}
        />
        {isMissing && (
          <Text size="sm" c="red" role="alert">
            {say('missing')}
          </Text>
        )}
      </Stack>
    </DialogForm>
  );
}
