import { Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { relative, utc } from '../language/format.ts';
import { useLanguage } from '../language/texts.tsx';
import { Tip } from './tip.tsx';

/** Shows a relative time, with the exact time on hover and on keyboard focus. */
export function Moment({ at, className }: { at: string; className?: string }): ReactNode {
  const language = useLanguage();
  const now = useNow();
  return (
    <Tip label={<span className="ltr">{utc(at)}</span>}>
      {(anchor) => (
        <Text component="time" dateTime={at} tabIndex={0} inherit className={className} {...anchor}>
          {relative(language, at, Math.max(now, new Date(at).getTime()))}
        </Text>
      )}
    </Tip>
  );
}

/** Shows a time in the future, such as "in 3 hours". */
export function Until({ at }: { at: string }): ReactNode {
  const language = useLanguage();
  const now = useNow();
  return (
    <Tip label={<span className="ltr">{utc(at)}</span>}>
      {(anchor) => (
        <Text component="time" dateTime={at} tabIndex={0} inherit {...anchor}>
          {relative(language, at, now)}
        </Text>
      )}
    </Tip>
  );
}

/** The whole page has one clock, so all times change together. */
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
