import { TagsInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import {
  type ConversationRecord,
  type ConversationSummary,
  MAX_CONVERSATION_TAGS,
} from '../../../../contract/dashboard/conversations.ts';
import { call, type Problem } from '../../api/client.ts';
import { refetch } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { mergeList } from '../../parts/merge-list.ts';
import { Fact } from '../../parts/fact.tsx';
import { Tags } from '../../parts/tags.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { READ_AGAIN } from './search.ts';
import { texts } from './texts.ts';
import classes from './person-panel.module.css';

/** Shows the tags of a conversation, from the agent or from members, which members edit in place. */
export function TagsField({ item: { id, tags } }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(texts);
  const params = { org_id: useOrganization().id, conversation_id: id };
  const may = useMay('member');
  // The sent tags are shown until the conversation is read again.
  const [sent, setSent] = useState<{ before: string; tags: string[] } | null>(null);
  const client = useQueryClient();
  const set = useMutation<ConversationSummary, Problem, (newest: readonly string[]) => string[]>({
    // A change starts after the previous one has ended, so that it applies to its result.
    scope: { id: `tags ${id}` },
    mutationFn: async (change) => {
      const newest = await call('readConversation', { params });
      return call('setConversationTags', { params, body: { tags: change(newest.tags) } });
    },
    onSuccess: () => refetch(client, READ_AGAIN),
  });
  const problem = useProblemText(set.error);
  if (!may) {
    return (
      tags.length > 0 && (
        <Fact label={say('tags')}>
          <Tags of={tags} />
        </Fact>
      )
    );
  }
  const isNewer = sent !== null && (set.isPending || sent.before === JSON.stringify(tags));
  const shown = isNewer ? sent.tags : tags;
  return (
    <Fact label={say('tags')}>
      <TagsInput
        aria-label={say('tags')}
        placeholder={shown.length === 0 ? say('tag_add') : ''}
        size="xs"
        w="100%"
        miw={0}
        dir="auto"
        splitChars={[',', '،']}
        classNames={{ input: classes.tags }}
        maxTags={MAX_CONVERSATION_TAGS}
        maxLength={64}
        value={[...shown]}
        error={set.error && (problem.detail || problem.title)}
        onChange={(next) => {
          setSent({ before: JSON.stringify(tags), tags: next });
          set.mutate((newest) => mergeList(newest, shown, next), { onError: () => setSent(null) });
        }}
      />
    </Fact>
  );
}
