import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { ToolSecretRecord } from '../../../../../contract/dashboard/tools.ts';
import { CODE_SECRET } from '../../../../../contract/turns.ts';
import { call } from '../../../api/client.ts';
import { refetch, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Moment, Until } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { RotateSecretDialog } from '../../../parts/rotate-secret-dialog.tsx';
import { CreateSecret } from './create-secret.tsx';
import { RemoveSecret } from './remove-secret.tsx';
import { CredentialsDialog } from './tool-credentials-dialog.tsx';
import { toolTexts } from './tool-texts.ts';

const route = getRouteApi('/inside/agents/$agent_id');
const TOOL_NAME = /^(mcp:)?[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** The name under which a tool's secret is stored. All tools of one MCP server share one secret. */
const secretNameOf = ({ name, mcp }: Tool): string => (mcp ? `mcp:${mcp.server}` : name);

/** Shows the secret that signs calls to the tool's current URL, and their credentials. */
export function ToolSecret({ tool }: { tool: Tool }): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const read = useRead('listToolSecrets', { params: { org_id, agent_id } });
  const origin = originOf(tool.url);
  return (
    <section aria-label={say('signing')}>
      <Text size="sm" fw={500} mb={6}>
        {say('signing')}
      </Text>
      {origin === null || !TOOL_NAME.test(secretNameOf(tool)) ? (
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
  const say = useTexts(toolTexts);
  const may = useMay('admin');
  const own = all.filter((one) => one.tool === secretNameOf(tool));
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
  const say = useTexts(toolTexts);
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
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  return (
    <CreateSecret
      create={() =>
        call('createToolSecret', { params: { org_id, agent_id }, body: { tool: secretNameOf(tool), url: tool.url } })
      }
      act={say('sign')}
    />
  );
}

function Acts({ stored }: { stored: ToolSecretRecord }): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'credentials' | 'rotate' | null>(null);
  const params = { org_id, agent_id: stored.agent_id, tool_secret_id: stored.id };
  const close = (): void => setDialog(null);
  return (
    <>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setDialog('credentials')}>
          {say('set_credentials')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setDialog('rotate')}>
          {say('replace')}
        </Button>
        <RemoveSecret stored={stored} />
      </Group>
      <CredentialsDialog opened={dialog === 'credentials'} stored={stored} onClose={close} />
      <RotateSecretDialog
        opened={dialog === 'rotate'}
        onClose={close}
        rotate={async (overlap) => {
          const made = await call('rotateToolSecret', { params, body: { overlap } });
          void refetch(client, ['listToolSecrets']);
          return made.secret;
        }}
      />
    </>
  );
}

/** Secrets whose tool was renamed or removed. A published version may still need such a secret, so a member decides. */
export function LeftSecrets({ tools }: { tools: readonly Tool[] }): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const may = useMay('admin');
  const read = useRead('listToolSecrets', { params: { org_id, agent_id } });
  const names = new Set(tools.map(secretNameOf));
  const left = (read.data?.data ?? []).filter(({ tool }) => tool !== CODE_SECRET && !names.has(tool));
  if (left.length === 0) return null;
  return (
    <Stack gap="xs" mt="lg" component="section" aria-label={say('left')}>
      <Text size="sm" fw={500}>
        {say('left')}
      </Text>
      <Text size="sm" c="dimmed">
        {say('left_words')}
      </Text>
      {left.map((one) => (
        <Group key={one.id} gap="xs">
          <bdi className="ltr">
            <code>{one.tool}</code> {one.origin}
          </bdi>
          {may && <RemoveSecret stored={one} />}
        </Group>
      ))}
    </Stack>
  );
}
