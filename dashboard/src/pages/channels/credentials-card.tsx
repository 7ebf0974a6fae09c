import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import type { ChannelField, ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { ChannelRecord, ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useChangeSettings } from '../../parts/channels/use-change-settings.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { useShownOnceGuard } from '../../parts/shown-once.tsx';
import { ChannelProblem } from './channel-parts.tsx';
import { SecretOnce } from './secret-once.tsx';
import { placeSettings, SettingsFields } from './settings-fields.tsx';
import {
  isMoved,
  isUnused,
  mergeValues,
  type SettingsValues,
  shownFields,
  toSettings,
  toValues,
  valueName,
} from './settings-values.ts';
import { texts } from './texts.ts';
import classes from './channels.module.css';

/** The kinds whose generated secret must be entered at the provider. */
const WITH_SECRET: readonly ChannelKindName[] = ['webhook', 'email', 'whatsapp', 'web_chat'];
type Props = { item: ChannelRecord; kind: ChannelKindName };

/** The card changes settings and credentials, which the provider must accept, or creates a new secret. */
export function CredentialsCard({ item, kind }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const update = useChangeSettings({ org_id, channel_id: item.id });
  const sayCommon = useTexts(common);
  // A web chat has no provider and no credentials.
  const isChat = kind === 'web_chat';
  const fields = shownFields(kind);
  const stored = toValues(kind, item.settings);
  const isMissing = (field: ChannelField, values: SettingsValues): boolean =>
    values[valueName(field.name)]?.trim() === '' &&
    (field.secret ? isMoved(kind, values, stored) && !isUnused(field, values) : field.required);
  const form = useCheckedForm(stored, () =>
    Object.fromEntries(
      fields.map((field) => [
        valueName(field.name),
        (_: string, values: SettingsValues) => (isMissing(field, values) ? say('missing') : null),
      ]),
    ),
  );
  // An untouched field follows the stored value.
  const started = useRef(stored);
  const base = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, form.values[name] === value ? value : started.current[name]!]),
  );
  started.current = base;
  if (fields.length === 0) return null;
  const unused = (values: SettingsValues): Record<string, null> =>
    Object.fromEntries(fields.filter((field) => isUnused(field, values)).map(({ name }) => [name, null]));
  const submit = form.submit((values) =>
    update.mutate(
      (settings) => {
        const merged = mergeValues(kind, { base, typed: values, newest: toValues(kind, settings) });
        return { ...unused(merged), ...toSettings(kind, merged, settings) };
      },
      {
        onSuccess: () => {
          started.current = values;
          form.settled(values);
          notifyDone(say(isChat ? 'saved' : 'credentials_saved'));
        },
        onError: (problem) => placeSettings(form, problem.faults),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate className={classes.section}>
      <Card
        title={say(isChat ? 'chat_settings' : 'credentials')}
        description={say(isChat ? 'chat_settings_hint' : 'credentials_hint')}
        footer={
          <Group gap="xs">
            {WITH_SECRET.includes(kind) && <NewSecret item={item} isChat={isChat} />}
            <Button type="submit" loading={update.isPending}>
              {isChat ? sayCommon('save') : say('save_credentials')}
            </Button>
          </Group>
        }
      >
        <Stack gap="lg">
          <SettingsFields kind={kind} form={form} stored moved={isMoved(kind, form.values, stored)} />
          <ChannelProblem problem={update.error} />
        </Stack>
      </Card>
    </form>
  );
}

function NewSecret({ item, isChat }: { item: ChannelRecord; isChat: boolean }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<ConnectedChannel | null>(null);
  const renew = useAct('updateChannel', { refresh: ['readChannel'] });
  const guard = useShownOnceGuard(made !== null, () => setMade(null));
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {say('new_secret')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('new_secret')}
        act={say('new_secret')}
        busy={renew.isPending}
        problem={renew.error}
        onAct={() =>
          renew.mutate(
            { params: { org_id, channel_id: item.id }, body: { new_secret: true } },
            {
              onSuccess: (channel) => {
                setOpened(false);
                setMade(channel);
                renew.reset();
              },
            },
          )
        }
      >
        <Text size="sm">{say(isChat ? 'chat_secret_hint' : 'new_secret_hint')}</Text>
      </ConfirmDialog>
      <Dialog opened={made !== null} onClose={guard.ask} title={say('new_secret')} size="lg">
        {made && <SecretOnce made={made} guard={guard} />}
      </Dialog>
    </>
  );
}
