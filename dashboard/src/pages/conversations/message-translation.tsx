import { Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConversationMessage } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { helpTexts } from './help-texts.ts';
import { useHelp } from './use-help.ts';
import classes from './help.module.css';

type Props = { message: ConversationMessage; conversationId: string };

/** Translates a message of the person into the language of the reader. */
export function MessageTranslation({ message: { role, content }, conversationId }: Props): ReactNode {
  const say = useTexts(helpTexts);
  const org_id = useOrganization().id;
  const { translation } = useHelp(conversationId);
  const act = useAct('translateText', { refresh: [] });
  const problem = useProblemText(act.error);
  const text = 'text' in content ? content.text : undefined;
  if (!translation || role !== 'end_user' || !text) return null;
  const params = { org_id, conversation_id: conversationId };
  return (
    <>
      {act.data && (
        <p dir="auto" lang={say.language} className={classes.translation}>
          {act.data.text}
        </p>
      )}
      {act.error && (
        <Text size="xs" c="red" role="alert">
          {problem.detail || problem.title}
        </Text>
      )}
      <UnstyledButton
        className={classes.link}
        disabled={act.isPending}
        onClick={() => (act.data ? act.reset() : act.mutate({ params, body: { text, to: say.language } }))}
      >
        {say(act.data ? 'original' : 'translate')}
      </UnstyledButton>
    </>
  );
}
