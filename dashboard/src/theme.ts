import { createTheme, type MantineColorsTuple, type MantineThemeOverride } from '@mantine/core';
import { common } from './language/common.ts';
import { sayIn } from './language/texts.tsx';
import type { Language } from './preferences.ts';

const jade: MantineColorsTuple = [
  '#e8f6f1',
  '#d0ebe1',
  '#a5d8c7',
  '#75c3aa',
  '#4caf91',
  '#2c997b',
  '#1a8068',
  '#0f6b5c',
  '#0c564a',
  '#08403a',
];
const gray: MantineColorsTuple = [
  '#f8f8f5',
  '#f0f0ec',
  '#e5e5df',
  '#d5d5cd',
  '#b3b4ab',
  '#85877e',
  '#63665e',
  '#4a4d46',
  '#333630',
  '#1d201c',
];
const dark: MantineColorsTuple = [
  '#dfe2dc',
  '#bfc3bc',
  '#9ba098',
  '#747a72',
  '#3a3f39',
  '#2c302c',
  '#212522',
  '#191c1a',
  '#131614',
  '#0e100f',
];

/**
 * The font stack has Inter for Latin, IBM Plex for Arabic and Noto for Devanagari, so that a name in another script
 * also looks right.
 */
const SANS = "'Inter Variable', 'IBM Plex Sans Arabic', 'Noto Sans Devanagari', system-ui, sans-serif";
const MONO = "'JetBrains Mono Variable', ui-monospace, monospace";

/** The theme, and the only text that Mantine's parts lack: the label of a dialog's close button. */
export function themeIn(language: Language): MantineThemeOverride {
  const closeButtonProps = { 'aria-label': sayIn(common, language)('close') };
  return createTheme({
    primaryColor: 'jade',
    primaryShade: { light: 7, dark: 6 },
    colors: { jade, gray, dark },
    autoContrast: true,
    luminanceThreshold: 0.34,
    fontFamily: SANS,
    fontFamilyMonospace: MONO,
    headings: {
      fontFamily: SANS,
      fontWeight: '620',
      sizes: {
        h1: { fontSize: '1.375rem', lineHeight: '1.3' },
        h2: { fontSize: '1.125rem', lineHeight: '1.35' },
        h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
      },
    },
    fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
    radius: { xs: '4px', sm: '7px', md: '10px', lg: '14px', xl: '20px' },
    defaultRadius: 'sm',
    cursorType: 'pointer',
    focusRing: 'auto',
    respectReducedMotion: true,
    components: {
      Button: { defaultProps: { size: 'sm' } },
      SegmentedControl: { defaultProps: { withItemsBorders: false } },
      Modal: {
        defaultProps: {
          radius: 'lg',
          padding: 'xl',
          overlayProps: { backgroundOpacity: 0.45, blur: 3 },
          transitionProps: { transition: 'pop', duration: 140 },
          closeButtonProps,
        },
      },
      Drawer: { defaultProps: { closeButtonProps } },
      Tooltip: { defaultProps: { openDelay: 150, transitionProps: { duration: 100 }, withinPortal: true } },
      Select: { defaultProps: { comboboxProps: { shadow: 'lg', transitionProps: { duration: 90 } } } },
      // Blue means live or in progress. Gray means not started, or ended. Orange means that a record needs attention.
      // Red means failed. Green is only for actions.
      Badge: { defaultProps: { color: 'gray', radius: 'sm', variant: 'light', tt: 'none', fw: 550 } },
      Alert: { defaultProps: { color: 'gray', radius: 'md', variant: 'light' } },
      // In a sentence, color alone does not distinguish a link from text.
      Anchor: { defaultProps: { underline: 'always' } },
    },
  });
}
