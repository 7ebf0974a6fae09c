import { Button, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { EnabledSwitch } from '../../parts/enabled-switch.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { texts } from './texts.ts';
import classes from './channels.module.css';

/** The card has the name of the channel, and the switch that enables it. */
export function SettingsCard({ item }: { item: ChannelRecord }): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const params = { org_id, channel_id: item.id };
  const refresh = ['readChannel', 'listChannels'] as const;
  const update = useAct('updateChannel', { refresh });
  const toggle = useAct('updateChannel', { refresh });
  const form = useCheckedForm({ name: item.name }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
  }));
  const submit = form.submit((values) =>
    update.mutate(
      { params, body: { name: values.name.trim() } },
      {
        onSuccess: () => {
          form.settled(values);
          notifyDone(say('saved'));
        },
        onError: form.place,
      },
    ),
  );
  const problem = form.unplaced(update.error);
  return (
    <form onSubmit={submit} noValidate className={classes.section}>
      <Card
        title={say('settings')}
        footer={
          may && (
            <Button type="submit" disabled={!form.edited} loading={update.isPending}>
              {sayCommon('save')}
            </Button>
          )
        }
      >
        <Stack gap="lg">
          <EnabledSwitch
            say={say}
            enabled={item.enabled}
            toggle={toggle}
            onToggle={(enabled) => toggle.mutateAsync({ params, body: { enabled } })}
          />
          <TextInput
            label={say('name')}
            dir="auto"
            maxLength={MAX_LABEL_CHARACTERS}
            readOnly={!may}
            {...form.getInputProps('name')}
          />
          {problem && <ProblemAlert problem={problem} />}
        </Stack>
      </Card>
    </form>
  );
}
