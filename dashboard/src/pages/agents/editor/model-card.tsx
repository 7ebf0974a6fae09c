import { Alert, Button, Checkbox, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import {
  DEFAULT_END_USER_FIELDS,
  END_USER_FIELDS,
  PROVIDERS,
  type ProviderName,
} from '../../../../../contract/agents.ts';
import type { ModelProviderName } from '../../../../../contract/dashboard/models.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ModelDialog } from './model-dialog.tsx';
import { OwnCodeFields } from './own-code-fields.tsx';
import classes from '../agents.module.css';

const EXAMPLES: Record<ModelProviderName, string> = {
  openai_compatible: 'llama3.1:8b',
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
};

export function ModelCard(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, fault, readOnly } = useEditor();
  const provider = definition.provider ?? 'embedded';
  const isModel = provider !== 'embedded' && provider !== 'http';
  return (
    <Card title={say('model')} description={say('model_hint')}>
      <Stack>
        <div className={classes.row}>
          <Select
            label={say('provider')}
            allowDeselect={false}
            readOnly={readOnly}
            value={provider}
            error={fault('/provider')}
            data={PROVIDERS.map((value) => ({ value, label: say(`provider_${value}`) }))}
            onChange={(value) => value && change({ provider: value satisfies ProviderName })}
          />
          {isModel && (
            <>
              <TextInput
                label={say('model_name')}
                description={say('model_name_hint', { example: EXAMPLES[provider] })}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                withAsterisk
                dir="ltr"
                maxLength={200}
                readOnly={readOnly}
                autoComplete="off"
                value={definition.model ?? ''}
                error={fault('/model')}
                onChange={(event) => change({ model: event.currentTarget.value })}
              />
              <NumberField
                label={say('temperature')}
                description={say('temperature_hint')}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                min={0}
                max={2}
                step={0.1}
                readOnly={readOnly}
                value={definition.temperature}
                error={fault('/temperature')}
                onChange={(value) => change({ temperature: value })}
              />
            </>
          )}
        </div>
        {provider === 'http' && <OwnCodeFields />}
        {provider !== 'embedded' && <EndUserFields />}
        {isModel && <ReadImages />}
        {isModel && <Credentials provider={provider} />}
      </Stack>
    </Card>
  );
}

/** The fields of a person that a model provider receives. */
function EndUserFields(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, fault, readOnly } = useEditor();
  return (
    <TagsInput
      label={say('end_user_fields')}
      description={say.rich('end_user_fields_hint', { braces: <code>{'{{end_user.email}}'}</code> })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      readOnly={readOnly}
      data={[...END_USER_FIELDS]}
      maxTags={50}
      value={[...(definition.end_user_fields ?? DEFAULT_END_USER_FIELDS)]}
      error={fault('/end_user_fields')}
      onChange={(end_user_fields) => change({ end_user_fields })}
    />
  );
}

function ReadImages(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, readOnly } = useEditor();
  return (
    <Checkbox
      label={say('read_images')}
      description={say('read_images_hint')}
      disabled={readOnly}
      checked={definition.read_images !== false}
      onChange={(event) => change({ read_images: event.currentTarget.checked ? undefined : false })}
    />
  );
}

/** Shows whether the chosen provider is connected, and the button that connects it. */
function Credentials({ provider }: { provider: ModelProviderName }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const [opened, setOpened] = useState(false);
  const models = useRead('listModels', { params: { org_id } }, {});
  if (!models.data) return null;
  const stored = models.data.data.find((one) => one.provider === provider) ?? null;
  return (
    <Alert color={stored ? 'blue' : 'orange'} icon={stored ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}>
      <Group gap="sm">
        <Text size="sm" flex="1 1 200px">
          {say(stored ? 'provider_ready' : 'provider_missing')} {!may && say('provider_admins')}
        </Text>
        {may && (
          <Button size="xs" variant="default" onClick={() => setOpened(true)}>
            {say(stored ? 'provider_change' : 'provider_set')}
          </Button>
        )}
      </Group>
      <ModelDialog opened={opened} provider={provider} stored={stored} onClose={() => setOpened(false)} />
    </Alert>
  );
}
