import { Button } from '@mantine/core';
import { IconCheck, IconClock, IconClockPause, IconRobot, IconUser, IconUserOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ChangeConversationsBody } from '../../../../contract/dashboard/conversations.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { SelectionBar } from '../../list/selection-bar.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { atLeast, useOrganization, useSession } from '../../session/session.ts';
import { inboxTexts } from './inbox-texts.ts';
import { READ_AGAIN } from './search.ts';
import { selectionTexts } from './selection-texts.ts';
import { nextTimes, timeTexts } from './snooze-times.ts';
import { snoozeTexts } from './snooze-texts.ts';
import type { Selection } from '../../list/use-selection.ts';
import { texts } from './texts.ts';

type Action = ChangeConversationsBody['action'];
type Props = { selection: Selection; many: number };

/** Shows the actions on all selected conversations. */
export function ConversationActs({ selection, many }: Props): ReactNode {
  const { act, isPending, error } = useChange(selection);
  return (
    <SelectionBar selection={selection} many={many} problem={error && <ProblemAlert problem={error} />}>
      <AssignMenu act={act} busy={isPending} />
      <PutOffMenu act={act} busy={isPending} />
      <Acts act={act} busy={isPending} />
    </SelectionBar>
  );
}

function useChange({ chosen, clear }: Selection) {
  const say = useTexts(selectionTexts);
  const org_id = useOrganization().id;
  const change = useAct('changeConversations', { refresh: READ_AGAIN });
  const act = (action: Action): void =>
    change.mutate(
      { params: { org_id }, body: { ids: [...chosen], action } },
      {
        onSuccess: ({ results }) => {
          const refused = results.filter(({ done }) => !done).length;
          const done = say('done', { count: results.length - refused });
          notifyDone(refused === 0 ? done : `${done} ${say('refused', { count: refused })}`);
          clear();
          // The pressed button has disappeared, so the focus moves to the first row.
          document.querySelector<HTMLElement>('[data-row]')?.focus();
        },
      },
    );
  return { act, isPending: change.isPending, error: change.error };
}

type ActProps = { act: (action: Action) => void; busy: boolean };

function AssignMenu({ act, busy }: ActProps): ReactNode {
  const say = useTexts(selectionTexts);
  const sayInbox = useTexts(inboxTexts);
  const org_id = useOrganization().id;
  const me = useSession().user.id;
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: 30_000 });
  const able = (members.data?.data ?? []).filter(({ role }) => atLeast(role, 'member'));
  return (
    <Menu
      label={say('assign')}
      button={(opener) => (
        <Button {...opener} size="compact-sm" variant="default" leftSection={<IconUser size={15} />} disabled={busy}>
          {say('assign')}
        </Button>
      )}
    >
      {able.map(({ user_id, name, away }) => (
        <MenuItem key={user_id} icon={<IconUser size={16} />} onClick={() => act({ type: 'assign', user_id })}>
          <bdi>
            {user_id === me ? sayInbox('assigned_me', { name }) : away ? sayInbox('assigned_away', { name }) : name}
          </bdi>
        </MenuItem>
      ))}
      <MenuItem icon={<IconUserOff size={16} />} onClick={() => act({ type: 'assign', user_id: null })}>
        {sayInbox('assigned_none')}
      </MenuItem>
    </Menu>
  );
}

function PutOffMenu({ act, busy }: ActProps): ReactNode {
  const say = useTexts(snoozeTexts);
  return (
    <Menu
      label={say('snooze')}
      button={(opener) => (
        <Button
          {...opener}
          size="compact-sm"
          variant="default"
          leftSection={<IconClockPause size={15} />}
          disabled={busy}
        >
          {say('snooze')}
        </Button>
      )}
    >
      {nextTimes(new Date()).map(({ name, at }) => (
        <MenuItem
          key={name}
          icon={<IconClock size={16} />}
          onClick={() => act({ type: 'snooze', until: at.toISOString() })}
        >
          {say('choice', { name: say(name), time: timeTexts(say.language, at) })}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Acts({ act, busy }: ActProps): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconRobot size={15} />}
        disabled={busy}
        onClick={() => act({ type: 'hand_back' })}
      >
        {say('hand_back')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconCheck size={15} />}
        disabled={busy}
        onClick={() => act({ type: 'resolve' })}
      >
        {say('resolve')}
      </Button>
    </>
  );
}
