import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { ToolSecretRecord } from '../../../../../contract/dashboard/tools.ts';
import { call, Problem } from '../../../api/client.ts';
import { readAnew, useAct, useRead } from '../../../api/queries.ts';
import { useWords } from '../../../language/words.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Moment, Until } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { RotateSecretDialog } from '../../settings/integrations/webhooks/rotate-secret-dialog.tsx';
import { SecretDialog } from '../../settings/integrations/webhooks/secret-dialog.tsx';
import { CredentialsDialog } from './tool-credentials-dialog.tsx';
import { toolWords } from './tool-words.ts';

const route = getRouteApi('/inside/agents/$agent_id');
const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** What calls of the tool at its present address are signed and authorized with. */
export function ToolSecret({ tool }: { tool: Tool }): ReactNode {
  const say = useWords(toolWords);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const read = useRead('listToolSecrets', { params: { org_id, agent_id } });
  const origin = originOf(tool.url);
  return (
    <section aria-label={say('signing')}>
      <Text size="sm" fw={500} mb={6}>
        {say('signing')}
      </Text>
      {origin === null || !TOOL_NAME.test(tool.name) ? (
        <Text size="sm" c="dimmed">
          {say('no_url')}
        </Text>
      ) : read.error ? (
        <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />
      ) : (
        read.data && <Standing tool={tool} origin={origin} all={read.data.data} />
      )}
    </section>
  );
}

function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

type Standing = { tool: Tool; origin: string; all: ToolSecretRecord[] };

function Standing({ tool, origin, all }: Standing): ReactNode {
  const say = useWords(toolWords);
  const may = useMay('admin');
  const own = all.filter((one) => one.tool === tool.name);
  const stored = own.find((one) => one.origin === origin);
  const here = <bdi className="ltr">{origin}</bdi>;
  const others = <bdi className="ltr">{own.map((one) => one.origin).join(', ')}</bdi>;
  return (
    <Stack gap="xs">
      {stored ? (
        <Text size="sm">{say.rich('signed', { origin: here })}</Text>
      ) : own.length === 0 ? (
        <Text size="sm">{say('unsigned')}</Text>
      ) : (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
          {say.rich('moved', { origins: others, origin: here })}
        </Alert>
      )}
      {stored && <Facts stored={stored} />}
      {!may && (
        <Text size="sm" c="dimmed">
          {say('admins_only')}
        </Text>
      )}
      {may && (stored ? <Acts stored={stored} /> : <Create tool={tool} />)}
    </Stack>
  );
}

function Facts({ stored }: { stored: ToolSecretRecord }): ReactNode {
  const say = useWords(toolWords);
  const { authorization, headers } = stored.credentials;
  const names = <bdi className="ltr">{headers.join(', ')}</bdi>;
  return (
    <Text size="sm" c="dimmed" component="div">
      <div>
        {say('signed_since')} <Moment at={stored.updated_at} />
        {stored.previous_secret_until !== null && (
          <>
            {'. '}
            {say('both_until')} <Until at={stored.previous_secret_until} />
          </>
        )}
      </div>
      <div>
        {authorization === null ? headers.length === 0 && say('credentials_none') : say(`credentials_${authorization}`)}{' '}
        {headers.length > 0 && say.rich('credentials_headers', { names })}
      </div>
    </Text>
  );
}

function Create({ tool }: { tool: Tool }): ReactNode {
  const say = useWords(toolWords);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      // Not a mutation of TanStack Query: its cache would hold the secret for minutes.
      const body = { tool: tool.name, url: tool.url };
      setSecret((await call('createToolSecret', { params: { org_id, agent_id }, body })).secret);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {problem && <ProblemAlert problem={problem} />}
      <Group>
        <Button variant="default" size="xs" loading={busy} onClick={() => void create()}>
          {say('sign')}
        </Button>
      </Group>
      <SecretDialog
        secret={secret}
        onClose={() => {
          setSecret(null);
          // Read only now: it takes this dialog away.
          void readAnew(client, ['listToolSecrets']);
        }}
      />
    </>
  );
}

function Acts({ stored }: { stored: ToolSecretRecord }): ReactNode {
  const say = useWords(toolWords);
  const org_id = useOrganization().id;
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'credentials' | 'rotate' | 'remove' | null>(null);
  const remove = useAct('deleteToolSecret', { refresh: ['listToolSecrets'] });
  const params = { org_id, agent_id: stored.agent_id, tool_secret_id: stored.id };
  const close = (): void => {
    remove.reset();
    setDialog(null);
  };
  const onRemoved = (): void => {
    close();
    notifyDone(say('removed'));
  };
  return (
    <>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setDialog('credentials')}>
          {say('set_credentials')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setDialog('rotate')}>
          {say('replace')}
        </Button>
        <Button variant="subtle" color="red.8" size="xs" onClick={() => setDialog('remove')}>
          {say('remove')}
        </Button>
      </Group>
      <CredentialsDialog opened={dialog === 'credentials'} stored={stored} onClose={close} />
      <RotateSecretDialog
        opened={dialog === 'rotate'}
        onClose={close}
        rotate={async (overlap) => {
          const made = await call('rotateToolSecret', { params, body: { overlap } });
          void readAnew(client, ['listToolSecrets']);
          return made.secret;
        }}
      />
      <ConfirmDialog
        opened={dialog === 'remove'}
        onClose={close}
        title={say('remove_title')}
        act={say('remove')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() => remove.mutate({ params }, { onSuccess: onRemoved })}
      >
        <Text size="sm">{say.rich('remove_words', { origin: <bdi className="ltr">{stored.origin}</bdi> })}</Text>
      </ConfirmDialog>
    </>
  );
}
