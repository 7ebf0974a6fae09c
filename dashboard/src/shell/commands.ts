import { useMantineColorScheme } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useTexts } from '../language/texts.tsx';
import type { Shortcut } from '../parts/use-shortcuts.ts';
import { setPreferences } from '../preferences.ts';
import { useMay } from '../session/session.ts';
import { finderTexts } from './finder-texts.ts';
import { useAway } from './use-away.ts';

/** The lists whose records Ctrl-K can add. Each command opens the dialog of its list. */
const LISTS = [
  { to: '/agents', word: 'new_agent', role: 'member' },
  { to: '/triggers', word: 'new_trigger', role: 'member' },
  { to: '/campaigns', word: 'new_campaign', role: 'member' },
  { to: '/settings/integrations/api-keys', word: 'new_key', role: 'admin' },
] as const;

/** The actions that Ctrl-K offers on every page. */
export function useCommands(): Shortcut[] {
  const say = useTexts(finderTexts);
  const router = useRouter();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const may = { member: useMay('member'), admin: useMay('admin') };
  const { away, setAway } = useAway();
  return [
    ...LISTS.filter(({ role }) => may[role]).map(({ to, word }) => ({
      label: say(word),
      act: () => router.history.push(`${to}?create`),
    })),
    ...(may.member ? [{ label: say(away ? 'be_present' : 'be_away'), act: () => setAway(!away) }] : []),
    ...(['light', 'dark', 'auto'] as const)
      .filter((theme) => theme !== colorScheme)
      .map((theme) => ({ label: say(`theme_${theme}`), act: () => setColorScheme(theme) })),
    say.language === 'ar'
      ? { label: say('to_english'), act: () => setPreferences({ language: 'en' }) }
      : { label: say('to_arabic'), act: () => setPreferences({ language: 'ar' }) },
  ];
}
