import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { words as agentWords } from '../agents/agent-select-words.ts';
import { AgentSelect } from '../agents/agent-select.tsx';
import { useOnlyAgent } from '../agents/use-only-agent.ts';
import { useShownOnceGuard, type ShownOnceGuard } from '../settings/integrations/api-keys/create/shown-once.tsx';
import { type ChannelKind, KINDS } from './kinds.ts';
import { words } from './words.ts';
import classes from './channels.module.css';

type Props = { opened: boolean; agentId: string | null; onClose: () => void };

/** The form, and for a kind with a secret a second step that shows it once: kept nowhere after the dialog closes. */
export function ConnectDialog({ opened, agentId, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const navigate = useNavigate();
  const only = useOnlyAgent();
  const [made, setMade] = useState<ConnectedChannel | null>(null);
  const toChannel = (id: string): void =>
    void navigate({ to: '/channels/$channel_id', params: { channel_id: id }, ignoreBlocker: true });
  const guard = useShownOnceGuard(made !== null, () => {
    const id = made!.id;
    setMade(null);
    toChannel(id);
  });
  return (
    <Modal
      opened={opened || made !== null}
      onClose={made ? guard.ask : onClose}
      closeOnClickOutside={made !== null}
      title={say(made ? 'secret_title' : 'connect')}
      size="lg"
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      {made?.secret ? (
        <Secret secret={made.secret} guard={guard} />
      ) : (
        <Form
          key={only}
          agentId={agentId ?? only}
          onClose={onClose}
          onMade={(channel) => (channel.secret ? setMade(channel) : toChannel(channel.id))}
        />
      )}
    </Modal>
  );
}

type FormProps = { agentId: string | null; onClose: () => void; onMade: (made: ConnectedChannel) => void };

function Form({ agentId, onClose, onMade }: FormProps): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const [kind, setKind] = useState<ChannelKind>('webhook');
  const connect = useAct('connectChannel', { refresh: ['listChannels', 'readOverview'] });
  const form = useCheckedForm({ agent_id: agentId ?? '', name: '', url: '' }, () => ({
    agent_id: (value) => (value === '' ? sayAgent('agent_missing') : null),
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
    url: (value) => (kind === 'webhook' && value.trim() === '' ? say('url_missing') : null),
  }));
  const agent = form.getInputProps('agent_id');
  const submit = form.submit(({ agent_id, name, url }) =>
    connect.mutate(
      {
        params: { org_id },
        body: { agent_id, kind, name: name.trim(), settings: kind === 'webhook' ? { url: url.trim() } : {} },
      },
      {
        onSuccess: (made) => onMade(made),
        onError: (problem) => {
          form.place(problem);
          const ofUrl = problem.faults.find(({ pointer }) => pointer === '/settings/url');
          if (ofUrl) {
            form.setFieldError('url', ofUrl.detail);
            form.focus('url');
          }
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Radio.Group label={say('kind')} value={kind} onChange={(value) => setKind(value)}>
          <div className={classes.kinds}>
            {KINDS.map((value) => (
              <Radio.Card key={value} value={value} className={classes.kind} aria-label={say(`kind_${value}`)}>
                <Radio.Indicator />
                <span>
                  <b>{say(`kind_${value}`)}</b>
                  <span>{say(`kind_${value}_hint`)}</span>
                </span>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
        <TextInput
          label={say('name')}
          description={say('name_example')}
          withAsterisk
          maxLength={MAX_LABEL_CHARACTERS}
          dir="auto"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <AgentSelect
          label={sayAgent('agent')}
          withAsterisk
          id={agent.id}
          value={agent.value || null}
          error={agent.error}
          onChange={(id) => form.setFieldValue('agent_id', id ?? '')}
        />
        {kind === 'webhook' && (
          <TextInput
            label={say('url')}
            description={say('url_hint')}
            withAsterisk
            type="url"
            placeholder="https://"
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('url')}
          />
        )}
        {connect.error && connect.error.faults.length === 0 && <ProblemAlert problem={connect.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={connect.isPending}>
            {say('connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Secret({ secret, guard }: { secret: string; guard: ShownOnceGuard }): ReactNode {
  const say = useWords(words);
  if (guard.asking)
    return (
      <Stack role="alertdialog" aria-label={say('not_saved')}>
        <Text fw={600}>{say('not_saved')}</Text>
        <Text size="sm">{say('not_saved_words')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={guard.leave}>
            {say('close_anyway')}
          </Button>
          <Button onClick={guard.stay} autoFocus>
            {say('keep_open')}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('secret_words')}
      </Alert>
      <div className={classes.secret} data-copy-scope>
        <TextInput
          label={say('secret')}
          value={secret}
          readOnly
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          onFocus={(event) => event.currentTarget.select()}
          data-copy-source
          data-autofocus
        />
        <CopyButton text={secret} full variant="filled" label={say('copy_secret')} />
      </div>
      <Group justify="flex-end">
        <Button onClick={guard.leave}>{say('saved_secret')}</Button>
      </Group>
    </Stack>
  );
}
