import { PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelField, ChannelKindName } from '../../../../contract/channel-kinds.ts';
import { useLanguage, useTexts } from '../../language/texts.tsx';
import type { useCheckedForm } from '../../parts/use-checked-form.ts';
import { ChatPreview, isColor, USUAL_COLOR } from './chat-preview.tsx';
import { fieldTexts } from './field-texts.ts';
import type { FieldWord } from '../../parts/channels/kinds.ts';
import { isUnused, type SettingsValues, shownFields, valueName } from './settings-values.ts';
import { texts } from './texts.ts';
import classes from './channels.module.css';

type Form = ReturnType<typeof useCheckedForm<SettingsValues>>;
type Props = { kind: ChannelKindName; form: Form; readOnly?: boolean; stored?: boolean; moved?: boolean };

/**
 * Shows the fields of a kind, from its form in the contract. `stored`: the channel has secrets, and an empty field
 * keeps them unless the channel is `moved` to another address.
 */
export function SettingsFields({ kind, form, readOnly = false, stored = false, moved = false }: Props): ReactNode {
  const say = useTexts(texts);
  const fields = shownFields(kind);
  const usual = fields.filter(({ name }) => name !== 'api_url');
  const own = fields.find(({ name }) => name === 'api_url');
  const ownProps = own && form.getInputProps(valueName(own.name));
  const field = (one: ChannelField): ReactNode => (
    <SettingField
      key={one.name}
      kind={kind}
      field={one}
      form={form}
      readOnly={readOnly}
      stored={stored}
      moved={moved}
    />
  );
  if (kind === 'web_chat')
    return (
      <div className={classes.look}>
        <Stack gap="md">{usual.map(field)}</Stack>
        <div className={classes.beside}>
          <ChatPreview values={form.values} />
        </div>
      </div>
    );
  return (
    <Stack gap="md">
      {usual.map(field)}
      {own && (
        <details className={classes.advanced} open={Boolean(ownProps?.error) || ownProps?.value !== '' || undefined}>
          <summary>{say('advanced')}</summary>
          <Stack mt="xs">{field(own)}</Stack>
        </details>
      )}
    </Stack>
  );
}

function SettingField(props: Required<Props> & { field: ChannelField }): ReactNode {
  const { kind, field, form, readOnly, stored, moved } = props;
  const say = useTexts(texts);
  const language = useLanguage();
  const name = valueName(field.name);
  const { onChange, ...input } = form.getInputProps(name);
  const [label, hint] =
    fieldTexts[language][field.name === 'api_url' ? 'api_url' : (`${kind}.${field.name}` as FieldWord)];
  const isKept = field.secret && stored && !moved;
  const isAsked = field.secret && stored && moved;
  const shared = {
    ...input,
    label,
    description: isKept ? `${hint} ${say('keep_hint')}` : isAsked ? `${hint} ${say('moved_hint')}` : hint,
    withAsterisk: isAsked ? !isUnused(field, form.values) : field.required && !isKept,
    readOnly,
  };
  const options = { text: [], choice: field.choices, boolean: ['true', 'false'] }[field.type as 'choice'] ?? [];
  if (options.length > 0) {
    return (
      <Select
        {...shared}
        data={options.map((value) => ({ value, label: say(`option_${value}` as 'option_true') }))}
        value={input.value || null}
        onChange={(value) => form.setFieldValue(name, value ?? '')}
        placeholder={say('usual')}
        clearable
      />
    );
  }
  const typed = {
    ...shared,
    onChange,
    autoComplete: 'off',
    spellCheck: false,
    dir: isTexts(field.name) ? 'auto' : 'ltr',
  };
  if (field.name === 'color')
    return <TextInput {...typed} leftSection={<ColorPicker {...typed} label={say('color_pick')} />} />;
  if (field.type === 'list') return <Textarea {...typed} autosize minRows={2} maxRows={8} />;
  if (!field.secret) return <TextInput {...typed} inputMode={field.type === 'number' ? 'numeric' : undefined} />;
  return (
    <PasswordInput
      {...typed}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': say('show_secret') }}
      placeholder={isKept ? '••••••••' : undefined}
    />
  );
}

type PickerProps = {
  label: string;
  value: string | undefined;
  readOnly: boolean;
  onChange: (event: { currentTarget: { value: string } }) => void;
};

/** The field is the browser's own color input, which works with keyboard and screen reader. */
function ColorPicker({ label, value = '', readOnly, onChange }: PickerProps): ReactNode {
  return (
    <input
      type="color"
      aria-label={label}
      className={classes.swatch}
      value={isColor(value) ? value : USUAL_COLOR}
      disabled={readOnly}
      onChange={onChange}
    />
  );
}

/** The names of fields with text for people. All other fields contain keys and addresses. */
const WORDS: readonly string[] = ['from_name', 'subject', 'title', 'greeting', 'suggestions', 'avatar'];
const isTexts = (name: string): boolean => WORDS.includes(name);

/** Shows the server's fault of a setting at its field. Returns true if the form has such a field. */
export function placeSettings(form: Form, faults: readonly { pointer: string; detail: string }[]): boolean {
  const own = faults.flatMap(({ pointer, detail }) => {
    const [, first, field] = pointer.split('/');
    return first === 'settings' && field !== undefined && valueName(field) in form.values
      ? [{ name: valueName(field), detail }]
      : [];
  });
  for (const { name, detail } of own) form.setFieldError(name, detail);
  form.focus(own[0]?.name);
  return own.length > 0;
}
