import { Text, Tooltip } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { relative, utc } from '../language/format.ts';
import { useLanguage } from '../language/words.tsx';

/** How long ago, with the exact time on hover and on keyboard focus. */
export function Moment({ at, className }: { at: string; className?: string }): ReactNode {
  const language = useLanguage();
  const now = useNow();
  return (
    <Tooltip label={<span className="ltr">{utc(at)}</span>} events={{ hover: true, focus: true, touch: true }}>
      <Text component="time" dateTime={at} tabIndex={0} inherit className={className} aria-description={utc(at)}>
        {relative(language, at, Math.max(now, new Date(at).getTime()))}
      </Text>
    </Tooltip>
  );
}

/** In the future: "in 3 hours". */
export function Until({ at }: { at: string }): ReactNode {
  const language = useLanguage();
  const now = useNow();
  return (
    <Tooltip label={<span className="ltr">{utc(at)}</span>} events={{ hover: true, focus: true, touch: true }}>
      <Text component="time" dateTime={at} tabIndex={0} inherit aria-description={utc(at)}>
        {relative(language, at, now)}
      </Text>
    </Tooltip>
  );
}

/** One clock for the whole page: every moment on it moves at the same time. */
const TICK_MS = 5_000;
let now = Date.now();
const watchers = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const watcher of watchers) watcher();
}, TICK_MS);

export const useNow = (): number =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => now,
  );
