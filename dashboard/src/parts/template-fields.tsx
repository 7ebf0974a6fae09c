import { Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelTemplate } from '../../../contract/dashboard/channels.ts';
import { useTexts } from '../language/texts.tsx';
import {
  fillIn,
  isChosen,
  TemplatePicker,
  TemplatePreview,
  TemplatesState,
  useTemplates,
  useValueLabel,
} from './template-picker.tsx';
import { templateTexts } from './template-texts.ts';

export type FilledTemplate = {
  name: string;
  language: string;
  variables: Readonly<Record<string, string>>;
  /** The preview of the template. The value is empty if templates cannot be listed. */
  text: string;
};
export const NO_TEMPLATE: FilledTemplate = { name: '', language: 'en_US', variables: {}, text: '' };

type Props = {
  channelId: string;
  label: string;
  value: FilledTemplate;
  onChange: (value: FilledTemplate) => void;
};

/** Selects one of the account's templates with its values, or its name if templates cannot be listed. */
export function TemplateFields({ channelId, label, value, onChange }: Props): ReactNode {
  const say = useTexts(templateTexts);
  const labelOf = useValueLabel();
  const { items, loading, failed } = useTemplates(channelId, true);
  if (!items)
    return (
      <>
        <TemplatesState loading={loading} failed={failed} />
        <Group align="flex-start" gap="md">
          <TextInput
            label={label}
            description={say('typed_hint')}
            flex="2 1 260px"
            dir="ltr"
            placeholder="hello_world"
            value={value.name}
            onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
          />
          <TextInput
            label={say('language')}
            flex="1 1 140px"
            dir="ltr"
            value={value.language}
            onChange={(event) => onChange({ ...value, language: event.currentTarget.value })}
          />
        </Group>
      </>
    );
  const chosen = items.find(isChosen(value));
  const fill = (template: ChannelTemplate | null, variables: FilledTemplate['variables']): void => {
    const values = Object.fromEntries((template?.variables ?? []).map((name) => [name, variables[name] ?? '']));
    const { name = '', language = '', body = '' } = template ?? {};
    onChange({ name, language, variables: values, text: fillIn(body, values) });
  };
  return (
    <>
      <TemplatePicker label={label} items={items} value={value} onChange={(one) => fill(one, value.variables)} />
      {chosen?.variables.map((name) => (
        <TextInput
          key={name}
          label={labelOf(name)}
          dir="auto"
          maxLength={1024}
          value={value.variables[name] ?? ''}
          onChange={(event) => fill(chosen, { ...value.variables, [name]: event.currentTarget.value })}
        />
      ))}
      {chosen && <TemplatePreview template={chosen} values={value.variables} />}
    </>
  );
}
