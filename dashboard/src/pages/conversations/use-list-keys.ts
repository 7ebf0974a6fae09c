import { useNavigate, useRouter } from '@tanstack/react-router';
import { useTexts } from '../../language/texts.tsx';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { selectionTexts } from './selection-texts.ts';
import { texts } from './texts.ts';

/**
 * The key `j` opens the next conversation and `k` the previous conversation, `x` selects the open conversation, and `/`
 * moves to the search field.
 */
export function useListKeys(ids: readonly string[], toggle: ((id: string) => void) | null): void {
  const say = useTexts(texts);
  const saySelection = useTexts(selectionTexts);
  const navigate = useNavigate();
  const router = useRouter();
  // Returns the target conversation, whose page may still be loading. Two presses of a key move two steps.
  const openOne = (): string | undefined => /\/conversations\/([^/]+)/.exec(router.latestLocation.pathname)?.[1];
  const select = (): void => {
    const chosen = openOne();
    if (chosen !== undefined && ids.includes(chosen)) toggle?.(chosen);
  };
  const open = async (step: 1 | -1): Promise<void> => {
    const chosen = openOne();
    const at = chosen === undefined ? -1 : ids.indexOf(chosen);
    // If the list does not contain the open conversation, both keys start at the top.
    const id = at === -1 ? ids[0] : ids[at + step];
    if (id === undefined) return;
    await navigate({
      to: '/conversations/$conversation_id',
      params: { conversation_id: id },
      search: (before: object) => before,
      resetScroll: false,
    });
    document.querySelector(`[data-row="${id}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts([
    { key: 'j', label: say('key_next'), act: () => void open(1) },
    { key: 'k', label: say('key_previous'), act: () => void open(-1) },
    ...(toggle ? [{ key: 'x', label: saySelection('key'), act: select }] : []),
    {
      key: '/',
      label: say('key_search'),
      act: () => document.querySelector<HTMLElement>('[role=search] input[type=search]')?.focus(),
    },
  ]);
}
