import { Select, Text } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { atLeast, useMay, useOrganization, useSession } from '../../session/session.ts';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { inboxTexts } from './inbox-texts.ts';
import { READ_AGAIN } from './search.ts';

const NONE = 'none';

type Props = { item: ConversationSummary; field?: Ref<HTMLInputElement> };

/** Shows the assignee of a conversation, whom members can change. */
export function AssigneeField({ item: { id, assignee_id }, field }: Props): ReactNode {
  const say = useTexts(inboxTexts);
  const org_id = useOrganization().id;
  const me = useSession().user.id;
  const may = useMay('member');
  const nameOf = useMemberNames();
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: 30_000 });
  const assign = useAct('assignConversation', { refresh: READ_AGAIN });
  const problem = useProblemText(assign.error);
  const name = assignee_id === null ? say('assigned_none') : (nameOf(assignee_id) ?? say('assigned_gone'));
  const able = (members.data?.data ?? []).filter(({ role }) => atLeast(role, 'member'));
  const data = able.map(({ user_id, name: own, away }) => ({
    value: user_id,
    label: user_id === me ? say('assigned_me', { name: own }) : away ? say('assigned_away', { name: own }) : own,
  }));
  const give = (user_id: string | null): void =>
    assign.mutate({ params: { org_id, conversation_id: id }, body: { user_id } });
  useShortcuts(
    may
      ? [
          ...data.map(({ value, label }) => ({ label: say('assign_to', { name: label }), act: () => give(value) })),
          { label: say('assign_none'), act: () => give(null) },
        ]
      : [],
  );
  if (!may)
    return (
      <Text size="sm" dir="auto">
        {name}
      </Text>
    );
  if (assignee_id !== null && !data.some(({ value }) => value === assignee_id))
    data.push({ value: assignee_id, label: name });
  return (
    <Select
      ref={field}
      size="xs"
      searchable
      // After the change, the field gets the focus again, and its list would open over the panel.
      openOnFocus={false}
      aria-label={say('assigned_to')}
      nothingFoundMessage={say('no_such_member')}
      value={assignee_id ?? NONE}
      data={[{ value: NONE, label: say('assigned_none') }, ...data]}
      disabled={assign.isPending}
      error={assign.error && (problem.detail || problem.title)}
      allowDeselect={false}
      onChange={(chosen) => give(chosen === NONE ? null : chosen)}
    />
  );
}
