import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A dialog whose code loads when it is first opened. The dialog stays mounted after its first opening, so that its
 * closing is visible. The browser fetches the code in advance while it is idle. The dialog is first rendered closed
 * (with the props of `closed`), so that it can restore the previous focus after it opens.
 */
export function onceOpened<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isOpened: (props: P) => boolean,
  closed: Partial<P>,
): (props: P) => ReactNode {
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  let ahead = false;
  return function OnceOpened(props) {
    const [wanted, setWanted] = useState(false);
    const [ready, setReady] = useState(false);
    useEffect(() => {
      if (ahead) return;
      ahead = true;
      whenIdle(() => void load().catch(() => (ahead = false)));
    }, []);
    if (!wanted && isOpened(props)) setWanted(true);
    return wanted ? (
      <Suspense fallback={null}>
        <Dialog {...(ready ? props : { ...props, ...closed })} />
        <WhenLoaded then={setReady} />
      </Suspense>
    ) : null;
  };
}

/** The effect of the component runs when the content next to it has loaded. */
function WhenLoaded({ then }: { then: (loaded: true) => void }): ReactNode {
  useEffect(() => then(true), [then]);
  return null;
}

const AHEAD_MS = 1_500;

/** Does work later that the first view of a page does not need. */
export const whenIdle = (work: () => void): void =>
  void setTimeout(() => ('requestIdleCallback' in globalThis ? requestIdleCallback(work) : work()), AHEAD_MS);
