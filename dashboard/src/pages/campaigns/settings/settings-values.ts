import type { LocalizedText } from '../../../../../contract/agents.ts';
import type { CampaignSettings } from '../../../../../contract/campaigns.ts';

/**
 * The values of the settings during editing. Every field has a value, and a setting that is turned off keeps its value
 * until the page closes.
 */
export type Values = {
  opening: 'agent' | 'text' | 'template';
  text: LocalizedText | undefined;
  template: string;
  templateLanguage: string;
  templateVariables: { name: string; value: string }[];
  hasWindow: boolean;
  windowFrom: string;
  windowTo: string;
  days: number[];
  hasQuiet: boolean;
  quietFrom: string;
  quietTo: string;
  zone: string;
  perMinute: string;
  startsAt: string | undefined;
  endsAt: string | undefined;
};

export const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
export const MAX_PER_MINUTE = 60_000;
export const MAX_TEMPLATE_VARIABLES = 50;

export function valuesOf(settings: CampaignSettings): Values {
  const { opening, window, quiet_hours: quiet } = settings;
  return {
    opening: opening?.template ? 'template' : opening?.text ? 'text' : 'agent',
    text: opening?.text,
    template: opening?.template?.name ?? '',
    templateLanguage: opening?.template?.language ?? '',
    templateVariables: Object.entries(opening?.template?.variables ?? {}).map(([name, value]) => ({ name, value })),
    hasWindow: window !== undefined,
    windowFrom: window?.from ?? '09:00',
    windowTo: window?.to ?? '18:00',
    days: window?.days ?? EVERY_DAY,
    hasQuiet: quiet !== undefined,
    quietFrom: quiet?.from ?? '21:00',
    quietTo: quiet?.to ?? '08:00',
    zone: settings.time_zone ?? 'UTC',
    perMinute: settings.per_minute === undefined ? '' : String(settings.per_minute),
    startsAt: settings.starts_at ?? undefined,
    endsAt: settings.ends_at ?? undefined,
  };
}

/**
 * Converts the values to the settings for the server. The settings omit values that are turned off, empty or the
 * default.
 */
export function settingsOf(values: Values): CampaignSettings {
  const opening = openingOf(values);
  const isEveryDay = values.days.length === EVERY_DAY.length;
  return {
    ...(opening && { opening }),
    ...(values.hasWindow && {
      window: {
        from: values.windowFrom,
        to: values.windowTo,
        ...(!isEveryDay && { days: values.days.toSorted((a, b) => a - b) }),
      },
    }),
    ...(values.hasQuiet && { quiet_hours: { from: values.quietFrom, to: values.quietTo } }),
    ...(values.zone !== 'UTC' && { time_zone: values.zone }),
    ...(values.perMinute.trim() !== '' && { per_minute: Number(values.perMinute) }),
    ...(values.startsAt !== undefined && { starts_at: values.startsAt }),
    ...(values.endsAt !== undefined && { ends_at: values.endsAt }),
  };
}

function openingOf({ opening, text, template, templateLanguage, templateVariables }: Values) {
  const texts = Object.entries(text ?? {}).filter(([, words]) => words.trim() !== '');
  const openingText = texts.length > 0 && { text: Object.fromEntries(texts) };
  if (opening === 'agent') return undefined;
  if (opening === 'text') return openingText || undefined;
  const variables = templateVariables.filter(({ name }) => name.trim() !== '');
  return {
    ...openingText,
    template: {
      name: template.trim(),
      ...(templateLanguage.trim() !== '' && { language: templateLanguage.trim().replaceAll('_', '-') }),
      ...(variables.length > 0 && {
        variables: Object.fromEntries(variables.map(({ name, value }) => [name.trim(), value])),
      }),
    },
  };
}

/** Finds faults in the browser, with the server's pointers. The field `word` names the text of the fault. */
export function faultsOf(values: Values): { pointer: string; word: FaultWord }[] {
  const faults: { pointer: string; word: FaultWord }[] = [];
  const fault = (pointer: string, word: FaultWord, when: boolean): void =>
    void (when && faults.push({ pointer, word }));
  const { opening, text, templateVariables: variables, startsAt, endsAt } = values;
  const isWritten = Object.values(text ?? {}).some((one) => one.trim() !== '');
  fault('/opening/text', 'text_missing', opening === 'text' && !isWritten);
  if (opening === 'template') {
    fault('/opening/template/name', 'template_missing', values.template.trim() === '');
    fault('/opening/template/language', 'language_wrong', !isLocale(values.templateLanguage.trim()));
    for (const [index, { name, value }] of variables.entries()) {
      const isTwice = variables.findIndex((one) => one.name.trim() === name.trim()) < index;
      fault(`/opening/template/variables/${index}`, 'name_twice', name.trim() !== '' && isTwice);
      fault(`/opening/template/variables/${index}`, 'name_missing', name.trim() === '' && value !== '');
    }
  }
  if (values.hasWindow) {
    fault('/window/from', 'time_missing', values.windowFrom === '');
    fault('/window/to', 'time_missing', values.windowTo === '');
    fault('/window/days', 'days_missing', values.days.length === 0);
  }
  if (values.hasQuiet) {
    fault('/quiet_hours/from', 'time_missing', values.quietFrom === '');
    fault('/quiet_hours/to', 'time_missing', values.quietTo === '');
    const isSame = values.quietFrom === values.quietTo;
    fault('/quiet_hours/to', 'quiet_same', isSame && values.quietFrom !== '');
  }
  const pace = Number(values.perMinute);
  const isPace = values.perMinute.trim() === '' || (Number.isInteger(pace) && pace >= 1 && pace <= MAX_PER_MINUTE);
  fault('/per_minute', 'pace_wrong', !isPace);
  fault('/ends_at', 'ends_too_early', startsAt !== undefined && endsAt !== undefined && endsAt <= startsAt);
  return faults;
}

type FaultWord =
  | 'text_missing'
  | 'template_missing'
  | 'language_wrong'
  | 'name_twice'
  | 'name_missing'
  | 'time_missing'
  | 'days_missing'
  | 'quiet_same'
  | 'pace_wrong'
  | 'ends_too_early';

/** Providers write `en_US`, which is stored as the tag `en-US`. */
const isLocale = (tag: string): boolean => {
  try {
    return tag === '' || Intl.getCanonicalLocales(tag.replaceAll('_', '-')).length === 1;
  } catch {
    return false;
  }
};
