import { channelFields, type ChannelField, type ChannelKindName } from '../../../../contract/channel-kinds.ts';
import { mergeList } from '../../parts/merge-list.ts';
import { originOf } from '../../parts/channels/site-origin.ts';
import { latinDigits } from '../../parts/latin-digits.ts';

/**
 * All values in a form are text. The fields of settings have this prefix, which distinguishes them from name and agent.
 */
const PREFIX = 'settings.';
export type SettingsValues = Record<string, string>;
export const valueName = (field: string): string => PREFIX + field;

/** Settings that are objects have a separate form, so this form does not show them. */
export const shownFields = (kind: ChannelKindName): ChannelField[] =>
  channelFields(kind).filter(({ type }) => type !== 'other');

export function toValues(kind: ChannelKindName, settings: Record<string, unknown> = {}): SettingsValues {
  return Object.fromEntries(shownFields(kind).map(({ name }) => [valueName(name), toText(settings[name])]));
}

const toText = (value: unknown): string => {
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
};

/**
 * True if the channel gets another address. If the address changes, the stored secrets of the old address must be
 * entered again.
 */
export const isMoved = (kind: ChannelKindName, values: SettingsValues, stored: SettingsValues): boolean =>
  shownFields(kind).some(({ name, address }) => address && values[valueName(name)] !== stored[valueName(name)]);

/** A password without a user name is useless, so the stored password is removed. */
export const isUnused = ({ secret, required }: ChannelField, values: SettingsValues): boolean =>
  secret && !required && values[valueName('username')]?.trim() === '';

/**
 * Applies the changes of a form to the newest values, which another member may have changed. `base`: the stored value
 * of each field at the start of its edit.
 */
export function mergeValues(
  kind: ChannelKindName,
  { base, typed, newest }: Record<'base' | 'typed' | 'newest', SettingsValues>,
): SettingsValues {
  const merge = ({ name, type }: ChannelField): [string, string] => {
    const key = valueName(name);
    const [before, after, now] = [base[key] ?? '', typed[key] ?? '', newest[key] ?? ''];
    if (after === before) return [key, now];
    return [
      key,
      type === 'list' && now !== before ? mergeList(lines(now), lines(before), lines(after)).join('\n') : after,
    ];
  };
  return Object.fromEntries(shownFields(kind).map(merge));
}

/** The settings omit empty fields. */
export function toSettings(
  kind: ChannelKindName,
  values: SettingsValues,
  stored: Record<string, unknown> = {},
): Record<string, unknown> {
  const shown = shownFields(kind);
  const untouched = Object.entries(stored).filter(([name]) => !shown.some((field) => field.name === name));
  const given = shown.map((field) => [field.name, toValue(field, values[valueName(field.name)] ?? '')] as const);
  return Object.fromEntries([...untouched, ...given.filter(([, value]) => value !== undefined)]);
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** An invalid line stays unchanged, and the server reports its fault. */
const sites = (lines: readonly string[]): string[] => [...new Set(lines.map((line) => originOf(line) ?? line))];

function toValue({ name, type }: ChannelField, typed: string): unknown {
  const text = typed.trim();
  if (text === '') return undefined;
  const number = Number(latinDigits(text));
  if (type === 'number') return Number.isNaN(number) ? text : number;
  if (type === 'boolean') return text === 'true';
  if (type !== 'list') return text;
  return name === 'allowed_origins' ? sites(lines(text)) : lines(text);
}
