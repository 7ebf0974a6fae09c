import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { utcTime } from '../../language/format.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Dialog } from '../dialog.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useFocus } from '../use-focus.ts';
import { useOrganization } from '../../session/session.ts';
import { Prefix, USED_LATELY_MS, useAgo } from './key-parts.tsx';
import { texts } from './texts.ts';

export function RevokeDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog
      opened={item !== null}
      onClose={onClose}
      title={item && say('revoke_title', { label: `\u2068${item.label}\u2069` })}
    >
      {item && <Revoke item={item} onClose={onClose} />}
    </Dialog>
  );
}

const WATCH_MS = 300;
const LOOK_AGAIN_MS = 2_000;

function Revoke({ item: listed, onClose }: { item: KeyRecord; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const revoke = useAct('revokeKey', { refresh: ['listKeys', 'readKey', 'readOverview', 'listAudit'] });
  // The key is read again, because the list may not show a use in the last second. If the server responds "revoking"
  // because another server has not confirmed yet, the key is polled until the confirmation.
  const watched = useRead(
    'readKey',
    { params: { org_id, key_id: listed.id } },
    { staleTime: 0, every: revoke.isPending || revoke.data?.state === 'revoking' ? WATCH_MS : LOOK_AGAIN_MS },
  );
  const item = watched.data ?? listed;
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const focus = useFocus();
  const usedLately = item.last_used_at !== null && Date.now() - Date.parse(item.last_used_at) < USED_LATELY_MS;
  const result = watched.data?.state === 'revoked' ? watched.data : revoke.data;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const mismatch = usedLately && typed.trim() !== item.label;
    setWrong(mismatch);
    if (mismatch) focus(() => field.current);
    else revoke.mutate({ params: { org_id, key_id: item.id } });
  };
  if (result?.state === 'revoked')
    return (
      <Stack>
        <Alert color="blue" icon={<IconCheck size={18} />} role="status">
          {result.effective_at
            ? say.rich('revoked_since', { time: <b className="ltr">{utcTime(result.effective_at)}</b> })
            : say('revoked_done')}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose} autoFocus>
            {sayCommon('close')}
          </Button>
        </Group>
      </Stack>
    );
  const busy = revoke.isPending || result?.state === 'revoking';
  const waitingFor = watched.data?.waiting_for ?? 0;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Prefix prefix={item.prefix} />
        <Facts item={item} />
        {usedLately && (
          <TextInput
            ref={field}
            label={say('revoke_type')}
            placeholder={item.label}
            aria-description={item.label}
            value={typed}
            autoComplete="off"
            error={wrong && say('revoke_mismatch')}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setWrong(false);
            }}
          />
        )}
        {revoke.error && <ProblemAlert problem={revoke.error} />}
        <Text size="sm" c="dimmed" role="status">
          {busy ? (waitingFor > 0 ? say('revoking_servers', { count: waitingFor }) : say('revoking')) : ''}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={busy} data-autofocus>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" color="red.8" loading={busy}>
            {say('revoke')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Facts({ item }: { item: KeyRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const usage = useRead(
    'readKeyUsage',
    { params: { org_id, key_id: item.id }, query: { range: '24h' } },
    { every: LOOK_AGAIN_MS },
  );
  const when = useAgo(item.last_used_at);
  if (!item.last_used_at)
    return (
      <Text size="sm">
        {say('revoke_never')} {say('revoke_stops')}
      </Text>
    );
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {usage.data
          ? say('revoke_facts', { when, count: usage.data.last_24h })
          : say('revoke_facts_uncounted', { when })}
      </Text>
      <Text size="sm">{say('revoke_stops')}</Text>
    </Stack>
  );
}
