import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { EmbeddingProgress, ModelProviderName } from '../../../../contract/dashboard/models.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useWords } from '../../language/words.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { EmbeddingDialog } from './embedding-dialog.tsx';
import { embeddingFault, embeddingWords } from './embedding-words.ts';
import { words } from './words.ts';
import classes from './agents.module.css';

/** While embeddings are being created, the progress is read again. */
const PROGRESS_MS = 2_000;

/** The progress of embedding the agent's documents, and the button that turns embeddings on. */
export function Embeddings({ agentId }: { agentId: string }): ReactNode {
  const say = useWords(embeddingWords);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const [choosing, setChoosing] = useState(false);
  const [every, setEvery] = useState<number | undefined>(undefined);
  const input = { params: { org_id, agent_id: agentId } };
  const progress = useRead('readEmbeddings', input, every === undefined ? {} : { every }).data;
  const wanted = progress?.model && progress.next_at !== null ? PROGRESS_MS : undefined;
  if (wanted !== every) setEvery(wanted);
  // The list next to it shows an error if nothing can be read.
  if (!progress) return null;
  const { model } = progress;
  return (
    <section className={classes.use} aria-label={say('title')}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fw={600}>{say('title')}</Text>
        {may && (
          <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
            {say(model ? 'change' : 'choose')}
          </Button>
        )}
      </Group>
      {model ? (
        <Made progress={progress} agentId={agentId} />
      ) : (
        <Text size="sm" c="dimmed">
          {say('off')} {!may && say('choose_admins')}
        </Text>
      )}
      <EmbeddingDialog opened={choosing} current={model?.provider ?? null} onClose={() => setChoosing(false)} />
    </section>
  );
}

function Made({ progress, agentId }: { progress: EmbeddingProgress; agentId: string }): ReactNode {
  const say = useWords(embeddingWords);
  const { model, passages, embedded, documents } = progress;
  const { uncounted } = documents;
  const label =
    passages === 0
      ? say('none')
      : say('progress', { done: number(say.language, embedded), all: number(say.language, passages) });
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        <MadeBy model={model!} />
      </Text>
      <Text size="sm" aria-live="polite">
        {label} {uncounted > 0 && say('counting', { count: uncounted })}
      </Text>
      <Progress value={passages === 0 ? 0 : (embedded / passages) * 100} size="sm" aria-label={label} />
      <Fault progress={progress} agentId={agentId} />
    </Stack>
  );
}

function MadeBy({ model }: { model: NonNullable<EmbeddingProgress['model']> }): ReactNode {
  const say = useWords(embeddingWords);
  const sayAgents = useWords(words);
  const provider = sayAgents(`provider_${model.provider satisfies ModelProviderName}`);
  return say.rich('made_by', { model: <bdi dir="ltr">{model.name}</bdi>, provider: <bdi>{provider}</bdi> });
}

function Fault({ progress, agentId }: { progress: EmbeddingProgress; agentId: string }): ReactNode {
  const say = useWords(embeddingWords);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const retry = useAct('retryEmbeddings', { refresh: ['readEmbeddings'] });
  const { fault, next_at, documents } = progress;
  if (!fault) return null;
  const word = embeddingFault(fault.code);
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
      <Stack gap={4} align="flex-start">
        {word && <Text size="sm">{say(word)}</Text>}
        <Text size="sm" dir="auto" c={word ? 'dimmed' : undefined}>
          {fault.detail}
        </Text>
        {documents.failed > 0 && <Text size="sm">{say('stopped', { count: documents.failed })}</Text>}
        {next_at !== null && <Text size="sm">{say('goes_on')}</Text>}
        {may && (
          <Button
            size="xs"
            variant="default"
            loading={retry.isPending}
            onClick={() =>
              retry.mutate({ params: { org_id, agent_id: agentId } }, { onSuccess: () => notifyDone(say('retried')) })
            }
          >
            {say('retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
