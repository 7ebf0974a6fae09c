import { Loader, Select, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelTemplate } from '../../../contract/dashboard/channels.ts';
import { useRead } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { useOrganization } from '../session/session.ts';
import { templateTexts } from './template-texts.ts';
import classes from './template-picker.module.css';

type Chosen = { name: string; language: string };

/**
 * Reads the templates of a channel's account from its provider. The result is `null` while the templates load, and
 * empty if they cannot be read.
 */
export function useTemplates(channelId: string, enabled: boolean) {
  const params = { org_id: useOrganization().id, channel_id: channelId };
  const read = useRead('listTemplates', { params }, { enabled, staleTime: 60_000 });
  return { items: read.data?.items ?? null, failed: read.error !== null, loading: enabled && read.isPending };
}

export const isChosen =
  ({ name, language }: Chosen) =>
  (one: ChannelTemplate): boolean =>
    one.name === name && one.language.toLowerCase() === (language.replaceAll('_', '-') || 'en').toLowerCase();

type Props = {
  label?: string;
  items: readonly ChannelTemplate[];
  value: Chosen;
  onChange: (template: ChannelTemplate | null) => void;
  error?: ReactNode;
  readOnly?: boolean;
  required?: boolean;
};

/** Selects a template by name and language. Templates that cannot be sent show the reason. */
export function TemplatePicker({ label, items, value, onChange, error, readOnly, required }: Props): ReactNode {
  const say = useTexts(templateTexts);
  const chosen = items.find(isChosen(value)) ?? null;
  const isGone = value.name !== '' && chosen === null;
  const why = ({ status, can_be_sent: canBeSent }: ChannelTemplate): string => {
    if (canBeSent) return '';
    if (status === 'approved') return ` – ${say('needs_more')}`;
    const known = ['pending', 'rejected', 'paused', 'disabled'].includes(status);
    return ` – ${say(known ? `status_${status as 'pending'}` : 'status_other')}`;
  };
  return (
    <Select
      label={label ?? say('choose')}
      description={items.length === 0 ? say('none') : say('choose_hint')}
      data={items.map((one) => ({
        value: idOf(one),
        label: `${one.name} · ${one.language}${why(one)}`,
        disabled: !one.can_be_sent,
      }))}
      value={chosen && idOf(chosen)}
      onChange={(id) => onChange(items.find((one) => idOf(one) === id) ?? null)}
      error={error ?? (isGone && say('gone', { name: value.name }))}
      nothingFoundMessage={say('not_found')}
      searchable
      clearable={!required}
      // The field has space for both icons, because a Latin name ends next to them on an Arabic page.
      rightSectionWidth={required ? undefined : 60}
      withAsterisk={required === true}
      readOnly={readOnly === true}
    />
  );
}

/** An empty variable shows its placeholder. */
export const fillIn = (body: string, values: Readonly<Record<string, string>>): string =>
  body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) => values[name] || place);

const PARTS = ['text', 'image', 'video', 'document', 'latitude', 'longitude'] as const;

/**
 * Returns the label of a value that a template needs, for a placeholder of the body, or a part of the header or of a
 * button.
 */
export function useValueLabel(): (name: string) => string {
  const say = useTexts(templateTexts);
  return (name) => {
    const [place = '', part = '', kind = ''] = name.split('.');
    const header = place === 'header' ? PARTS.find((one) => one === part) : undefined;
    if (header) return say(`header_${header}`);
    if (place === 'button' && (kind === 'url' || kind === 'code')) return say(`button_${kind}`, { number: part });
    return say('value_of', { name: `{{${name}}}` });
  };
}

const idOf = ({ name, language }: ChannelTemplate): string => `${name} ${language}`;

/** Shows a template as the recipient sees it. An empty variable shows its placeholder. */
export function TemplatePreview({
  template: { header, header_type: headerType, body, footer, buttons, language },
  values,
}: {
  template: ChannelTemplate;
  values: Readonly<Record<string, string>>;
}): ReactNode {
  const say = useTexts(templateTexts);
  const filled = fillIn(body, values);
  return (
    <figure className={classes.preview} lang={language}>
      <figcaption>{say('preview')}</figcaption>
      <div>
        {header && <b dir="auto">{values['header.text'] ? fillAll(header, values['header.text']) : header}</b>}
        {headerType && headerType !== 'text' && <TemplateHeader type={headerType} values={values} />}
        <p dir="auto">{filled}</p>
        {footer && <small dir="auto">{footer}</small>}
      </div>
      {buttons.map((button) => (
        <span key={button} dir="auto">
          {button}
        </span>
      ))}
    </figure>
  );
}

const fillAll = (text: string, value: string): string => text.replaceAll(/\{\{\s*\w+\s*\}\}/g, () => value);

/** Shows the name of the part and its value. A page loads no file of another server. */
function TemplateHeader({
  type,
  values,
}: {
  type: 'image' | 'video' | 'document' | 'location';
  values: Readonly<Record<string, string>>;
}): ReactNode {
  const say = useTexts(templateTexts);
  const value =
    type === 'location'
      ? [values['header.latitude'], values['header.longitude']].filter(Boolean).join(', ')
      : values[`header.${type}`];
  return (
    <p>
      <b>{say(`part_${type}`)}</b>
      {value && <bdi>{value}</bdi>}
    </p>
  );
}

/** The text is shown while templates load, or if the account has no templates. */
export function TemplatesState({ loading, failed }: { loading: boolean; failed: boolean }): ReactNode {
  const say = useTexts(templateTexts);
  if (!loading && !failed) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {loading && <Loader size={12} me={8} aria-hidden />}
      {say(loading ? 'loading' : 'read_failed')}
    </Text>
  );
}
