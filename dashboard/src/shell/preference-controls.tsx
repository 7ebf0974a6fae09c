import { useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { MenuChoice } from '../parts/menu.tsx';
import { setPreferences, type Language, type Theme } from '../preferences.ts';
import { texts } from './texts.ts';
import classes from './shell.module.css';

const LANGUAGES = [
  { value: 'en', label: <span lang="en">English</span> },
  { value: 'ar', label: <span lang="ar">العربية</span> },
] as const satisfies readonly { value: Language; label: ReactNode }[];

const THEMES = [
  { value: 'light', icon: IconSun },
  { value: 'dark', icon: IconMoon },
  { value: 'auto', icon: IconDeviceDesktop },
] as const;

const chooseLanguage = (language: Language): void => setPreferences({ language });

/** Theme and language are available from the first page on: below the card of a front page, and in the user menu. */
export function LanguageControl(): ReactNode {
  const say = useTexts(texts);
  return <Segments label={say('language')} value={say.language} options={LANGUAGES} onChoose={chooseLanguage} />;
}

type SegmentsProps<T extends string> = {
  label: string;
  value: T;
  options: readonly { value: T; label: ReactNode }[];
  onChoose: (value: T) => void;
};

/**
 * Every first load contains this control. The control is much smaller than Mantine's control with its moving indicator.
 */
function Segments<T extends string>({ label, value, options, onChoose }: SegmentsProps<T>): ReactNode {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.segments}>
      {options.map((option) => (
        <label key={option.value} className={classes.segment}>
          <input
            className={classes.radio}
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

export function LanguageChoice(): ReactNode {
  const say = useTexts(texts);
  return <MenuChoice label={say('language')} value={say.language} options={LANGUAGES} onChoose={chooseLanguage} />;
}

export function ThemeControl(): ReactNode {
  const say = useTexts(texts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return <Segments label={say('theme')} value={colorScheme} options={useThemes()} onChoose={setColorScheme} />;
}

export function ThemeChoice(): ReactNode {
  const say = useTexts(texts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return <MenuChoice label={say('theme')} value={colorScheme} options={useThemes()} onChoose={setColorScheme} />;
}

function useThemes(): { value: Theme; label: ReactNode }[] {
  const say = useTexts(texts);
  return THEMES.map(({ value, icon: Icon }) => ({
    value,
    label: (
      <span className={classes.theme}>
        <Icon size={15} aria-hidden="true" />
        <span className={classes.themeWord}>{say(`theme_${value}`)}</span>
      </span>
    ),
  }));
}
