import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CODE_SECRET } from '../../../../../contract/turns.ts';
import { call } from '../../../api/client.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useEditor } from '../../../parts/editor/editor.ts';
import { Until } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { CreateSecret } from './create-secret.tsx';
import { ownCodeTexts } from './own-code-texts.ts';

const route = getRouteApi('/inside/agents/$agent_id');
const MAX_URL = 2048;

/** The address of the customer's own code, with the secret that signs its turns. */
export function OwnCodeFields(): ReactNode {
  const say = useTexts(ownCodeTexts);
  const { definition, change, fault, readOnly } = useEditor();
  return (
    <Stack>
      <TextInput
        label={say('url')}
        description={say('url_hint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder="https://agent.example.com/turns"
        withAsterisk
        dir="ltr"
        type="url"
        maxLength={MAX_URL}
        readOnly={readOnly}
        autoComplete="off"
        value={definition.url ?? ''}
        error={fault('/url')}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <SigningSecret origin={URL.parse(definition.url ?? '')?.origin ?? null} />
    </Stack>
  );
}

function SigningSecret({ origin }: { origin: string | null }): ReactNode {
  const say = useTexts(ownCodeTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const may = useMay('member');
  const read = useRead('listToolSecrets', { params: { org_id, agent_id } });
  const stored = read.data?.data.find((one) => one.tool === CODE_SECRET && one.origin === origin);
  const here = <bdi className="ltr">{origin}</bdi>;
  return (
    <section aria-label={say('signing')}>
      <Text size="sm" fw={500} mb={6}>
        {say('signing')}
      </Text>
      {read.error && <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />}
      {origin === null && (
        <Text size="sm" c="dimmed">
          {say('no_url')}
        </Text>
      )}
      {origin !== null && read.data && (
        <Stack gap="xs">
          {stored ? (
            <Text size="sm" component="div">
              {say.rich('signed', { origin: here })}{' '}
              {stored.previous_secret_until !== null && (
                <>
                  {say('both_until')} <Until at={stored.previous_secret_until} />
                </>
              )}
            </Text>
          ) : (
            <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
              {say('unsigned')} {say('no_url')}
            </Alert>
          )}
          {may && <Create isStored={stored !== undefined} />}
        </Stack>
      )}
    </section>
  );
}

/** The secret belongs to the address in the stored draft. */
function Create({ isStored }: { isStored: boolean }): ReactNode {
  const say = useTexts(ownCodeTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  return (
    <CreateSecret
      create={() => call('rotateAgentSecret', { params: { org_id, agent_id } })}
      act={say(isStored ? 'replace' : 'create')}
      hint={isStored ? say('replace_hint') : undefined}
    />
  );
}
