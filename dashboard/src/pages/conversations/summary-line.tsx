import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { call } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { helpTexts } from './help-texts.ts';
import { useHelp } from './use-help.ts';
import classes from './help.module.css';

/**
 * Shows the summary of a conversation that the team answers. The first member who opens the conversation causes the
 * call of the model.
 */
export function SummaryLine({ item: { id, status } }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(helpTexts);
  const org_id = useOrganization().id;
  const { language } = say;
  const enabled = useHelp(id).summary && status === 'handed_off';
  const read = useQuery({
    queryKey: ['summarizeConversation', org_id, id],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) =>
      call('summarizeConversation', { params: { org_id, conversation_id: id }, query: { language }, signal }),
  });
  if (!enabled) return null;
  return (
    <section className={classes.summary} aria-label={say('summary')} aria-busy={read.isPending}>
      {read.isPending ? (
        <Text size="sm" c="dimmed">
          {say('summarizing')}
        </Text>
      ) : read.data ? (
        <details open>
          <summary>{say('summary')}</summary>
          <p dir="auto">{read.data.text}</p>
          <Text size="xs" c="dimmed">
            {say.rich('by_model', { model: <bdi>{read.data.model}</bdi> })}
          </Text>
        </details>
      ) : (
        <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />
      )}
    </section>
  );
}
