import { Select, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { MODEL_PROVIDERS, type ModelProviderName } from '../../../../contract/dashboard/models.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { ModelForm } from './editor/model-dialog.tsx';
import { embeddingTexts } from './embedding-texts.ts';
import { texts } from './texts.ts';
import { Dialog } from '../../parts/dialog.tsx';

/** A task that a model does with the documents. */
export type DocumentModel = 'embedding' | 'question';
export const CHOOSE = { embedding: 'choose', question: 'choose_question' } as const;

type Props = { kind: DocumentModel; opened: boolean; current: ModelProviderName | null; onClose: () => void };

/** Selects the provider connection and the model that process the documents. */
export function EmbeddingDialog({ kind, opened, current, onClose }: Props): ReactNode {
  const say = useTexts(embeddingTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say(CHOOSE[kind])}>
      <Body kind={kind} current={current} onClose={onClose} />
    </Dialog>
  );
}

function Body({ kind, current, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const models = useRead('listModels', { params: { org_id } }, {}).data?.data;
  const [chosen, setChosen] = useState<ModelProviderName | null>(current);
  if (!models) return null;
  const offered = MODEL_PROVIDERS.filter((name) => kind !== 'embedding' || name !== 'anthropic');
  const provider = chosen ?? offered.find((name) => models.some((one) => one.provider === name)) ?? 'openai';
  const stored = models.find((one) => one.provider === provider) ?? null;
  return (
    <Stack>
      <Select
        label={say('provider')}
        allowDeselect={false}
        value={provider}
        data={offered.map((value) => ({ value, label: say(`provider_${value}`) }))}
        onChange={(value) => setChosen(value)}
      />
      <ModelForm key={provider} provider={provider} stored={stored} onClose={onClose} />
    </Stack>
  );
}
