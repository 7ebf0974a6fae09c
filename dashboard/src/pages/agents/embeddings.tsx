import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { EmbeddingProgress, ModelProviderName } from '../../../../contract/dashboard/models.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { CHOOSE, type DocumentModel, EmbeddingDialog } from './embedding-dialog.tsx';
import { embeddingFault, embeddingTexts } from './embedding-texts.ts';
import { texts } from './texts.ts';
import classes from './agents.module.css';

/** While embeddings are being created, the progress is read again at this interval. */
const PROGRESS_MS = 2_000;

/**
 * The card shows what models do with the agent's documents, which is embeddings and questions, and has the buttons that
 * turn them on.
 */
export function Embeddings({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(embeddingTexts);
  const org_id = useOrganization().id;
  const [every, setEvery] = useState<number | undefined>(undefined);
  const input = { params: { org_id, agent_id: agentId } };
  const progress = useRead('readEmbeddings', input, every === undefined ? {} : { every }).data;
  const works = [progress, progress?.questions];
  const wanted = works.some((work) => work?.model && work.next_at !== null) ? PROGRESS_MS : undefined;
  if (wanted !== every) setEvery(wanted);
  // If the progress cannot be read, the list of documents shows the error.
  if (!progress) return null;
  const { model, questions } = progress;
  return (
    <>
      <Work kind="embedding" title={say('title')} off={say('off')} provider={model?.provider ?? null}>
        <Made progress={progress} agentId={agentId} />
      </Work>
      <Work
        kind="question"
        title={say('questions_title')}
        off={say('questions_off')}
        provider={questions.model?.provider ?? null}
      >
        <WrittenQuestions questions={questions} agentId={agentId} />
      </Work>
    </>
  );
}

type WorkProps = {
  kind: DocumentModel;
  title: string;
  off: string;
  /** Null: no model does this work. */
  provider: ModelProviderName | null;
  children: ReactNode;
};

function Work({ kind, title, off, provider, children }: WorkProps): ReactNode {
  const say = useTexts(embeddingTexts);
  const may = useMay('admin');
  const [choosing, setChoosing] = useState(false);
  return (
    <section className={classes.use} aria-label={title}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fw={600}>{title}</Text>
        {may && (
          <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
            {say(provider ? 'change' : CHOOSE[kind])}
          </Button>
        )}
      </Group>
      {provider ? (
        children
      ) : (
        <Text size="sm" c="dimmed">
          {off} {!may && say('choose_admins')}
        </Text>
      )}
      <EmbeddingDialog kind={kind} opened={choosing} current={provider} onClose={() => setChoosing(false)} />
    </section>
  );
}

function Made({ progress, agentId }: { progress: EmbeddingProgress; agentId: string }): ReactNode {
  const say = useTexts(embeddingTexts);
  const { model, passages, embedded, documents } = progress;
  const { uncounted } = documents;
  const label =
    passages === 0
      ? say('none')
      : say('progress', { done: number(say.language, embedded), all: number(say.language, passages) });
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        <MadeBy word="made_by" model={model!} />
      </Text>
      <Text size="sm" aria-live="polite">
        {label} {uncounted > 0 && say('counting', { count: uncounted })}
      </Text>
      <Progress value={passages === 0 ? 0 : (embedded / passages) * 100} size="sm" aria-label={label} />
      <Fault fault={progress.fault} nextAt={progress.next_at} failed={documents.failed} agentId={agentId} />
    </Stack>
  );
}

type MadeByProps = {
  word: 'made_by' | 'questions_by';
  model: Pick<NonNullable<EmbeddingProgress['model']>, 'provider' | 'name'>;
};

function MadeBy({ word, model }: MadeByProps): ReactNode {
  const say = useTexts(embeddingTexts);
  const sayAgents = useTexts(texts);
  const provider = sayAgents(`provider_${model.provider satisfies ModelProviderName}`);
  return say.rich(word, { model: <bdi dir="ltr">{model.name}</bdi>, provider: <bdi>{provider}</bdi> });
}

/** Shows the questions that a model writes for the passages. */
function WrittenQuestions({
  questions,
  agentId,
}: {
  questions: EmbeddingProgress['questions'];
  agentId: string;
}): ReactNode {
  const say = useTexts(embeddingTexts);
  const { model, passages, written, fault, next_at: nextAt, failed } = questions;
  const done = { done: number(say.language, written), all: number(say.language, passages) };
  const label = passages === 0 ? say('none') : say('questions_progress', done);
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        <MadeBy word="questions_by" model={model!} />
      </Text>
      <Text size="sm" aria-live="polite">
        {label}
      </Text>
      <Progress value={passages === 0 ? 0 : (written / passages) * 100} size="sm" aria-label={label} />
      <Fault fault={fault} nextAt={nextAt} failed={failed} agentId={agentId} />
    </Stack>
  );
}

type FaultProps = {
  fault: EmbeddingProgress['fault'];
  nextAt: string | null;
  /** The number of documents that are not tried again. */
  failed: number;
  agentId: string;
};

function Fault({ fault, nextAt, failed, agentId }: FaultProps): ReactNode {
  const say = useTexts(embeddingTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const retry = useAct('retryEmbeddings', { refresh: ['readEmbeddings'] });
  if (!fault) return null;
  const word = embeddingFault(fault.code);
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
      <Stack gap={4} align="flex-start">
        {word && <Text size="sm">{say(word)}</Text>}
        <Text size="sm" dir="auto" c={word ? 'dimmed' : undefined}>
          {fault.detail}
        </Text>
        {failed > 0 && <Text size="sm">{say('stopped', { count: failed })}</Text>}
        {nextAt !== null && <Text size="sm">{say('goes_on')}</Text>}
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
