import { ActionIcon, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ChannelTemplate } from '../../../../../contract/dashboard/channels.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import {
  isChosen,
  TemplatePicker,
  TemplatePreview,
  TemplatesState,
  useTemplates,
  useValueLabel,
} from '../../../parts/template-picker.tsx';
import { useOrganization } from '../../../session/session.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { MAX_TEMPLATE_VARIABLES } from './settings-values.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { texts } from './texts.ts';
import classes from './settings.module.css';

type Props = { item: CampaignRecord; draft: SettingsDraft };
const CHOICES = ['agent', 'text', 'template'] as const;
/** Channel kinds that need an approved template for people who have not written recently. */
const WANTS_TEMPLATE = new Set(['whatsapp']);

/**
 * The card sets the opening, which is the agent's own, a text per language, or a template that the provider has
 * approved.
 */
export function OpeningCard({ item, draft: { values, change, editor } }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const channel = useRead('readChannel', { params: { org_id, channel_id: item.channel_id } }, {});
  const wantsTemplate = WANTS_TEMPLATE.has(channel.data?.kind ?? '');
  return (
    <Card title={say('opening')} description={say('opening_hint')}>
      <Stack gap="lg">
        <Radio.Group
          value={values.opening}
          onChange={(value) => change({ opening: value })}
          aria-label={say('opening')}
          readOnly={editor.readOnly}
        >
          <Stack gap="sm">
            {CHOICES.map((choice) => (
              <Radio
                key={choice}
                value={choice}
                disabled={editor.readOnly}
                label={say(`opening_${choice}`)}
                description={say(`opening_${choice}_hint`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {wantsTemplate && values.opening !== 'template' && (
          <Text size="sm" c="orange.9">
            {say('wants_template')}
          </Text>
        )}
        {values.opening === 'text' && (
          <LocalizedField
            label={say('text')}
            hint={<VariablesHint />}
            value={values.text}
            onChange={(text) => change({ text })}
            pointer="/opening/text"
            required
            rows={3}
          />
        )}
        {values.opening === 'template' && (
          <TemplateFields channelId={item.channel_id} values={values} change={change} editor={editor} />
        )}
      </Stack>
    </Card>
  );
}

const VariablesHint = (): ReactNode => {
  const say = useTexts(texts);
  return say.rich('variables_hint', {
    name: <code>{'{{end_user.name}}'}</code>,
    own: <code>{'{{order_id}}'}</code>,
    fallback: <code className="ltr">{'{{end_user.name|there}}'}</code>,
  });
};

type FieldsProps = Pick<SettingsDraft, 'values' | 'change' | 'editor'>;

function TemplateFields({ channelId, values, change, editor }: FieldsProps & { channelId: string }): ReactNode {
  const say = useTexts(texts);
  const templates = useTemplates(channelId, true);
  const { template: name, templateLanguage: language, templateVariables: variables } = values;
  const chosen = templates.items?.find(isChosen({ name, language }));
  const valueOf = (place: string): string => variables.find((known) => known.name === place)?.value ?? '';
  const choose = (one: ChannelTemplate | null): void =>
    change({
      template: one?.name ?? '',
      templateLanguage: one?.language ?? '',
      templateVariables: (one?.variables ?? []).map((place) => ({ name: place, value: valueOf(place) })),
    });
  return (
    <>
      <TemplatesState loading={templates.loading} failed={templates.failed} />
      {templates.items ? (
        <TemplatePicker
          items={templates.items}
          value={{ name, language }}
          onChange={choose}
          error={editor.fault('/opening/template/name')}
          readOnly={editor.readOnly}
          required
        />
      ) : (
        <TemplateName values={values} change={change} editor={editor} />
      )}
      {chosen ? (
        <TemplateValues names={chosen.variables} values={values} change={change} editor={editor} />
      ) : (
        <TemplateVariables values={values} change={change} editor={editor} />
      )}
      {chosen && (
        <TemplatePreview
          template={chosen}
          values={Object.fromEntries(variables.map(({ name: place, value }) => [place, value]))}
        />
      )}
      <LocalizedField
        label={say('template_text')}
        hint={say('template_text_hint')}
        value={values.text}
        onChange={(text) => change({ text })}
        pointer="/opening/text"
      />
    </>
  );
}

/** The field is for providers that do not list their templates. */
function TemplateName({ values, change, editor }: FieldsProps): ReactNode {
  const say = useTexts(texts);
  return (
    <Group align="flex-start" gap="md">
      <TextInput
        label={say('template_name')}
        description={say('template_name_hint')}
        withAsterisk
        flex="2 1 240px"
        dir="ltr"
        maxLength={512}
        autoComplete="off"
        readOnly={editor.readOnly}
        value={values.template}
        error={editor.fault('/opening/template/name')}
        onChange={(event) => change({ template: event.currentTarget.value })}
      />
      <TextInput
        label={say('template_language')}
        description={say('template_language_hint')}
        flex="1 1 140px"
        dir="ltr"
        maxLength={35}
        placeholder="en-US"
        autoComplete="off"
        readOnly={editor.readOnly}
        value={values.templateLanguage}
        error={editor.fault('/opening/template/language')}
        onChange={(event) => change({ templateLanguage: event.currentTarget.value })}
      />
    </Group>
  );
}

/** Sets the values of a template whose definition is known. */
function TemplateValues({
  names,
  values: { templateVariables: variables },
  change,
  editor,
}: FieldsProps & { names: readonly string[] }): ReactNode {
  const say = useTexts(texts);
  const labelOf = useValueLabel();
  const isRefused = editor.fault('/opening/template/name') !== null;
  if (names.length === 0) return null;
  const valueOf = (name: string): string => variables.find((one) => one.name === name)?.value ?? '';
  const set = (name: string, value: string): void =>
    change({ templateVariables: [...variables.filter((one) => one.name !== name), { name, value }] });
  return (
    <fieldset className={classes.variables}>
      <legend>{say('template_variables')}</legend>
      <Text size="xs" c="dimmed" mb="xs">
        <VariablesHint />
      </Text>
      <Stack gap="sm">
        {names.map((name) => (
          <TextInput
            key={name}
            label={labelOf(name)}
            placeholder={/^header\.(image|video|document)$/.test(name) ? 'https://shop.example/…' : undefined}
            dir="auto"
            maxLength={1024}
            autoComplete="off"
            readOnly={editor.readOnly}
            value={valueOf(name)}
            error={
              editor.fault(`/opening/template/variables/${name}`) ??
              (isRefused && valueOf(name).trim() === '' ? say('value_missing') : null)
            }
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
      </Stack>
    </fieldset>
  );
}

/** Sets the names and values of the placeholders of a template whose definition cannot be read. */
function TemplateVariables({ values: { templateVariables: variables }, change, editor }: FieldsProps): ReactNode {
  const say = useTexts(texts);
  const isOpen = !editor.readOnly;
  const set = (index: number, part: Partial<(typeof variables)[number]>): void =>
    change({ templateVariables: variables.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <fieldset className={classes.variables}>
      <legend>{say('template_variables')}</legend>
      <Text size="xs" c="dimmed" mb="xs">
        {say('template_variables_hint')} <VariablesHint />
      </Text>
      {variables.map(({ name, value }, index) => (
        <div key={index} className={classes.variable}>
          <TextInput
            aria-label={say('variable_name', { number: index + 1 })}
            placeholder="1"
            dir="ltr"
            maxLength={64}
            autoComplete="off"
            readOnly={!isOpen}
            value={name}
            error={editor.fault(`/opening/template/variables/${index}`)}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={say('variable_value', { number: index + 1 })}
            placeholder="{{end_user.name}}"
            dir="auto"
            maxLength={1024}
            autoComplete="off"
            readOnly={editor.readOnly}
            value={value}
            error={editor.fault(`/opening/template/variables/${name}`)}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          {isOpen && (
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={5}
              aria-label={say('variable_remove', { number: index + 1 })}
              onClick={() => change({ templateVariables: variables.filter((_, at) => at !== index) })}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {isOpen && variables.length < MAX_TEMPLATE_VARIABLES && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={15} />}
          onClick={() =>
            change({ templateVariables: [...variables, { name: String(variables.length + 1), value: '' }] })
          }
        >
          {say('variable_add')}
        </Button>
      )}
    </fieldset>
  );
}
