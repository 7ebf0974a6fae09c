import { Button, TextInput } from '@mantine/core';
import { IconTag, IconTagOff } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { EndUserRecord, TagEndUsersBody } from '../../../../contract/dashboard/end-users.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { tagTexts } from './tag-texts.ts';

/**
 * Adds or removes one tag for all selected people. The people stay selected, so that the member can add a second tag.
 */
export function TagActs({ chosen }: { chosen: readonly EndUserRecord[] }): ReactNode {
  const say = useTexts(tagTexts);
  const org_id = useOrganization().id;
  const [typed, setTyped] = useState('');
  const change = useAct('tagEndUsers', { refresh: ['listEndUsers'] });
  const tag = typed.trim();
  const act = (action: TagEndUsersBody['action']): void =>
    change.mutate(
      { params: { org_id }, body: { ids: chosen.map(({ id }) => id), action, tag } },
      {
        onSuccess: ({ changed, full }) => {
          const done = say('done', { count: changed });
          notifyDone(full === 0 ? done : `${done} ${say('full', { count: full })}`);
        },
      },
    );
  const button = { size: 'compact-sm', variant: 'default', disabled: tag === '' || change.isPending } as const;
  return (
    <>
      <TextInput
        size="xs"
        w={160}
        maxLength={64}
        dir="auto"
        aria-label={say('tag')}
        placeholder={say('tag')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button {...button} leftSection={<IconTag size={15} />} onClick={() => act('add')}>
        {say('add')}
      </Button>
      <Button {...button} leftSection={<IconTagOff size={15} />} onClick={() => act('remove')}>
        {say('remove')}
      </Button>
      {change.error && <ProblemAlert problem={change.error} />}
    </>
  );
}
