import { Fieldset, Select, Stack, Switch, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_CONVERSATION_TAGS, type ReplyActions } from '../../../../../contract/dashboard/conversations.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { atLeast, useOrganization } from '../../../session/session.ts';
import { savedReplyTexts } from './texts.ts';

type Props = { actions: ReplyActions; setActions: (next: ReplyActions) => void };

/** The fields set the actions on the conversation when the reply is sent. */
export function ActionFields({ actions, setActions }: Props): ReactNode {
  const say = useTexts(savedReplyTexts);
  const org_id = useOrganization().id;
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: 30_000 }).data?.data ?? [];
  const { add_tags, assign_to, resolve } = actions;
  const data = [
    { value: '', label: say('assign_nobody') },
    { value: 'me', label: say('assign_sender') },
    ...members
      .filter(({ role }) => atLeast(role, 'member'))
      .map(({ user_id, name }) => ({ value: user_id, label: name })),
  ];
  const set = (change: { [K in keyof ReplyActions]?: ReplyActions[K] | undefined }): void => {
    const next = { ...actions, ...change };
    setActions(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)));
  };
  return (
    <Fieldset legend={say('actions')} variant="default">
      <Stack gap="sm">
        <TagsInput
          label={say('add_tags')}
          dir="auto"
          splitChars={[',', '،']}
          maxTags={MAX_CONVERSATION_TAGS}
          maxLength={64}
          value={[...(add_tags ?? [])]}
          onChange={(tags) => set({ add_tags: tags.length > 0 ? tags : undefined })}
        />
        <Select
          label={say('assign_to')}
          data={data}
          value={assign_to ?? ''}
          allowDeselect={false}
          searchable
          onChange={(to) => set({ assign_to: to || undefined })}
        />
        <Switch
          label={say('resolve')}
          checked={resolve === true}
          onChange={({ currentTarget: { checked } }) => set({ resolve: checked || undefined })}
        />
      </Stack>
    </Fieldset>
  );
}
