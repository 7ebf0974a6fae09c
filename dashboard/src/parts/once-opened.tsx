import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A dialog whose code comes when it is first opened, and that stays from then on, so that closing can be seen. While
 * the browser has nothing else to do, the code is fetched ahead.
 */
export function onceOpened<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isOpened: (props: P) => boolean,
): (props: P) => ReactNode {
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  let ahead = false;
  return function OnceOpened(props) {
    const [opened, setOpened] = useState(false);
    if (!ahead) {
      ahead = true;
      whenIdle(() => void load());
    }
    if (!opened && isOpened(props)) setOpened(true);
    return opened ? (
      <Suspense fallback={null}>
        <Dialog {...props} />
      </Suspense>
    ) : null;
  };
}

const AHEAD_MS = 1_500;

const whenIdle = (work: () => void): void =>
  void setTimeout(() => ('requestIdleCallback' in globalThis ? requestIdleCallback(work) : work()), AHEAD_MS);
