import { ActionIcon, Button, Group, PasswordInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import {
  MAX_TOOL_HEADERS,
  type SetToolCredentialsBody,
  type ToolSecretRecord,
} from '../../../../../contract/dashboard/tools.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { unplaced } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { toolTexts } from './tool-texts.ts';
import classes from '../agents.module.css';

type Props = { opened: boolean; stored: ToolSecretRecord; onClose: () => void };

export function CredentialsDialog({ opened, stored, onClose }: Props): ReactNode {
  const say = useTexts(toolTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('credentials_title')} size={560}>
      <Form stored={stored} onClose={onClose} />
    </Dialog>
  );
}

const KINDS = ['none', 'bearer', 'basic'] as const;
type Kind = (typeof KINDS)[number];

function Form({ stored, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const set = useAct('setToolCredentials', { refresh: ['listToolSecrets'] });
  const [kind, setKind] = useState<Kind>(stored.credentials.authorization ?? 'none');
  const [given, setGiven] = useState({ token: '', username: '', password: '' });
  const [headers, setHeaders] = useState(stored.credentials.headers.map((name) => ({ name, value: '' })));
  const faults = set.error?.faults ?? [];
  const faultAt = (pointer: string): string | null => faults.find((one) => one.pointer === pointer)?.detail ?? null;
  const body: SetToolCredentialsBody = {
    ...(kind === 'bearer' && { bearer: given.token.trim() }),
    ...(kind === 'basic' && { basic: { username: given.username, password: given.password } }),
    ...(headers.length > 0 && { headers: headers.map(({ name, value }) => ({ name, value: value.trim() })) }),
  };
  const type = (name: keyof typeof given) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setGiven((before) => ({ ...before, [name]: value }));
  };
  const params = { org_id, agent_id: stored.agent_id, tool_secret_id: stored.id };
  const onSuccess = (): void => {
    onClose();
    notifyDone(say('stored'));
  };
  return (
    <DialogForm
      act={say('store')}
      busy={set.isPending}
      problem={unplaced(set.error, ({ pointer }) => /^\/(bearer|basic|headers)\//.test(`${pointer}/`))}
      onCancel={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate({ params, body }, { onSuccess });
      }}
    >
      <Text size="sm">{say.rich('credentials_hint', { origin: <bdi className="ltr">{stored.origin}</bdi> })}</Text>
      <SegmentedControl
        aria-label={say('authorization')}
        value={kind}
        onChange={(value) => setKind(value)}
        data={KINDS.map((value) => ({ value, label: say(`auth_${value}`) }))}
      />
      {kind === 'bearer' && (
        <PasswordInput
          label={say('token')}
          withAsterisk
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          value={given.token}
          error={faultAt('/bearer')}
          onChange={type('token')}
        />
      )}
      {kind === 'basic' && (
        <div className={classes.row}>
          <TextInput
            label={say('username')}
            withAsterisk
            autoComplete="off"
            classNames={{ input: 'ltr' }}
            value={given.username}
            error={faultAt('/basic/username') ?? faultAt('/basic')}
            onChange={type('username')}
          />
          <PasswordInput
            label={say('password')}
            withAsterisk
            autoComplete="new-password"
            classNames={{ input: 'ltr' }}
            value={given.password}
            error={faultAt('/basic/password')}
            onChange={type('password')}
          />
        </div>
      )}
      <Headers headers={headers} onChange={setHeaders} faultAt={faultAt} />
    </DialogForm>
  );
}

type Header = { name: string; value: string };
type HeadersProps = {
  headers: Header[];
  onChange: (headers: Header[]) => void;
  faultAt: (pointer: string) => string | null;
};

function Headers({ headers, onChange, faultAt }: HeadersProps): ReactNode {
  const say = useTexts(toolTexts);
  const change = (at: number, part: Partial<Header>): void =>
    onChange(headers.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <>
      {headers.map(({ name, value }, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={`${say('header_name')} ${index + 1}`}
            placeholder="X-Api-Key"
            classNames={{ input: 'ltr' }}
            value={name}
            error={faultAt(`/headers/${index}/name`)}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <PasswordInput
            flex={1}
            aria-label={`${say('header_value')} ${index + 1}`}
            placeholder={say('header_value')}
            autoComplete="off"
            classNames={{ input: 'ltr' }}
            value={value}
            error={faultAt(`/headers/${index}/value`)}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={say('remove_header', { number: index + 1 })}
            onClick={() => onChange(headers.filter((_, other) => other !== index))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      {headers.length < MAX_TOOL_HEADERS && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...headers, { name: '', value: '' }])}
          >
            {say('add_header')}
          </Button>
        </Group>
      )}
    </>
  );
}
