import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { setPreferences } from '../preferences.ts';
import { words } from './words.ts';
import classes from './shell.module.css';

/** Both are there from the very first page on. */
export function LanguageControl({ fullWidth }: { fullWidth?: boolean }): ReactNode {
  const say = useWords(words);
  return (
    <SegmentedControl
      size="xs"
      fullWidth={fullWidth}
      aria-label={say('language')}
      value={say.language}
      onChange={(language) => setPreferences({ language: language })}
      data={[
        { value: 'en', label: <span lang="en">English</span> },
        { value: 'ar', label: <span lang="ar">العربية</span> },
      ]}
    />
  );
}

const THEMES = [
  { value: 'light', icon: IconSun },
  { value: 'dark', icon: IconMoon },
  { value: 'auto', icon: IconDeviceDesktop },
] as const;

export function ThemeControl({ fullWidth }: { fullWidth?: boolean }): ReactNode {
  const say = useWords(words);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth={fullWidth}
      aria-label={say('theme')}
      value={colorScheme}
      onChange={(theme) => setColorScheme(theme)}
      data={THEMES.map(({ value, icon: Icon }) => ({
        value,
        label: (
          <span className={classes.theme}>
            <Icon size={15} aria-hidden="true" />
            <span className={classes.themeWord}>{say(`theme_${value}`)}</span>
          </span>
        ),
      }))}
    />
  );
}
