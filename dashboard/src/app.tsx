import { DirectionProvider, MantineProvider, useDirection, type MantineColorSchemeManager } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, type ReactNode } from 'react';
import { queryClient } from './api/queries.ts';
import { useLanguage } from './language/texts.tsx';
import { Notes } from './parts/notify.tsx';
import { preferences, setPreferences, subscribe, type Theme } from './preferences.ts';
import { router } from './routes.tsx';
import { themeIn } from './theme.ts';

export function App(): ReactNode {
  const language = useLanguage();
  const theme = useMemo(() => themeIn(language), [language]);
  return (
    <DirectionProvider detectDirection>
      <MantineProvider
        theme={theme}
        colorSchemeManager={rememberedTheme}
        defaultColorScheme="auto"
        getStyleNonce={() => globalThis.__webpack_nonce__ ?? ''}
      >
        <LanguageOnPage />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Notes />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}

/** The language and direction of the page follow the user's choice immediately. */
function LanguageOnPage(): ReactNode {
  const language = useLanguage();
  const { setDirection } = useDirection();
  useEffect(() => {
    document.documentElement.lang = language;
    // The script public/preferences.js painted the background before the styles loaded.
    document.documentElement.style.backgroundColor = '';
    setDirection(language === 'ar' ? 'rtl' : 'ltr');
  }, [language, setDirection]);
  return null;
}

let stopListening = (): void => {};
const rememberedTheme: MantineColorSchemeManager = {
  get: () => preferences().theme ?? 'auto',
  set: (value) => {
    if (value !== preferences().theme) setPreferences({ theme: value satisfies Theme });
  },
  subscribe: (onUpdate) => {
    stopListening = subscribe(() => onUpdate(preferences().theme ?? 'auto'));
  },
  unsubscribe: () => stopListening(),
  clear: () => setPreferences({ theme: undefined }),
};
