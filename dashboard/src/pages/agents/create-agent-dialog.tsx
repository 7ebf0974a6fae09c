import { Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import type { Problem } from '../../api/client.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import type { TEMPLATES } from './templates/templates.ts';
import { templateTexts } from './template-texts.ts';
import { texts } from './texts.ts';
import classes from './agents.module.css';

/**
 * The templates, in the order of the dialog. The content of the templates loads when the first agent is created from a
 * template.
 */
const CHOICES = ['none', 'shop', 'clinic', 'lettings', 'help_desk'] as const;
type Choice = 'none' | keyof typeof TEMPLATES;

export function CreateAgentDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('create')} size="lg">
      {opened && <CreateForm onClose={onClose} />}
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayTemplate = useTexts(templateTexts);
  const navigate = useNavigate();
  const [choice, setChoice] = useState<Choice>('none');
  const create = useCreate();
  const form = useCheckedForm({ name: '' }, () => ({
    name: (value) => (value.trim() === '' ? say('name_missing') : null),
  }));
  const submit = form.submit(({ name }) =>
    create.mutate(
      { name: name.trim(), choice },
      {
        onSuccess: (agent_id) => void navigate({ to: '/agents/$agent_id', params: { agent_id } }),
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('create')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed">
        {say('create_hint')}
      </Text>
      <TextInput
        label={say('name')}
        description={say('name_example')}
        withAsterisk
        maxLength={MAX_NAME_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group
        label={sayTemplate('begin')}
        value={choice}
        onChange={(value) => setChoice(value)}
        disabled={create.begun}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
          {CHOICES.map((one) => (
            <Radio
              key={one}
              value={one}
              className={classes.template}
              label={sayTemplate(one)}
              description={sayTemplate(`${one}_hint`)}
            />
          ))}
        </SimpleGrid>
      </Radio.Group>
    </DialogForm>
  );
}

type Made = { id: string; documents: number };

/**
 * Creates the agent, then the documents of its template, then its tests. After a failure, a second click continues at
 * the failed step.
 */
function useCreate() {
  const { language } = useTexts(texts);
  const org_id = useOrganization().id;
  const refresh = ['listAgents', 'readOverview', 'listDocuments', 'readSuite'] as const;
  const agent = useAct('createAgent', { refresh });
  const document = useAct('createDocument', { refresh });
  const suite = useAct('setSuite', { refresh });
  const rename = useAct('updateAgent', { refresh });
  const [made, setMade] = useState<Made | null>(null);
  const acting = useMutation<string, Problem, { name: string; choice: Choice }>({
    mutationFn: async ({ name, choice }) => {
      const start = choice === 'none' ? null : await templateOf(choice, language);
      const definition = start?.definition;
      const body = { name, ...(definition && { definition }) };
      const { id } = made
        ? await rename.mutateAsync({ params: { org_id, agent_id: made.id }, body: { name } })
        : await agent.mutateAsync({ params: { org_id }, body });
      const params = { org_id, agent_id: id };
      let documents = made?.documents ?? 0;
      setMade({ id, documents });
      for (const one of start?.documents.slice(documents) ?? []) {
        await document.mutateAsync({ params, body: one });
        documents += 1;
        setMade({ id, documents });
      }
      if (start) await suite.mutateAsync({ params, body: { cases: start.cases } });
      return id;
    },
  });
  return { ...acting, begun: made !== null };
}

async function templateOf(choice: keyof typeof TEMPLATES, language: 'en' | 'ar') {
  const [all, { startOf }] = await Promise.all([import('./templates/templates.ts'), import('./templates/template.ts')]);
  return startOf(all.TEMPLATES[choice], language);
}
