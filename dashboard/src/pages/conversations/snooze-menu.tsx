import { Button } from '@mantine/core';
import { IconCalendar, IconClock, IconClockPause, IconClockPlay } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { useOrganization } from '../../session/session.ts';
import { useOpenNext } from './open-next.tsx';
import { READ_AGAIN } from './search.ts';
import { nextTimes, timeTexts } from './snooze-times.ts';
import { snoozeTexts } from './snooze-texts.ts';

/** Snoozes a conversation that members answer, or ends the snooze. */
export function SnoozeMenu({ item }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(snoozeTexts);
  const button = useRef<HTMLButtonElement>(null);
  const [choosing, setChoosing] = useState(false);
  const snooze = useSnooze(item.id);
  useShortcuts([
    { key: 's', label: say('key'), act: () => button.current?.click() },
    ...nextTimes(new Date()).map(({ name, at }) => ({
      label: say('command', { name: say(name), time: timeTexts(say.language, at) }),
      act: () => snooze.until(at.toISOString()),
    })),
  ]);
  if (item.snoozed_until !== null)
    return (
      <Button
        ref={button}
        size="xs"
        variant="default"
        leftSection={<IconClockPlay size={15} />}
        loading={snooze.isPending}
        onClick={() => snooze.until(null)}
      >
        {say('end')}
      </Button>
    );
  return (
    <>
      <Menu
        label={say('snooze')}
        button={(opener) => (
          <Button
            {...opener}
            ref={button}
            size="xs"
            variant="default"
            leftSection={<IconClockPause size={15} />}
            loading={snooze.isPending}
          >
            {say('snooze')}
          </Button>
        )}
      >
        {nextTimes(new Date()).map(({ name, at }) => (
          <MenuItem key={name} icon={<IconClock size={16} />} onClick={() => snooze.until(at.toISOString())}>
            {say('choice', { name: say(name), time: timeTexts(say.language, at) })}
          </MenuItem>
        ))}
        <MenuItem icon={<IconCalendar size={16} />} onClick={() => setChoosing(true)}>
          {say('choose')}
        </MenuItem>
      </Menu>
      <Choosing opened={choosing} onClose={() => setChoosing(false)} snooze={snooze} />
      {snooze.error && !choosing && <ProblemAlert problem={snooze.error} />}
    </>
  );
}

function useSnooze(conversation_id: string) {
  const say = useTexts(snoozeTexts);
  const org_id = useOrganization().id;
  const act = useAct('snoozeConversation', { refresh: READ_AGAIN });
  const openNext = useOpenNext();
  const until = (at: string | null, onDone?: () => void): void => {
    const then = openNext(conversation_id);
    act.mutate(
      { params: { org_id, conversation_id }, body: { until: at } },
      {
        onSuccess: () => {
          onDone?.();
          notifyDone(at === null ? say('ended') : say('snoozed', { time: timeTexts(say.language, new Date(at)) }));
          if (at !== null) then();
        },
      },
    );
  };
  return { until, isPending: act.isPending, error: act.error, reset: act.reset };
}

type ChoosingProps = { opened: boolean; onClose: () => void; snooze: ReturnType<typeof useSnooze> };

function Choosing({ opened, onClose, snooze }: ChoosingProps): ReactNode {
  const say = useTexts(snoozeTexts);
  const form = useCheckedForm({ until: '' }, (required) => ({
    until: (at) => (at === '' ? required('required') : Date.parse(at) <= Date.now() ? say('past') : null),
  }));
  const close = (): void => {
    snooze.reset();
    form.reset();
    onClose();
  };
  const field = form.getInputProps('until');
  return (
    <Dialog opened={opened} onClose={close} title={say('choose')}>
      <DialogForm
        onSubmit={form.submit(({ until }) => snooze.until(until, close))}
        act={say('snooze')}
        busy={snooze.isPending}
        problem={snooze.error}
        onCancel={close}
      >
        <MomentField
          id={field.id}
          label={say('until')}
          error={field.error}
          at={field.value || undefined}
          onChange={(at) => form.setFieldValue('until', at ?? '')}
          data-autofocus
        />
      </DialogForm>
    </Dialog>
  );
}
